/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Benchmarks on L4: the benchmark is the root task; partners are tasks that it loads and pages.
 */
#include "l4.h"
#include "os.h"

#include <l4/l4.h>
#include <lib/print.h>

#include "../../user/common/frames.h"
#include "../../user/common/probe.h"
#include "../measure.h"

#define MAX_PARTNERS 64
#define PATIENCE     L4_TimePeriod(1000000)

extern const uint8_t partner_image[]; /* l4_image.S */

static struct task partners[MAX_PARTNERS];
static unsigned own_pages[MAX_PARTNERS]; /* those after these are ours (os_show) */
static unsigned num_partners;
static L4_Word_t version = 1;

static struct task_layout (*layout_of)(unsigned partner);

void l4_layout(struct task_layout (*of)(unsigned partner)) {
    layout_of = of;
}

static bool create(unsigned partner, L4_ThreadId_t id) {
    struct task_layout layout = {.kip = TASK_KIP, .utcbs = TASK_UTCBS};
    if (layout_of != NULL) {
        layout = layout_of(partner);
    }
    return task_create_at(&partners[partner], id, partner_image, &layout);
}

void os_init(void) {
    frames_init();
    if (probe_init()) {
        measure_itself();
    }
}

/* The boot information is a page of ordinary memory that we get by touching it. */
const char *os_command_line(void) {
    const char *line = L4_BootInfo_CommandLine(L4_BootInfo(L4_GetKernelInterface()));
    return line != NULL ? line : "";
}

bool os_has_probe(void) {
    return probe_present();
}

uint64_t os_microseconds(void) {
    return L4_SystemClock().raw;
}

void os_finish(unsigned status) {
    print("END status=%u\n", status);
    if (probe_present()) {
        probe_write(PROBE_EXIT, status);
    }
    for (;;) {
        L4_Sleep(L4_Never);
    }
}

/* Answers page faults of the partner until it says something else; its tag then. */
static L4_MsgTag_t serve_faults(struct task *task, L4_MsgTag_t tag) {
    while (L4_IpcSucceeded(tag) && (L4_Label(tag) & (L4_LABEL(-1) | 8)) == L4_LABEL_PAGEFAULT) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        if (!task_fault(task, tag, address)) {
            print("bench: partner %x: fault at %x\n", task->id.raw, address);
            return (L4_MsgTag_t){.raw = L4_TAG_ERROR};
        }
        tag = L4_Call_Timeouts(task->id, PATIENCE, PATIENCE);
    }
    return tag;
}

bool os_partners_start(unsigned n) {
    L4_Word_t first = L4_ThreadNo(L4_MyGlobalId()) + 1;
    if (n > MAX_PARTNERS) {
        return false;
    }
    version = (version & 0x3f) == 0x3f ? version + 2 : version + 1; /* never 0 in the low 6 bits */
    for (num_partners = 0; num_partners < n;) {
        struct task *task = &partners[num_partners++];
        if (!create(num_partners - 1, L4_GlobalId(first + num_partners, version)) ||
            !task_start(task, partner_image)) {
            return false;
        }
        own_pages[num_partners - 1] = task->num_pages;
        L4_MsgTag_t tag = serve_faults(task, L4_Receive_Timeout(task->id, PATIENCE));
        if (tag.raw != OS_MESSAGE.raw || !os_call(num_partners - 1)) {
            return false;
        }
    }
    return true;
}

void os_partners_end(void) {
    while (num_partners > 0) {
        struct task *task = &partners[--num_partners];
        task->num_pages = own_pages[num_partners];
        task_destroy(task);
    }
}

L4_ThreadId_t l4_partner(unsigned partner) {
    return partners[partner].id;
}

bool os_call(unsigned partner) {
    L4_Set_MsgTag(OS_MESSAGE);
    L4_MsgTag_t tag = L4_Call(partners[partner].id);
    if (tag.raw != OS_MESSAGE.raw) {
        tag = serve_faults(&partners[partner], tag);
    }
    return tag.raw == OS_MESSAGE.raw;
}

/* ---- partners that are told what to do ---- */

os_word_t os_partner_name(unsigned partner) {
    return partners[partner].id.raw;
}

static bool answered(unsigned partner, L4_MsgTag_t tag, os_word_t words[OS_WORDS]) {
    if (tag.raw != OS_WORDS_MESSAGE.raw) {
        tag = serve_faults(&partners[partner], tag);
    }
    for (unsigned i = 0; i < OS_WORDS; i++) {
        L4_Word_t word;
        L4_StoreMR(1 + i, &word);
        words[i] = word;
    }
    return tag.raw == OS_WORDS_MESSAGE.raw;
}

static void load(const os_word_t words[OS_WORDS]) {
    L4_Set_MsgTag(OS_WORDS_MESSAGE);
    for (unsigned i = 0; i < OS_WORDS; i++) {
        L4_LoadMR(1 + i, words[i]);
    }
}

bool os_ask(unsigned partner, os_word_t words[OS_WORDS]) {
    load(words);
    return answered(partner, L4_Call(partners[partner].id), words);
}

bool os_tell(unsigned partner, const os_word_t words[OS_WORDS]) {
    load(words);
    return L4_IpcSucceeded(L4_Send_Timeout(partners[partner].id, PATIENCE)) != 0;
}

/* Pages that partners miss are given to each in between. */
bool os_hear(os_word_t words[OS_WORDS]) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    while (L4_IpcSucceeded(tag) && tag.raw != OS_WORDS_MESSAGE.raw) {
        unsigned partner = 0;
        L4_Word_t address;
        while (partner < num_partners && partners[partner].id.raw != from.raw) {
            partner++;
        }
        L4_StoreMR(1, &address);
        if (partner == num_partners || !task_fault(&partners[partner], tag, address)) {
            print("bench: message %x from %x, %x\n", tag.raw, from.raw, address);
            return false;
        }
        tag = L4_ReplyWait(from, &from);
    }
    for (unsigned i = 0; i < OS_WORDS; i++) {
        L4_Word_t word;
        L4_StoreMR(1 + i, &word);
        words[i] = word;
    }
    return L4_IpcSucceeded(tag) != 0;
}

uintptr_t os_show(unsigned partner, uintptr_t va, const void *page) {
    if (!task_protected()) {
        return (uintptr_t)page;
    }
    uint8_t *frame = (uint8_t *)(uintptr_t)page;
    return task_add_page(&partners[partner], va, frame, L4_Readable) != NULL ? va : 0;
}

uintptr_t l4_give(unsigned partner, uintptr_t va) {
    uint8_t *frame = frame_alloc();
    va = task_protected() ? va : (uintptr_t)frame;
    bool given = frame != NULL &&
                 task_add_page(&partners[partner], va, frame, L4_Readable | L4_Writable) != NULL;
    return given ? va : 0;
}
