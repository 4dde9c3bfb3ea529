/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More spaces than there are domains, in random order: each sees its own memory and nothing else.
 *
 * A model of what every space should hold (a seed a page) stands beside; each step lets a random
 * child check or change a random one of its pages.
 */
#include "test.h"

#define SPACES 24u /* there are 15 domains for spaces */
#define PAGES  3u
#define STEPS  400u
#define WORDS  256u

#define PAGED_AT  0x00040000u
#define SLOT_LOG2 25

static struct task *child[SPACES];
static L4_Word_t seed[SPACES][PAGES];

static bool make_children(void) {
    for (unsigned i = 0; i < SPACES; i++) {
        child[i] = child_new();
        TRY(child[i] != NULL);
    }
    return true;
}

/* Is the program told to leave the address alone? The later of two descriptors counts. */
static bool is_reserved(L4_Word_t va) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    bool reserved = false;
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (L4_IsMemoryDescVirtual(d) &&
            va - L4_MemoryDescLow(d) <= L4_MemoryDescHigh(d) - L4_MemoryDescLow(d)) {
            reserved = L4_MemoryDescType(d) == L4_ReservedMemoryType;
        }
    }
    return reserved;
}

/* The end of the slots that low memory may be relocated to; 0: there are none. */
static L4_Word_t slots_end(void) {
    L4_Word_t end = SLOTS_END >> SLOT_LOG2;
    while (end > 0 && !is_reserved((end - 1) << SLOT_LOG2)) {
        end--;
    }
    return end;
}

/* Where the child's slot begins, in which its low memory, its KIP too, has a second name; 0: it has
 * none. */
static L4_Word_t slot_of(struct task *one) {
    for (L4_Word_t slot = slots_end(); slot-- > 1;) {
        L4_Word_t at = slot << SLOT_LOG2;
        struct outcome o = child_do(one, CHILD_READ, at | TASK_KIP, 0, 0, 0);
        if (o.kind == OUTCOME_DONE) {
            return at;
        }
        if (!child_forgive(one, &o)) {
            return 0;
        }
    }
    return 0;
}

/* The child has a new page before it touches it. */
static bool add_mapped_page(struct task *one, L4_Word_t va, L4_Word_t rights) {
    uint8_t *frame = task_add_page(one, va, NULL, rights);
    TRY(frame != NULL);
    L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(fpage, rights), va));
    return child_map(one, &msg);
}

/*
 * The child has a new page from its first fault on; or at once where it may be in its own slot: the
 * processor finds low memory there, and its fault is one of low memory. Which slots children have
 * depends on the processor (the highest below 80000000, or FE000000) and on who else there is.
 */
static bool add_page(struct task *one, L4_Word_t va) {
    if (is_reserved(va)) {
        return add_mapped_page(one, va, L4_FullyAccessible);
    }
    return task_add_page(one, va, NULL, L4_FullyAccessible) != NULL;
}

/* Gives each child a page at each of the addresses and fills it. */
static bool make_pages(const L4_Word_t addresses[PAGES]) {
    for (unsigned i = 0; i < SPACES; i++) {
        for (unsigned p = 0; p < PAGES; p++) {
            seed[i][p] = i << 8 | p;
            TRY(add_page(child[i], addresses[p]));
            TRY(child_fill(child[i], addresses[p], WORDS, seed[i][p]));
        }
    }
    return true;
}

static bool interleave(const L4_Word_t addresses[PAGES], unsigned steps) {
    for (unsigned step = 0; step < steps; step++) {
        L4_Word_t r = random_word();
        unsigned i = r % SPACES;
        unsigned p = (r >> 8) % PAGES;
        TRY(child_holds(child[i], addresses[p], WORDS, seed[i][p]));
        if ((r >> 16 & 1) != 0) {
            seed[i][p] = r >> 17;
            TRY(child_fill(child[i], addresses[p], WORDS, seed[i][p]));
        }
    }
    for (unsigned i = 0; i < SPACES; i++) {
        for (unsigned p = 0; p < PAGES; p++) {
            TRY(child_holds(child[i], addresses[p], WORDS, seed[i][p]));
        }
    }
    return true;
}

static void low(void) {
    static const L4_Word_t addresses[PAGES] = {0x00040000, 0x00041000, 0x01fff000};
    CHECK(make_children() && make_pages(addresses) && interleave(addresses, STEPS));
}

static void high(void) {
    static const L4_Word_t addresses[PAGES] = {0x80000000, 0x80055000,
                                               L4_ROOT_UTCB_AREA & 0xff000000};
    CHECK(make_children() && make_pages(addresses) && interleave(addresses, STEPS / 2));
}

/* Where low pages of two of the children are relocated to: others collide with them there, and each
 * of the two has its page at that address and no other. */
static void others_slots(void) {
    L4_Word_t addresses[PAGES] = {PAGED_AT, 0x04000000 | PAGED_AT, 0x16000000 | PAGED_AT};
    CHECK(make_children());
    for (unsigned p = 1; p < PAGES && slots_end() != 0; p++) {
        L4_Word_t slot = slot_of(child[p * SPACES / PAGES]);
        CHECK(slot != 0);
        addresses[p] = slot | PAGED_AT;
    }
    CHECK(make_pages(addresses) && interleave(addresses, STEPS / 2));
}

/* One space with a page at the same offset in 64 slots, which it is driven out of one by one. */
static void own_slot(void) {
    enum { SLOTS = 64 };
    struct task *one = child_new();
    struct task *other = child_new();
    CHECK(one != NULL && other != NULL);
    CHECK(task_add_page(other, PAGED_AT, NULL, L4_FullyAccessible) != NULL);
    CHECK(child_fill(other, PAGED_AT, 16, 0x99));
    L4_Word_t end = slots_end() != 0 ? slots_end() : SLOTS;
    for (L4_Word_t slot = end; slot-- > end - SLOTS;) {
        L4_Word_t va = slot << SLOT_LOG2 | PAGED_AT;
        CHECK(add_mapped_page(one, va, L4_ReadWriteOnly));
        CHECK(child_fill(one, va, 16, slot));
    }
    for (L4_Word_t slot = end - SLOTS; slot < end; slot++) {
        CHECK(child_holds(one, slot << SLOT_LOG2 | PAGED_AT, 16, slot));
        CHECK(child_holds(other, PAGED_AT, 16, 0x99));
    }
}

/*
 * Two spaces have a page together, one of them as low memory of its slot, which is where the other
 * has it: the caches know it by one address. Then the slot is another one.
 */
static void page_in_anothers_slot(void) {
    struct task *one = child_new();
    struct task *other = child_new();
    CHECK(one != NULL && other != NULL);
    L4_Word_t slot = slot_of(one), there = slot | PAGED_AT;
    if (slot == 0) {
        test_skip("low memory is not relocated");
        return;
    }
    CHECK(task_add_page(one, PAGED_AT, NULL, L4_FullyAccessible) != NULL);
    CHECK(child_write(one, PAGED_AT, 1));
    L4_Fpage_t fpage = L4_FpageLog2(PAGED_AT, FRAME_LOG2);
    CHECK(child_transfer(one, L4_FpageAddRights(fpage, L4_FullyAccessible).raw, there, L4_ITEM_MAP,
                         other, L4_CompleteAddressSpace.raw));
    for (L4_Word_t i = 2; i < 20; i += 2) {
        if (i == 10) { /* in another megabyte of the slot */
            CHECK(add_mapped_page(one, slot | 0x01000000, L4_ReadWriteOnly));
        }
        CHECK(child_write(other, there, i));
        EQUAL(child_read(one, PAGED_AT), i);
        CHECK(child_write(one, PAGED_AT, i + 1));
        EQUAL(child_read(other, there), i + 1);
    }
}

/* Different code at the same address, which changes now and then: no stale instruction runs. */
static void code(void) {
    static const L4_Word_t places[2] = {0x00050000, 0x90000000};
    CHECK(make_children());
    for (unsigned i = 0; i < SPACES; i++) {
        for (unsigned p = 0; p < 2; p++) {
            seed[i][p] = i * 2 + p;
            uint8_t *frame = task_add_page(child[i], places[p], NULL, L4_ReadeXecOnly);
            CHECK(frame != NULL);
            put_function(frame, seed[i][p]);
        }
    }
    for (unsigned step = 0; step < STEPS; step++) {
        L4_Word_t r = random_word();
        unsigned i = r % SPACES;
        unsigned p = r >> 8 & 1;
        EQUAL(child_execute(child[i], places[p]), seed[i][p]);
        if ((r >> 16 & 3) == 0) {
            uint8_t *frame = task_remove_page(child[i], places[p]);
            seed[i][p] = r >> 20 & 0xff;
            put_function(frame, seed[i][p]);
            CHECK(task_add_page(child[i], places[p], frame, L4_ReadeXecOnly) != NULL);
            EQUAL(child_execute(child[i], places[p]), seed[i][p]);
        }
    }
}

/* Code that a child writes itself, at one address, and runs at another; or after a round trip. */
static void written_code(void) {
    struct task *writer = child_new();
    struct task *runner = child_new();
    CHECK(writer != NULL && runner != NULL);
    uint8_t *frame = task_add_page(writer, 0x00060000, NULL, L4_FullyAccessible);
    CHECK(frame != NULL);
    for (L4_Word_t i = 0; i < 6; i++) {
        const code_t code[] = CODE_FUNCTION(i);
        CHECK(child_write(writer, 0x00060004, code[1]));
        CHECK(child_write(writer, 0x00060000, code[0]));
        CHECK(task_remove_page(writer, 0x00060000) == frame);
        CHECK(task_add_page(runner, 0x00050000, frame, L4_ReadeXecOnly) != NULL);
        EQUAL(child_execute(runner, 0x00050000), i);
        CHECK(task_remove_page(runner, 0x00050000) == frame);
        CHECK(task_add_page(writer, 0x00060000, frame, L4_FullyAccessible) != NULL);
        EQUAL(child_execute(writer, 0x00060000), i);
    }
}

/* Frames wander from space to space with their contents. */
static void wandering_frames(void) {
    CHECK(make_children());
    for (unsigned i = 0; i < SPACES; i++) {
        seed[i][0] = 100 + i;
        CHECK(task_add_page(child[i], 0x00040000, NULL, L4_ReadWriteOnly) != NULL);
        CHECK(child_fill(child[i], 0x00040000, WORDS, seed[i][0]));
    }
    for (unsigned step = 0; step < STEPS / 4; step++) {
        unsigned i = random_word() % SPACES;
        unsigned j = random_word() % SPACES;
        if (i == j) {
            continue;
        }
        uint8_t *a = task_remove_page(child[i], 0x00040000);
        uint8_t *b = task_remove_page(child[j], 0x00040000);
        CHECK(task_add_page(child[i], 0x00040000, b, L4_ReadWriteOnly) != NULL);
        CHECK(task_add_page(child[j], 0x00040000, a, L4_ReadWriteOnly) != NULL);
        L4_Word_t swapped = seed[i][0];
        seed[i][0] = seed[j][0];
        seed[j][0] = swapped;
        CHECK(child_holds(child[i], 0x00040000, WORDS, seed[i][0]));
        seed[i][0] = random_word() & 0xffff;
        CHECK(child_fill(child[i], 0x00040000, WORDS, seed[i][0]));
        CHECK(child_holds(child[j], 0x00040000, WORDS, seed[j][0]));
    }
}

/* Spaces come and go at random among those that stay. */
static void churn(void) {
    static const L4_Word_t addresses[PAGES] = {0x00040000, 0x80000000, 0x06040000};
    CHECK(make_children() && make_pages(addresses));
    for (unsigned step = 0; step < STEPS / 4; step++) {
        unsigned i = random_word() % SPACES;
        child_delete(child[i]);
        child[i] = child_new();
        CHECK(child[i] != NULL);
        for (unsigned p = 0; p < PAGES; p++) {
            seed[i][p] = random_word() & 0xffff;
            CHECK(add_page(child[i], addresses[p]));
            EQUAL(child_read(child[i], addresses[p]), 0);
            CHECK(child_fill(child[i], addresses[p], WORDS, seed[i][p]));
        }
        unsigned j = random_word() % SPACES;
        for (unsigned p = 0; p < PAGES; p++) {
            CHECK(child_holds(child[j], addresses[p], WORDS, seed[j][p]));
        }
    }
}

/* Low memory has no second name at an address that is not reserved: there nothing is. */
static void second_names(void) {
    struct task *one = child_new();
    CHECK(one != NULL && !is_reserved(PAGED_AT));
    CHECK(task_add_page(one, PAGED_AT, NULL, L4_FullyAccessible) != NULL);
    CHECK(child_fill(one, PAGED_AT, WORDS, 7));
    for (L4_Word_t slot = 1; slot < SLOTS_END >> SLOT_LOG2; slot++) {
        L4_Word_t va = slot << SLOT_LOG2 | PAGED_AT;
        if (is_reserved(va)) {
            continue;
        }
        struct outcome o = child_do(one, CHILD_READ, va, 0, 0, 0);
        FAIL_IF(o.kind != OUTCOME_FAULT, "an address where nothing is", va, o.words[0]);
        CHECK(child_forgive(one, &o));
    }
    /* And where one of its own is found at an address that is, it is its own. */
    for (L4_Word_t slot = 1; slot < SLOTS_END >> SLOT_LOG2; slot++) {
        L4_Word_t va = slot << SLOT_LOG2 | PAGED_AT;
        if (!is_reserved(va)) {
            continue;
        }
        struct outcome o = child_do(one, CHILD_READ, va, 0, 0, 0);
        if (o.kind == OUTCOME_DONE) {
            EQUAL(o.words[0], child_read(one, PAGED_AT));
        } else {
            CHECK(child_forgive(one, &o));
        }
    }
}

const struct test isolation_tests[] = {
    {"isolation_second_names", second_names},
    {"isolation_low", low},
    {"isolation_high", high},
    {"isolation_others_slots", others_slots},
    {"isolation_own_slot", own_slot},
    {"isolation_page_in_anothers_slot", page_in_anothers_slot},
    {"isolation_code", code},
    {"isolation_written_code", written_code},
    {"isolation_wandering_frames", wandering_frames},
    {"isolation_churn", churn},
    {NULL, NULL},
};
