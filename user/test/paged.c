/* SPDX-License-Identifier: Apache-2.0 */
#include "paged.h"

struct paged_fault paged_seen[PAGED_SEEN];
volatile unsigned paged_faults;
L4_ThreadId_t paged_by;
struct task *paged_children[2];
L4_Word32_t *paged_frame, *paged_second;
L4_Word_t paged_memory;

void (*volatile paged_answer)(const struct paged_fault *fault);

void paged_item(L4_Word_t base, L4_Word_t kind, L4_Word_t fpage) {
    L4_LoadMR(0, L4_MakeMsgTag(0, 0, 2).raw);
    L4_LoadMR(1, (base & ~0x3ffu) | kind);
    L4_LoadMR(2, fpage);
}

L4_Word_t paged_page(const void *at, L4_Word_t rights) {
    return L4_FpageLog2((L4_Word_t)(uintptr_t)at, FRAME_LOG2).raw | rights;
}

/* The usual answer: the frame, all rights. */
void paged_give_frame(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page(paged_frame, L4_FullyAccessible));
}

void paged_give_block(const struct paged_fault *fault) {
    paged_item(fault->address & ~(FRAMES_BLOCK_SIZE - 1), L4_ITEM_MAP,
               L4_FpageLog2(paged_memory, FRAMES_BLOCK_LOG2).raw | L4_FullyAccessible);
}

static bool is_place(L4_Word_t address) {
    return address - PAGED_LOW < PAGED_SIZE || address - PAGED_HIGH < PAGED_SIZE ||
           address - (L4_Word_t)(uintptr_t)paged_frame < FRAME_SIZE;
}

/* Loads the answer; false: there is none to this message. */
bool paged_serve(L4_MsgTag_t tag, L4_ThreadId_t from) {
    struct paged_fault fault = {.from = from.raw, .label = L4_Label(tag)};
    L4_StoreMR(1, &fault.address);
    L4_StoreMR(2, &fault.ip);
    L4_StoreMRs(3, 2, fault.rest);
    if ((fault.label & (L4_LABEL(-1) | 8)) != L4_LABEL_PAGEFAULT || L4_UntypedWords(tag) != 2) {
        return false;
    }
    if (!is_place(fault.address)) { /* the child's own */
        for (unsigned i = 0; i < 2; i++) {
            if (paged_children[i] != NULL && paged_children[i]->id.raw == from.raw) {
                return task_fault(paged_children[i], tag, fault.address);
            }
        }
        return false;
    }
    if (paged_faults == PAGED_SEEN) {
        return false;
    }
    paged_seen[paged_faults] = fault;
    paged_faults++;
    paged_answer(&fault);
    return true;
}

void paged_pager(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        tag = paged_serve(tag, from) ? L4_ReplyWait(from, &from) : L4_Wait(&from);
    }
}

/* A pager by one call after the other: it waits for the thread that it has answered. */
void paged_calling_pager(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        tag = paged_serve(tag, from) ? L4_Call(from) : L4_Wait(&from);
    }
}

/* A pager with an answer, and then a wait, by system calls of their own. */
void paged_sending_pager(void) {
    L4_ThreadId_t from;
    for (;;) {
        L4_MsgTag_t tag = L4_Wait(&from);
        if (paged_serve(tag, from)) {
            (void)L4_Send(from);
        }
    }
}

/* Our own pages there, and the page tables. */
static void empty_places(void) {
    (void)L4_Flush(
        (L4_Fpage_t){.raw = L4_FpageLog2(PAGED_LOW, PAGED_LOG2).raw | L4_FullyAccessible});
    (void)L4_Flush(
        (L4_Fpage_t){.raw = L4_FpageLog2(PAGED_HIGH, PAGED_LOG2).raw | L4_FullyAccessible});
}

void paged_begin(void) {
    paged_faults = 0;
    paged_answer = paged_give_frame;
    paged_children[0] = paged_children[1] = NULL;
    paged_frame = frame_alloc();
    empty_places();
}

bool paged_start(void (*body)(void), L4_Word_t priority) {
    L4_ThreadId_t id = worker_start(body, priority);
    paged_by = id;
    return id.raw != 0;
}

/* A child whose pager is that, and which has all it needs itself. */
struct task *paged_child(unsigned n) {
    struct task *child = child_new();
    if (child == NULL || child_read(child, child_kip(child)) != L4_KIP_MAGIC ||
        L4_ThreadControl(child->id, child->id, L4_nilthread, paged_by, (void *)~(uintptr_t)0) !=
            1) {
        return NULL;
    }
    paged_children[n] = child;
    return child_read(child, child_kip(child)) == L4_KIP_MAGIC ? child : NULL;
}

/* Takes back all that was given of the frame. */
void paged_end(void) {
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = paged_page(paged_frame, L4_FullyAccessible)});
    empty_places();
    frame_free(paged_frame);
}

struct task *paged_usual(void) {
    paged_begin();
    if (paged_frame == NULL || !paged_start(paged_pager, TEST_PRIORITY)) {
        return NULL;
    }
    struct task *child = paged_child(0);
    paged_frame[0] = 0x1234;
    paged_frame[1] = 0x5678;
    if (child == NULL || child_read(child, PAGED_LOW + PAGED_TABLE) != 0x1234 ||
        child_read(child, PAGED_HIGH + PAGED_TABLE) != 0x1234 || paged_faults != 2) {
        return NULL;
    }
    paged_faults = 0;
    return child;
}

bool paged_was(unsigned n, const struct task *child, L4_Word_t address, L4_Word_t access) {
    TRY(n < paged_faults);
    TRY(paged_seen[n].from == child->id.raw);
    TRY(paged_seen[n].label == (L4_LABEL_PAGEFAULT | access));
    TRY(paged_seen[n].address == address);
    return true;
}
