/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of 4 MB: an fpage of that size is one directory entry, which is split when a part of it
 * gets another fate. What there is to a page of any size is tested with ARM's (arch/arm/sizes.c).
 */
#include "../../test.h"

#define LARGE_LOG2 22u
#define LARGE      (1u << LARGE_LOG2)
#define OURS       0x02000000u /* memory that nobody has, at its own address */
#define THEIRS     0x40000000u

static L4_Fpage_t part(L4_Word_t base, L4_Word_t log2, L4_Word_t rights) {
    return L4_FpageAddRights(L4_FpageLog2(base, log2), rights);
}

/* Has 4 MB from sigma0, and maps them to the child as a whole. */
static bool give(struct task *child, L4_Word_t rights) {
    L4_Fpage_t all = part(OURS, LARGE_LOG2, L4_FullyAccessible);
    TRY(!L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, all)));
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(part(OURS, LARGE_LOG2, rights), THEIRS));
    TRY(child_map(child, &msg));
    return true;
}

static void take_all(void) {
    (void)L4_Flush(part(OURS, LARGE_LOG2, L4_FullyAccessible));
}

static L4_Word_t splits(void) {
    return L4_KDB_Statistic(L4_STAT_PAGE_SPLITS);
}

/* One page: all of it is there, and nothing had to be split for it. */
static void whole(void) {
    struct task *child = child_new();
    L4_Word_t before = splits();
    CHECK(child != NULL && give(child, L4_FullyAccessible));
    for (L4_Word_t at = 0; at < LARGE; at += LARGE / 16) {
        CHECK(child_write(child, THEIRS + at, at + 1));
        EQUAL(*(volatile L4_Word_t *)(uintptr_t)(OURS + at), at + 1);
    }
    EQUAL(splits(), before);
    take_all();
    CHECK(child_denied(child, CHILD_READ, THEIRS + 4, L4_Readable));
    EQUAL(splits(), before);
}

/* A page in the middle is taken away: it alone is gone. */
static void part_taken(void) {
    struct task *child = child_new();
    L4_Word_t before = splits();
    CHECK(child != NULL && give(child, L4_FullyAccessible));
    CHECK(child_write(child, THEIRS + 0x123000, 1));
    CHECK(child_write(child, THEIRS + 0x124000, 2));
    (void)L4_UnmapFpage(part(OURS + 0x123000, 12, L4_FullyAccessible));
    CHECK(child_denied(child, CHILD_READ, THEIRS + 0x123000, L4_Readable));
    EQUAL(child_read(child, THEIRS + 0x124000), 2);
    EQUAL(child_read(child, THEIRS + 0x122000),
          *(volatile L4_Word_t *)(uintptr_t)(OURS + 0x122000));
    CHECK(splits() > before);
    take_all();
    CHECK(child_denied(child, CHILD_WRITE, THEIRS + 0x124000, L4_Writable));
}

/* The right to write goes from a part. */
static void part_read_only(void) {
    struct task *child = child_new();
    CHECK(child != NULL && give(child, L4_FullyAccessible));
    CHECK(child_write(child, THEIRS + 0x200000, 7));
    (void)L4_UnmapFpage(part(OURS + 0x200000, 13, L4_Writable));
    EQUAL(child_read(child, THEIRS + 0x200000), 7);
    CHECK(child_denied(child, CHILD_WRITE, THEIRS + 0x201000, L4_Writable));
    CHECK(child_write(child, THEIRS + 0x202000, 8));
    take_all();
}

/* Given for reading, it cannot be written, as a whole. */
static void read_only(void) {
    struct task *child = child_new();
    CHECK(child != NULL && give(child, L4_ReadeXecOnly));
    *(volatile L4_Word_t *)(uintptr_t)(OURS + 0x3ff000) = 5;
    EQUAL(child_read(child, THEIRS + 0x3ff000), 5);
    CHECK(child_denied(child, CHILD_WRITE, THEIRS + 0x3ff000, L4_Writable));
    take_all();
}

/* A space that ends has it no more; its directory entry is nobody's. */
static void dies_with_it(void) {
    for (unsigned i = 0; i < 3; i++) {
        struct task *child = child_new();
        CHECK(child != NULL && give(child, L4_FullyAccessible));
        CHECK(child_write(child, THEIRS, i));
        child_delete(child);
        EQUAL(*(volatile L4_Word_t *)(uintptr_t)OURS, i);
    }
    take_all();
}

/* Attributes of a part. */
static void part_uncached(void) {
    struct task *child = child_new();
    CHECK(child != NULL && give(child, L4_FullyAccessible));
    L4_Fpage_t page = part(OURS + 0x10000, 12, 0);
    EQUAL(L4_Set_PageAttribute(page, L4_MEMORY_UNCACHED), 1);
    CHECK(child_write(child, THEIRS + 0x10000, 0x11));
    EQUAL(*(volatile L4_Word_t *)(uintptr_t)(OURS + 0x10000), 0x11);
    EQUAL(L4_Set_PageAttribute(page, L4_MEMORY_DEFAULT), 1);
    EQUAL(child_read(child, THEIRS + 0x10000), 0x11);
    take_all();
}

const struct test size_tests[] = {
    {"sizes_whole", whole},
    {"sizes_part_taken", part_taken},
    {"sizes_part_read_only", part_read_only},
    {"sizes_read_only", read_only},
    {"sizes_dies_with_it", dies_with_it},
    {"sizes_part_uncached", part_uncached},
    {NULL, NULL},
};
