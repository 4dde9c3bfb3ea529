/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include <l4/l4.h>
#include <lib/string.h>

#include "elf.h"
#include "frames.h"
#include "machine.h"

/* How long a partner may take that should be ready. */
#define START_TIMEOUT 1000000u

struct task_page *task_page_at(struct task *task, L4_Word_t va) {
    for (unsigned i = 0; i < task->num_pages; i++) {
        if (task->pages[i].va == (va & ~(FRAME_SIZE - 1))) {
            return &task->pages[i];
        }
    }
    return NULL;
}

uint8_t *task_add_page(struct task *task, L4_Word_t va, uint8_t *frame, L4_Word_t rights) {
    if (task->num_pages == TASK_PAGES) {
        return NULL;
    }
    if (frame == NULL) {
        frame = frame_alloc();
    }
    if (frame != NULL) {
        task->pages[task->num_pages++] =
            (struct task_page){.va = va, .frame = frame, .rights = rights};
    }
    return frame;
}

/* Takes all rights to the frame from everyone who has them from us. */
static void revoke(const uint8_t *frame) {
    (void)L4_UnmapFpage(
        L4_FpageAddRights(L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2), L4_FullyAccessible));
}

uint8_t *task_remove_page(struct task *task, L4_Word_t va) {
    struct task_page *page = task_page_at(task, va);
    if (page == NULL) {
        return NULL;
    }
    uint8_t *frame = page->frame;
    revoke(frame);
    *page = task->pages[--task->num_pages];
    return frame;
}

/* Copies one segment into fresh frames; ELF segments here never share a page. */
static bool load_segment(struct task *task, const uint8_t *elf, const struct elf_segment *segment) {
    L4_Word_t rights = (segment->flags & 4 ? L4_Readable : 0) |
                       (segment->flags & 2 ? L4_Writable : 0) |
                       (segment->flags & 1 ? L4_eXecutable : 0);
    for (L4_Word_t at = 0; at < segment->memsz; at += FRAME_SIZE) {
        uint8_t *frame = task_add_page(task, segment->vaddr + at, NULL, rights);
        if (frame == NULL) {
            return false;
        }
        if (at < segment->filesz) {
            L4_Word_t rest = segment->filesz - at;
            memcpy(frame, elf + segment->offset + at, rest < FRAME_SIZE ? rest : FRAME_SIZE);
        }
    }
    return true;
}

static bool load(struct task *task, const void *elf) {
    const struct elf_header *header = elf;
    const struct elf_segment *segments = (const void *)((const uint8_t *)elf + header->phoff);
    for (unsigned i = 0; i < header->phnum; i++) {
        if (segments[i].type == ELF_LOAD && !load_segment(task, elf, &segments[i])) {
            return false;
        }
    }
    return true;
}

bool task_protected(void) {
    return L4_KDB_Statistic(L4_STAT_PROTECTS) != 0;
}

/* Adds task->moved to every word of the program that holds an address of the program. What is
 * linked at 0 is at `base`. */
static void relocate(const struct task *task, const uint8_t *elf, uintptr_t base) {
    const struct elf_header *header = (const void *)elf;
    const struct elf_section *sections = (const void *)(elf + header->shoff);
    for (unsigned i = 0; i < header->shnum; i++) {
        const struct elf_section *s = &sections[i];
        if (s->type != ELF_RELOCATIONS || (sections[s->info].flags & ELF_ALLOC) == 0) {
            continue;
        }
        const struct elf_symbol *symbols = (const void *)(elf + sections[s->link].offset);
        const struct elf_relocation *r = (const void *)(elf + s->offset);
        for (unsigned k = 0; k < s->size / sizeof *r; k++) {
            uint32_t type = elf_relocation_type(&r[k]);
            uint32_t section = symbols[elf_relocation_symbol(&r[k])].section;
            if (MACHINE_RELOCATES(type) && section != 0 && section != ELF_ABSOLUTE) {
                *(L4_Word_t *)(base + r[k].offset) += task->moved;
            }
        }
    }
}

/* Into frames in a row, to run at `code`; 0: where the frames are. (There, the kernel writes the
 * data cache back when the space is made, so that the program can be fetched.) */
static bool load_moved(struct task *task, const uint8_t *elf, L4_Word_t code) {
    const struct elf_header *header = (const void *)elf;
    const struct elf_segment *segments = (const void *)(elf + header->phoff);
    L4_Word_t low = L4_ALL_BITS, high = 0;
    for (unsigned i = 0; i < header->phnum; i++) {
        if (segments[i].type == ELF_LOAD) {
            L4_Word_t end = segments[i].vaddr + segments[i].memsz;
            low = segments[i].vaddr < low ? segments[i].vaddr & ~(FRAME_SIZE - 1) : low;
            high = end > high ? end : high;
        }
    }
    unsigned n = (unsigned)((high - low + FRAME_SIZE - 1) / FRAME_SIZE);
    uint8_t *base = high < low ? NULL : frames_alloc(n);
    if (base == NULL || n > TASK_PAGES) {
        return false;
    }
    code = code == 0 ? (L4_Word_t)(uintptr_t)base : code;
    task->moved = code - low;
    for (unsigned i = 0; i < n; i++) {
        (void)task_add_page(task, code + i * FRAME_SIZE, base + i * FRAME_SIZE, L4_FullyAccessible);
    }
    for (unsigned i = 0; i < header->phnum; i++) {
        if (segments[i].type == ELF_LOAD) {
            memcpy(base + (segments[i].vaddr - low), elf + segments[i].offset, segments[i].filesz);
        }
    }
    relocate(task, elf, (uintptr_t)base - low);
    return true;
}

static bool make_space(L4_ThreadId_t id, L4_Word_t kip, L4_Word_t utcbs) {
    L4_Word_t old;
    L4_ThreadId_t me = L4_MyGlobalId();
    if (!L4_ThreadControl(id, id, me, L4_nilthread, (void *)~(uintptr_t)0)) {
        return false;
    }
    if (!L4_SpaceControl(id, 0, L4_FpageLog2(kip, FRAME_LOG2), L4_FpageLog2(utcbs, TASK_UTCBS_LOG2),
                         L4_nilthread, &old)) {
        return false;
    }
    return L4_ThreadControl(id, id, me, me, (void *)(uintptr_t)utcbs) != 0;
}

bool task_create_at(struct task *task, L4_ThreadId_t id, const void *elf,
                    const struct task_layout *layout) {
    bool is_protected = task_protected();
    L4_Word_t apart = MACHINE_APART_BASE + L4_ThreadNo(id) % TASK_APART * MACHINE_APART_STEP;
    L4_Word_t code = is_protected ? layout->code : 0;
    task->id = id;
    task->utcbs = is_protected ? layout->utcbs : apart + TASK_UTCBS_SIZE;
    task->moved = 0;
    task->num_pages = 0;
    return (is_protected && code == 0 ? load(task, elf) : load_moved(task, elf, code)) &&
           make_space(id, is_protected ? layout->kip : apart, task->utcbs);
}

bool task_create(struct task *task, L4_ThreadId_t id, const void *elf, L4_Word_t areas) {
    const struct task_layout layout = {.kip = areas, .utcbs = areas + TASK_UTCBS_SIZE};
    return task_create_at(task, id, elf, &layout);
}

bool task_start(struct task *task, const void *elf) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendWord(&msg, ((const struct elf_header *)elf)->entry + task->moved);
    L4_MsgAppendWord(&msg, 0);
    L4_MsgLoad(&msg);
    return L4_IpcSucceeded(L4_Send_Timeout(task->id, L4_TimePeriod(START_TIMEOUT))) != 0;
}

bool task_add_thread(struct task *task, L4_ThreadId_t id, unsigned n, L4_ThreadId_t pager) {
    return L4_ThreadControl(id, task->id, L4_MyGlobalId(), pager,
                            (void *)(uintptr_t)(task->utcbs + n * L4_UTCB_SIZE)) != 0;
}

void task_destroy(struct task *task) {
    (void)L4_ThreadControl(task->id, L4_nilthread, L4_nilthread, L4_nilthread,
                           (void *)~(uintptr_t)0);
    while (task->num_pages > 0) {
        frame_free(task->pages[--task->num_pages].frame);
    }
    task->id = L4_nilthread;
}

bool task_fault(struct task *task, L4_MsgTag_t tag, L4_Word_t address) {
    L4_Word_t access = L4_Label(tag) & 7;
    const struct task_page *page = task_page_at(task, address);
    if (page == NULL || (access & ~page->rights) != 0) {
        return false;
    }
    L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)page->frame, FRAME_LOG2);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(fpage, page->rights), page->va));
    L4_MsgLoad(&msg);
    return true;
}
