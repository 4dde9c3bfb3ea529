/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to page faults. Of every one that differs in one thing from the usual, a map item of 4 KB
 * of memory, the same has to come by the short way (arch/arm/fault_path.S) as by the long one.
 */
#include "paged.h"

/* ---- the answer ---- */

/* Answers the first fault in another way, all further ones as usual. */
static void (*first_answer)(const struct paged_fault *fault);

static void first_other(const struct paged_fault *fault) {
    (paged_faults == 1 ? first_answer : paged_give_frame)(fault);
}

static void nothing(const struct paged_fault *fault) {
    (void)fault;
    L4_LoadMR(0, 0);
}

static void read_only(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page(paged_frame, L4_Readable));
}

static void write_only(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page(paged_frame, L4_Writable));
}

static void no_rights(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page(paged_frame, 0));
}

static void elsewhere(const struct paged_fault *fault) {
    paged_item(fault->address + FRAME_SIZE, L4_ITEM_MAP,
               paged_page(paged_frame, L4_FullyAccessible));
}

static void not_mapped(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, L4_FpageLog2(0x40000000, 12).raw | L4_FullyAccessible);
}

static void no_table(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page((void *)0x10000000, L4_FullyAccessible));
}

static void kernels(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page((void *)UTCB_WORD, L4_FullyAccessible));
}

static void own_utcb(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page(L4_MyUtcb(), L4_FullyAccessible));
}

static void nil_fpage(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, 0);
}

static void to_kernel(const struct paged_fault *fault) {
    (void)fault;
    paged_item(UTCB_WORD, L4_ITEM_MAP, paged_page(paged_second, L4_FullyAccessible));
}

static void to_kip(const struct paged_fault *fault) {
    (void)fault;
    paged_item(child_kip(paged_children[0]), L4_ITEM_MAP,
               paged_page(paged_second, L4_FullyAccessible));
}

static void to_utcb(const struct paged_fault *fault) {
    (void)fault;
    paged_item(paged_children[0]->utcbs, L4_ITEM_MAP, paged_page(paged_second, L4_FullyAccessible));
}

static void bad_item(const struct paged_fault *fault) {
    paged_item(fault->address, 0xc, paged_page(paged_second, L4_FullyAccessible));
}

/* Answers that do not help: the same fault comes again, and the usual answer does. */
static void useless(void) {
    NEEDS_PROTECTION;
    static void (*const answers[])(const struct paged_fault *) = {
        nothing, read_only, write_only, no_rights, elsewhere, not_mapped, no_table,
        kernels, own_utcb,  nil_fpage,  to_kernel, to_kip,    to_utcb,    bad_item,
    };
    struct task *child = paged_usual();
    CHECK(child != NULL);
    paged_second = frame_alloc();
    CHECK(paged_second != NULL);
    for (unsigned i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        L4_Word_t va = (i % 2 != 0 ? PAGED_LOW : PAGED_HIGH) + i * 0x10000;
        first_answer = answers[i];
        paged_answer = first_other;
        paged_faults = 0;
        paged_frame[0] = 0x1234;
        CHECK(child_write(child, va + 8, i));
        EQUAL(paged_faults, 2);
        CHECK(paged_was(0, child, va + 8, L4_Writable));
        CHECK(paged_was(1, child, va + 8, L4_Writable));
        EQUAL(paged_seen[0].ip, paged_seen[1].ip);
        EQUAL(child_read(child, va), 0x1234);
        EQUAL(child_read(child, child_kip(child)), L4_KIP_MAGIC);
        EQUAL(paged_frame[2], i);
    }
    frame_free(paged_second);
    paged_end();
}

/* Read is enough for reading, a later write faults; then more rights come to the same page. */
static void more_rights(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    paged_answer = read_only;
    EQUAL(child_read(child, PAGED_LOW), 0x1234);
    EQUAL(paged_faults, 1);
    paged_answer = paged_give_frame;
    CHECK(child_write(child, PAGED_LOW + 4, 0x99));
    EQUAL(paged_faults, 2);
    CHECK(paged_was(1, child, PAGED_LOW + 4, L4_Writable));
    EQUAL(child_read(child, PAGED_LOW + 4), 0x99);
    EQUAL(paged_frame[1], 0x99);
    paged_end();
}

/* Another page in the place of one that was there for reading. */
static void give_second(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page(paged_second, L4_FullyAccessible));
}

static void replaced(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    paged_second = frame_alloc();
    CHECK(paged_second != NULL);
    paged_second[0] = 0x4321;
    paged_answer = read_only;
    EQUAL(child_read(child, PAGED_HIGH), 0x1234);
    paged_answer = give_second;
    CHECK(child_write(child, PAGED_HIGH + 4, 0x99));
    EQUAL(paged_faults, 2);
    EQUAL(child_read(child, PAGED_HIGH), 0x4321);
    EQUAL(paged_second[1], 0x99);
    EQUAL(paged_frame[1], 0x5678);
    /* The first one's node is gone: taking it back leaves the second where it is. */
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = paged_page(paged_frame, L4_FullyAccessible)});
    EQUAL(child_read(child, PAGED_HIGH), 0x4321);
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = paged_page(paged_second, L4_FullyAccessible)});
    CHECK(paged_faults == 2);
    paged_answer = paged_give_frame;
    EQUAL(child_read(child, PAGED_HIGH), 0x1234);
    EQUAL(paged_faults, 3);
    frame_free(paged_second);
    paged_end();
}

/* The page in question out of the block of 64 KB that is also given as a whole. */
static void give_of_block(const struct paged_fault *fault) {
    L4_Word_t offset = fault->address & (FRAMES_BLOCK_SIZE - 1);
    paged_item(
        fault->address, L4_ITEM_MAP,
        paged_page((void *)(paged_memory + (offset & ~(FRAME_SIZE - 1))), L4_FullyAccessible));
}

static void blocks(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    paged_memory = (L4_Word_t)(uintptr_t)frames_block();
    for (L4_Word_t i = 0; i < FRAMES_BLOCK_SIZE; i += FRAME_SIZE) {
        *(volatile L4_Word32_t *)(uintptr_t)(paged_memory + i) = (L4_Word32_t)(0xb0000000 | i);
    }
    paged_answer = paged_give_block;
    for (L4_Word_t i = 0; i < FRAMES_BLOCK_SIZE; i += FRAME_SIZE) {
        EQUAL(child_read(child, PAGED_LOW + i), 0xb0000000 | i);
    }
    EQUAL(paged_faults, 1);
    paged_answer = give_of_block;
    for (L4_Word_t i = 0; i < FRAMES_BLOCK_SIZE; i += FRAME_SIZE) {
        volatile L4_Word32_t *at = (volatile L4_Word32_t *)(uintptr_t)(paged_memory + i);
        *at = *at + 0x1000000; /* in our cache, where it was */
        EQUAL(child_read(child, PAGED_HIGH + i), 0xb1000000 | i);
    }
    EQUAL(paged_faults, 17);
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = L4_FpageLog2(paged_memory, FRAMES_BLOCK_LOG2).raw |
                                            L4_FullyAccessible});
    paged_answer = paged_give_frame;
    EQUAL(child_read(child, PAGED_LOW), 0x1234);
    EQUAL(child_read(child, PAGED_HIGH + 0xf000), 0x1234);
    EQUAL(paged_faults, 19);
    paged_end();
}

/* ---- a pager in another space than ours, which says whatever we want ---- */

#define WAITS {.from = L4_anythread.raw, .num_buffers = 1}

/* The child reads or writes `va`, and `by`, its pager, has got the message. */
static bool fault_told(struct task *child, L4_Word_t operation, L4_Word_t va, struct task *by) {
    const struct child_ipc wait = WAITS;
    const L4_Word_t arguments[2] = {va, 0x99};
    TRY(child_ipc(by, &wait));
    TRY(child_send(child, operation, 2, arguments));
    struct outcome told = child_wait(by);
    TRY(told.kind == OUTCOME_DONE && told.words[0] == 0);
    TRY(told.words[2] == child->id.raw && told.words[5] == va);
    TRY((told.words[1] >> 16 & 7) == (operation == CHILD_READ ? L4_Readable : L4_Writable));
    return true;
}

/* `by` sends these words, and waits for anybody. */
static bool says(struct task *by, struct task *to, unsigned n, const L4_Word_t *words) {
    struct child_ipc reply = WAITS;
    reply.to = to->id.raw;
    reply.num_words = n;
    memcpy(reply.words, words, n * sizeof *words);
    return child_ipc(by, &reply);
}

/* Ends that wait. */
static bool release(struct task *by) {
    L4_Set_MsgTag(L4_MakeMsgTag(1, 0, 0));
    TRY(error_of(L4_Send_Timeout(by->id, PATIENCE)) == 0);
    TRY(child_wait(by).kind == OUTCOME_DONE);
    return true;
}

/* It answers, and the child has read that. */
static bool answered(struct task *by, struct task *child, unsigned n, const L4_Word_t *words,
                     L4_Word_t read) {
    TRY(says(by, child, n, words));
    struct outcome done = child_wait(child);
    TRY(done.kind == OUTCOME_DONE);
    TRY(done.words[0] == read);
    return release(by);
}

#define PAGER_PAGE 0x00300000u

/* A child that is to be a pager, with two pages of its own; and one that has it as its pager. */
static struct task *pager_child(void) {
    struct task *by = child_new();
    if (by == NULL || task_add_page(by, PAGER_PAGE, NULL, L4_FullyAccessible) == NULL ||
        task_add_page(by, PAGER_PAGE + FRAME_SIZE, NULL, L4_FullyAccessible) == NULL ||
        !child_write(by, PAGER_PAGE, 0x1111) || !child_write(by, PAGER_PAGE + FRAME_SIZE, 0x2222) ||
        child_read(by, child_kip(by)) != L4_KIP_MAGIC) {
        return NULL;
    }
    return by;
}

static struct task *child_of(struct task *by) {
    struct task *child = child_new();
    if (child == NULL || child_read(child, child_kip(child)) != L4_KIP_MAGIC ||
        task_add_page(child, PAGED_LOW + PAGED_TABLE, NULL, L4_Readable) == NULL ||
        child_read(child, PAGED_LOW + PAGED_TABLE) != 0 ||
        child_do(child, CHILD_WRITE, child->utcbs + 0x40, 0, 0, 0).kind != OUTCOME_DONE ||
        L4_ThreadControl(child->id, child->id, L4_nilthread, by->id, (void *)~(uintptr_t)0) != 1) {
        return NULL;
    }
    return child;
}

#define ITEM(va, kind)             (((va) & ~0x3ffu) | (kind))
#define OWN_PAGE(n, rights)        paged_page((void *)(PAGER_PAGE + (n) * FRAME_SIZE), rights)
#define TAG(label, untyped, typed) L4_MakeMsgTag(label, untyped, typed).raw
#define STRING_ITEM(words)         ((words) * 4 << 10)

static void between_children(void) {
    NEEDS_PROTECTION;
    struct task *by = pager_child();
    CHECK(by != NULL);
    struct task *child = child_of(by);
    CHECK(child != NULL);
    /* One item, another label. */
    const L4_Word_t one[] = {TAG(0x77, 0, 2), ITEM(PAGED_LOW, L4_ITEM_MAP), OWN_PAGE(0, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_LOW, by));
    CHECK(answered(by, child, 3, one, 0x1111));
    /* Two items: both pages are there. */
    const L4_Word_t two[] = {TAG(0, 0, 4), ITEM(PAGED_LOW + FRAME_SIZE, L4_ITEM_MAP | 1),
                             OWN_PAGE(0, 7), ITEM(PAGED_LOW + 2 * FRAME_SIZE, L4_ITEM_MAP),
                             OWN_PAGE(1, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_LOW + FRAME_SIZE, by));
    CHECK(answered(by, child, 5, two, 0x1111));
    EQUAL(child_read(child, PAGED_LOW + 2 * FRAME_SIZE), 0x2222);
    /* Words before the item. */
    const L4_Word_t words[] = {TAG(0, 2, 2), 0x55, 0x66, ITEM(PAGED_HIGH, L4_ITEM_MAP),
                               OWN_PAGE(1, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_HIGH, by));
    CHECK(answered(by, child, 5, words, 0x2222));
    /* A string before it, which goes nowhere. */
    const L4_Word_t string[] = {TAG(0, 0, 4), STRING_ITEM(4), PAGER_PAGE,
                                ITEM(PAGED_HIGH + FRAME_SIZE, L4_ITEM_MAP), OWN_PAGE(0, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_HIGH + FRAME_SIZE, by));
    CHECK(answered(by, child, 5, string, 0x1111));
    /* "More follow" is said, and nothing does. */
    const L4_Word_t more[] = {TAG(0, 0, 2), ITEM(PAGED_HIGH + 2 * FRAME_SIZE, L4_ITEM_MAP | 1),
                              OWN_PAGE(1, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_HIGH + 2 * FRAME_SIZE, by));
    CHECK(answered(by, child, 3, more, 0x2222));
    /* What the pager had it gives back: all of these are gone. */
    EQUAL(child_do(by, CHILD_UNMAP, 1 | 0, OWN_PAGE(0, 7), 0, 0).kind, OUTCOME_DONE);
    EQUAL(child_do(by, CHILD_UNMAP, 0, OWN_PAGE(0, 7), 0, 0).kind, OUTCOME_DONE);
    CHECK(fault_told(child, CHILD_READ, PAGED_LOW, by));
    CHECK(answered(by, child, 3, one, 0x1111));
}

/* Pages out of a block that we have as a whole, awake and dirty in our cache. */
static void of_block(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    paged_memory = (L4_Word_t)(uintptr_t)frames_block();
    (void)L4_Flush((L4_Fpage_t){.raw = L4_FpageLog2(paged_memory, FRAMES_BLOCK_LOG2).raw |
                                       L4_FullyAccessible});
    EQUAL(L4_Address(L4_Sigma0_GetPage(
              L4_nilthread, (L4_Fpage_t){.raw = L4_FpageLog2(paged_memory, FRAMES_BLOCK_LOG2).raw |
                                                L4_FullyAccessible})),
          paged_memory);
    paged_answer = give_of_block;
    for (L4_Word_t i = 0; i < FRAMES_BLOCK_SIZE; i += FRAME_SIZE) {
        volatile L4_Word32_t *at = (volatile L4_Word32_t *)(uintptr_t)(paged_memory + i);
        *at = *at + 1;
        *at = (L4_Word32_t)(0xd0000000 | i);
        EQUAL(child_read(child, PAGED_LOW + i), 0xd0000000 | i);
        EQUAL(paged_faults, i / FRAME_SIZE + 1);
    }
    paged_end();
}

/* Granted: it is the child's alone then. */
static void granted(void) {
    NEEDS_PROTECTION;
    struct task *by = pager_child();
    CHECK(by != NULL);
    struct task *child = child_of(by);
    CHECK(child != NULL);
    const L4_Word_t grant[] = {TAG(0, 0, 2), ITEM(PAGED_LOW, L4_ITEM_GRANT), OWN_PAGE(0, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_LOW, by));
    CHECK(answered(by, child, 3, grant, 0x1111));
    /* The pager has nothing there that it could take back. */
    EQUAL(child_do(by, CHILD_UNMAP, 0, OWN_PAGE(0, 7), 0, 0).kind, OUTCOME_DONE);
    EQUAL(child_read(child, PAGED_LOW), 0x1111);
    CHECK(child_write(child, PAGED_LOW, 0x3333));
    EQUAL(child_read(child, PAGED_LOW), 0x3333);
}

/* The pager has less right than it gives, and then nothing any more. */
static void poor_pager(void) {
    NEEDS_PROTECTION;
    struct task *by = child_new();
    CHECK(by != NULL);
    uint8_t *page = task_add_page(by, PAGER_PAGE, NULL, L4_Readable);
    CHECK(page != NULL);
    *(volatile L4_Word32_t *)(void *)page = 0x1111;
    EQUAL(child_read(by, PAGER_PAGE), 0x1111);
    struct task *child = child_of(by);
    CHECK(child != NULL);
    const L4_Word_t all[] = {TAG(0, 0, 2), ITEM(PAGED_LOW, L4_ITEM_MAP), OWN_PAGE(0, 7)};
    CHECK(fault_told(child, CHILD_READ, PAGED_LOW, by));
    CHECK(answered(by, child, 3, all, 0x1111));
    /* Writing is not in it; twice told, as the answer does not help. */
    const L4_Word_t write[2] = {PAGED_LOW, 0x44};
    const struct child_ipc wait = WAITS;
    CHECK(child_ipc(by, &wait));
    CHECK(child_send(child, CHILD_WRITE, 2, write));
    struct outcome told = child_wait(by);
    EQUAL(told.words[5], PAGED_LOW);
    EQUAL(told.words[1] >> 16 & 7, L4_Writable);
    CHECK(says(by, child, 3, all));
    told = child_wait(by);
    EQUAL(told.kind, OUTCOME_DONE);
    EQUAL(told.words[5], PAGED_LOW);
    EQUAL(told.words[1] >> 16 & 7, L4_Writable);
    /* Taken from the pager and so from the child; what the pager says then is worth nothing. */
    (void)task_remove_page(by, PAGER_PAGE);
    CHECK(says(by, child, 3, all));
    told = child_wait(by);
    EQUAL(told.kind, OUTCOME_DONE);
    EQUAL(told.words[5], PAGED_LOW);
    EQUAL(*(volatile L4_Word32_t *)(void *)page, 0x1111);
    frame_free(page);
}

const struct test answer_tests[] = {
    {"answer_useless", useless},
    {"answer_more_rights", more_rights},
    {"answer_replaced", replaced},
    {"answer_blocks", blocks},
    {"answer_of_block", of_block},
    {"answer_between_children", between_children},
    {"answer_granted", granted},
    {"answer_poor_pager", poor_pager},
    {NULL, NULL},
};
