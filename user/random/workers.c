/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

#include "../common/frames.h"

extern const uint8_t worker_image[]; /* worker_image.S */

/* The first word of a page, one in each half, and the last. */
const L4_Word_t mark_offsets[MARKS] = {0, 17 * sizeof(L4_Word_t), 0x7f8,
                                       0x1000 - sizeof(L4_Word_t)};
L4_Word_t pool;
unsigned denied_count, resolved_count;

static struct task tasks[SPACES];
static L4_Word_t next_number, next_version = 1;

#define NUMBERS 200u /* thread numbers, used in turn: the kernel must not mistake a new one */

L4_Word_t page_va(unsigned space, unsigned page) {
    if (space == 0) {
        return pool + page * FRAME_SIZE;
    }
    return page < ARENA_PAGES ? ARENA_LOW + page * FRAME_SIZE
                              : ARENA_HIGH + (page - ARENA_PAGES) * FRAME_SIZE;
}

L4_Word_t access_va(unsigned space, unsigned page) {
    return task_protected() ? page_va(space, page) : pool + page % FRAMES * FRAME_SIZE;
}

/* The other way round, for a worker; PAGES: outside the arenas. */
static unsigned page_at(L4_Word_t va) {
    if (va - ARENA_LOW < ARENA_PAGES * FRAME_SIZE) {
        return (unsigned)((va - ARENA_LOW) / FRAME_SIZE);
    }
    if (va - ARENA_HIGH < ARENA_PAGES * FRAME_SIZE) {
        return ARENA_PAGES + (unsigned)((va - ARENA_HIGH) / FRAME_SIZE);
    }
    return PAGES;
}

L4_ThreadId_t worker_id(unsigned w) {
    return tasks[w].id;
}

void worker_make(unsigned w) {
    L4_Word_t first = L4_ThreadNo(L4_MyGlobalId()) + 1;
    if (++next_number == NUMBERS) {
        next_number = 0;
        next_version = next_version % 1000 + 1;
    }
    /* A version's low six bits are not all 0: that would be a local id. */
    L4_ThreadId_t id = L4_GlobalId(first + next_number, next_version << 1 | 1);
    if (!task_create(&tasks[w], id, worker_image, TASK_AREAS) ||
        !task_start(&tasks[w], worker_image)) {
        mismatch("a worker can be made", w, 0, L4_ErrorCode(), 0);
    }
    (void)worker_wait(w);
}

void worker_end(unsigned w) {
    task_destroy(&tasks[w]);
}

void worker_tell(unsigned w, enum random_operation operation, unsigned n,
                 const L4_Word_t *arguments) {
    L4_LoadMR(0, L4_MakeMsgTag(RANDOM_LABEL, n + 1, 0).raw);
    L4_LoadMR(1, operation);
    L4_LoadMRs(2, n, arguments);
    if (L4_IpcFailed(L4_Send_Timeout(tasks[w].id, RANDOM_TIMEOUT))) {
        mismatch("the worker listens", w, 0, L4_ErrorCode(), 0);
    }
}

/* ---- accesses ---- */

static struct {
    struct access *list;
    unsigned n, next;
} script;

/* As far as the model lets it go. */
static void run_model(unsigned w) {
    while (script.next < script.n) {
        struct access *a = &script.list[script.next];
        if (!model_may(w, a->page, a->write)) {
            return;
        }
        L4_Word_t *mark = &model_marks[model_frame(w, a->page)][a->mark];
        if (a->write) {
            *mark = a->word;
        } else {
            a->word = *mark;
        }
        script.next++;
    }
}

/* Loads a reply that maps some frame of ours at the page: 4 KB, or the 64 KB around it. */
static void resolve(unsigned w, unsigned page) {
    unsigned log2 = random_below(4) == 0 ? 16 : 12;
    unsigned n = 1u << (log2 - 12);
    unsigned frame = random_below(FRAMES) & ~(n - 1);
    L4_Word_t rights = random_below(4) == 0 ? L4_Readable : L4_FullyAccessible;
    L4_Msg_t msg;
    page &= ~(n - 1);
    for (unsigned i = 0; i < n; i++) {
        model_map(0, frame + i, w, page + i, rights, false);
    }
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(
        &msg, L4_MapItem((L4_Fpage_t){.raw = L4_FpageLog2(page_va(0, frame), log2).raw | rights},
                         page_va(w, page)));
    L4_MsgLoad(&msg);
    resolved_count++;
}

/* A fault in an arena: is it one by the model? True: a reply is loaded; else it goes on denied. */
static bool serve_fault(unsigned w, L4_Word_t va, L4_Word_t ip, L4_Word_t access) {
    run_model(w);
    struct access *a = &script.list[script.next];
    if (script.next == script.n || va != access_va(w, a->page) + a->offset ||
        access != (a->write ? L4_Writable : L4_Readable)) {
        mismatch("the model allows what is denied", w, va, access, script.next);
    }
    if (random_below(3) == 0) {
        resolve(w, a->page);
        return true;
    }
    a->denied = true;
    script.next++;
    denied_count++;
    (void)L4_ExregsControl(tasks[w].id, L4_EXREGS_RECV_CANCEL | L4_EXREGS_IP, 0,
                           ip + RANDOM_DENIED);
    return false;
}

L4_Word_t worker_wait(unsigned w) {
    L4_Word_t words[2] = {0, 0};
    L4_MsgTag_t tag = L4_Receive_Timeout(tasks[w].id, RANDOM_TIMEOUT);
    while (L4_IpcSucceeded(tag)) {
        L4_StoreMRs(1, 2, words);
        if (L4_Label(tag) == RANDOM_LABEL) {
            return words[0];
        }
        if ((L4_Label(tag) & (L4_LABEL(-1) | 8)) != L4_LABEL_PAGEFAULT) {
            break;
        }
        if (task_fault(&tasks[w], tag, words[0]) ||
            (page_at(words[0]) != PAGES && script.n != 0 &&
             serve_fault(w, words[0], words[1], L4_Label(tag) & 7))) {
            tag = L4_Call_Timeouts(tasks[w].id, RANDOM_TIMEOUT, RANDOM_TIMEOUT);
        } else if (page_at(words[0]) != PAGES && script.n != 0) {
            tag = L4_Receive_Timeout(tasks[w].id, RANDOM_TIMEOUT);
        } else {
            break;
        }
    }
    mismatch("a worker answers", w, words[0], tag.raw, words[1]);
}

void worker_access(unsigned w, struct access *accesses, unsigned n) {
    L4_Word_t words[2 * RANDOM_ACCESSES], got[RANDOM_ACCESSES];
    for (unsigned i = 0; i < n; i++) {
        struct access *a = &accesses[i];
        a->denied = false;
        words[2 * i] = (access_va(w, a->page) + a->offset) | a->write;
        words[2 * i + 1] = a->word;
    }
    script.list = accesses;
    script.n = n;
    script.next = 0;
    worker_tell(w, RANDOM_ACCESS, 2 * n, words);
    L4_Word_t denied = worker_wait(w);
    L4_StoreMRs(2, n, got);
    run_model(w);
    script.n = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct access *a = &accesses[i];
        L4_Word_t va = access_va(w, a->page) + a->offset;
        if (script.next < n && i == script.next) {
            mismatch("the model denies what is allowed", w, va, got[i], 0);
        }
        if ((denied >> i & 1) != a->denied) {
            mismatch("denied", w, va, denied >> i & 1, a->denied);
        }
        if (!a->write && !a->denied && got[i] != a->word) {
            mismatch("the word", w, va, got[i], a->word);
        }
    }
}
