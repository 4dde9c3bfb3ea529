/* SPDX-License-Identifier: Apache-2.0 */
/* Small spaces: who gets which part of the area, and what becomes of a part when it changes hands.
 */
#include "small_child.h"

#define TABLE 0x00400000u /* what a page table maps */

/* Each of many children has a part of its own, and they do not see each other. */
static void assigned(void) {
    NEEDS_SMALL_SPACES;
    enum { N = 12 };
    struct task *child[N];
    L4_Word_t numbers[N];
    for (unsigned i = 0; i < N; i++) {
        child[i] = child_small();
        CHECK(child[i] != NULL && filled_page(child[i], INSIDE, i) != NULL);
        numbers[i] = number_of(child[i]);
        EQUAL(numbers[i] & 1, 1); /* the least size */
        for (unsigned k = 0; k < i; k++) {
            CHECK(numbers[k] != numbers[i]);
        }
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++) {
            CHECK(child_holds(child[i], INSIDE, 64, i + round * N));
            CHECK(child_fill(child[i], INSIDE, 64, i + (round + 1) * N));
            EQUAL(number_of(child[i]), numbers[i]);
        }
    }
}

/* By number: sizes and places, what is taken, what is too small, and large. */
static void by_number(void) {
    struct task *a = child_new();
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    if (!set_number(a, L4_SmallSpace(256, 16))) {
        test_skip("no small spaces");
        return;
    }
    EQUAL(number_of(a), L4_SmallSpace(256, 16));
    CHECK(filled_page(a, INSIDE, 1) != NULL && filled_page(b, INSIDE, 2) != NULL);
    CHECK(filled_page(a, 4 * least_limit() - FRAME_SIZE, 3) != NULL);
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(a, 4 * least_limit() - FRAME_SIZE, 64, 3));
    L4_Word_t was = number_of(b);
    CHECK(!set_number(b, L4_SmallSpace(256, 16)));
    CHECK(!set_number(b, L4_SmallSpace(256, 256)));
    CHECK(!set_number(b, L4_SmallSpace(260, 4)));
    EQUAL(number_of(b), was);
    L4_Word_t old = space_control(b, L4_SMALL_SPACE_SET | L4_SmallSpace(272, 4));
    EQUAL(old & (L4_SMALL_SPACE_DONE | L4_SMALL_SPACE_NUMBER), L4_SMALL_SPACE_DONE | was);
    CHECK(set_number(a, L4_SmallSpace(256, 8))); /* in what it has already */
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(b, INSIDE, 64, 2));
    CHECK(set_number(a, L4_LargeSpace));
    EQUAL(number_of(a), 0);
    CHECK(set_number(b, L4_SmallSpace(256, 256)));
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(b, INSIDE, 64, 2));
    struct task *high = child_new_at(least_limit() + 0x100000);
    CHECK(high != NULL);
    CHECK(!set_number(high, L4_SmallSpace(0x80, 4))); /* without its KIP */
    CHECK(set_number(high, L4_SmallSpace(0x80, 8)));
    EQUAL(child_do(high, CHILD_IDENTITY, 0, 0, 0, 0).words[2], least_limit() + 0x100000);
}

/* Where there is no room any more, programs are large, and there is room when others end. */
static void area_full(void) {
    NEEDS_SMALL_SPACES;
    struct task *any = child_new();
    CHECK(any != NULL);
    if (space_control(any, 0) >> L4_SMALL_SPACE_GROUP != 0) {
        test_skip("there are groups, and so other areas");
        return;
    }
    child_delete(any);
    struct task *holder[9];
    L4_Word_t size = 256, at = 0;
    for (unsigned i = 0; size >= 4; i++, at += size, size /= 2) {
        holder[i] = child_new();
        CHECK(holder[i] != NULL);
        (void)set_number(holder[i], L4_LargeSpace);
    }
    at = 0;
    size = 256;
    for (unsigned i = 0; size >= 4; i++) {
        CHECK(set_number(holder[i], L4_SmallSpace(at, size)));
        at += size;
        size /= 2;
    }
    struct task *last = child_new(); /* in the part that is left */
    struct task *large = child_new();
    CHECK(last != NULL && large != NULL);
    CHECK(number_of(last) != 0);
    EQUAL(number_of(large), 0);
    CHECK(filled_page(large, INSIDE, 1) != NULL && child_holds(large, INSIDE, 64, 1));
    child_delete(holder[0]);
    struct task *next = child_new();
    CHECK(next != NULL && number_of(next) != 0);
}

/* ---- a part changes hands ---- */

/* The part of one becomes another's, while many directories have its entries: neither sees what was
 * there. */
static void revoked(void) {
    NEEDS_SMALL_SPACES;
    enum { LARGE = 6 };
    struct task *large[LARGE];
    struct task *first = child_small();
    struct task *second = child_small();
    CHECK(first != NULL && second != NULL);
    CHECK(filled_page(first, INSIDE, 1) != NULL && filled_page(second, INSIDE, 2) != NULL);
    CHECK(filled_page(first, 0x00200000, 3) != NULL);
    CHECK(child_holds(first, INSIDE, 64, 1) && child_holds(first, 0x00200000, 64, 3));
    for (unsigned i = 0; i < LARGE; i++) {
        large[i] = child_new();
        CHECK(large[i] != NULL && set_number(large[i], L4_LargeSpace));
        CHECK(filled_page(large[i], INSIDE, 10 + i) != NULL);
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < LARGE;
             i++) { /* from a large one to a small one, its directory in force */
            struct child_ipc call = {
                .to = first->id.raw,
                .from = first->id.raw,
                .timeouts = L4_Timeouts(PATIENCE, PATIENCE),
                .num_buffers = 1,
                .num_words = 5,
                .words = {L4_MakeMsgTag(CHILD_LABEL, 4, 0).raw, CHILD_COMPARE, INSIDE, 64, 1}};
            CHECK(child_ipc(large[i], &call));
            struct outcome o = child_wait(large[i]);
            EQUAL(o.kind, OUTCOME_DONE);
            EQUAL(o.words[0], 0); /* no error */
            EQUAL(o.words[5], 0); /* no word differs */
            CHECK(child_holds(large[i], INSIDE, 64, 10 + i));
        }
        L4_Word_t a = number_of(first), b = number_of(second);
        CHECK(set_number(first, L4_LargeSpace) && set_number(second, a) && set_number(first, b));
        CHECK(child_denied(second, CHILD_READ, 0x00200000, L4_Readable));
        CHECK(child_holds(second, INSIDE, 64, 2) && child_holds(first, INSIDE, 64, 1));
        CHECK(child_holds(first, 0x00200000, 64, 3));
        CHECK(set_number(second, L4_LargeSpace)); /* its pages are not global any more */
        CHECK(child_holds(second, INSIDE, 64, 2) && child_holds(large[0], INSIDE, 64, 10));
        CHECK(set_number(second, a));
    }
    /* Of the directories that have entries one ends, and its frame is somebody else's. */
    child_delete(large[LARGE / 2]);
    CHECK(child_new() != NULL);
    L4_Word_t a = number_of(first);
    CHECK(child_holds(first, INSIDE, 64, 1) && child_holds(first, 0x00200000, 64, 3));
    CHECK(set_number(first, L4_LargeSpace) && set_number(second, a));
    CHECK(child_denied(second, CHILD_READ, 0x00200000, L4_Readable));
    CHECK(child_holds(second, INSIDE, 64, 2));
}

/*
 * A small space takes a page back from the large one under whose directory it runs: that one then
 * goes on without a load of CR3, and without the page.
 */
static void unmapped_while_shown(void) {
    NEEDS_SMALL_SPACES;
    enum { THERE = 0x00070000 };
    struct task *small = child_small();
    struct task *large = child_new();
    CHECK(small != NULL && large != NULL && set_number(large, L4_LargeSpace));
    CHECK(filled_page(small, INSIDE, 1) != NULL && child_holds(small, INSIDE, 64, 1));
    L4_Word_t fpage = L4_FpageAddRights(L4_FpageLog2(INSIDE, FRAME_LOG2), L4_FullyAccessible).raw;
    CHECK(child_transfer(small, fpage, THERE, L4_ITEM_MAP, large, L4_CompleteAddressSpace.raw));
    EQUAL(child_read(large, THERE), CHILD_PATTERN(1, 0));
    L4_Word_t ipc = child_kip(large) + L4_GetKernelInterface()->Ipc;
    struct outcome o =
        EXECUTE(large, 0x55, 0xa1, WORD(THERE), /* pushl %ebp; movl THERE, %eax */
                0xc7, 0x05, WORD(TASK_UTCBS + L4_UTCB_MR + 4), WORD(CHILD_UNMAP), /* MR 1 to 3 */
                0xc7, 0x05, WORD(TASK_UTCBS + L4_UTCB_MR + 8), WORD(0),           /**/
                0xc7, 0x05, WORD(TASK_UTCBS + L4_UTCB_MR + 12), WORD(fpage),      /**/
                0xb8, WORD(small->id.raw), 0x89, 0xc2, 0xbe, WORD(CHILD_LABEL << 16 | 3), 0x31,
                0xc9, 0xbf, WORD(ipc), 0xff, 0xd7, 0x5d, /* call *%edi; popl %ebp */
                0xa1, WORD(THERE));
    EQUAL(o.kind, OUTCOME_FAULT);
    EQUAL(o.words[0], THERE);
    CHECK(number_of(small) != 0);
}

/* All pages of 4 MB of a small space go, and with them their page table, while others' directories
 * know it. */
static void table_goes(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    CHECK(child != NULL && set_number(child, L4_SmallSpace(128, 8)));
    CHECK(filled_page(child, least_limit(), 1) != NULL && child_holds(child, least_limit(), 64, 1));
    L4_Word_t all = L4_FpageAddRights(L4_FpageLog2(least_limit(), 22), L4_FullyAccessible).raw;
    for (unsigned i = 0; i < 3; i++) {
        /* 0x40: from itself too. Then its page table is free, for anybody's use. */
        CHECK(child_do(child, CHILD_UNMAP, 0x40, all, 0, 0).kind == OUTCOME_DONE);
        struct task *other = child_new();
        CHECK(other != NULL);
        for (L4_Word_t va = 0x00900000; va < 0x03000000; va += TABLE) {
            CHECK(filled_page(other, va, 2) != NULL && child_holds(other, va, 64, 2));
        }
        /* Where the other one has its pages, in its first page table and in others. */
        CHECK(child_denied(child, CHILD_READ, least_limit() + TASK_UTCBS, L4_Readable));
        CHECK(child_denied(child, CHILD_READ, least_limit() + TASK_KIP, L4_Readable));
        CHECK(child_denied(child, CHILD_READ, least_limit() + 0x100000, L4_Readable));
        CHECK(child_holds(child, least_limit(), 64, 1));
        child_delete(other);
    }
    CHECK(number_of(child) != 0);
}

/* A page of 4 MB of a small space is split, and goes: its directory entry, of which others'
 * directories have copies, is another one each time. */
static void large_page(void) {
    NEEDS_SMALL_SPACES;
    enum { OURS = 0x02000000 }; /* memory that nobody has, at its own address */
    struct task *child = child_small();
    CHECK(child != NULL && set_number(child, L4_SmallSpace(128, 8)));
    L4_Fpage_t all = L4_FpageAddRights(L4_FpageLog2(OURS, 22), L4_FullyAccessible);
    CHECK(!L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, all)));
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(all, least_limit()));
    CHECK(child_map(child, &msg));
    CHECK(child_write(child, least_limit() + 0x123000, 1) &&
          child_write(child, least_limit() + 0x124000, 2));
    EQUAL(*(volatile L4_Word_t *)(uintptr_t)(OURS + 0x123000), 1);
    (void)L4_UnmapFpage(
        L4_FpageAddRights(L4_FpageLog2(OURS + 0x123000, FRAME_LOG2), L4_FullyAccessible));
    CHECK(child_denied(child, CHILD_READ, least_limit() + 0x123000, L4_Readable));
    EQUAL(child_read(child, least_limit() + 0x124000), 2);
    (void)L4_Flush(all);
    CHECK(child_denied(child, CHILD_READ, least_limit() + 0x124000, L4_Readable));
    CHECK(child_denied(child, CHILD_READ, least_limit() + 0x125000, L4_Readable));
    CHECK(number_of(child) != 0);
}

/* Who ends leaves nothing to the next who gets the part; and pages that a small space loses are
 * gone. */
static void ended(void) {
    NEEDS_SMALL_SPACES;
    for (unsigned i = 0; i < 5; i++) {
        struct task *first = child_small();
        CHECK(first != NULL && filled_page(first, INSIDE, i) != NULL &&
              filled_page(first, 0x00200000, 3) != NULL);
        CHECK(child_holds(first, INSIDE, 64, i) && child_holds(first, 0x00200000, 64, 3));
        L4_Word_t number = number_of(first);
        frame_free(task_remove_page(first, INSIDE));
        CHECK(child_denied(first, CHILD_READ, INSIDE, L4_Readable));
        CHECK(number_of(first) == number);
        child_delete(first);
        struct task *second = child_small();
        CHECK(second != NULL);
        EQUAL(number_of(second), number);
        CHECK(child_denied(second, CHILD_READ, 0x00200000, L4_Readable));
        child_delete(second);
    }
}

const struct test small_tests[] = {
    {"small_assigned", assigned},
    {"small_by_number", by_number},
    {"small_area_full", area_full},
    {"small_revoked", revoked},
    {"small_unmapped_while_shown", unmapped_while_shown},
    {"small_table_goes", table_goes},
    {"small_large_page", large_page},
    {"small_ended", ended},
    {NULL, NULL},
};
