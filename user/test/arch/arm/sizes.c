/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of every size of the hardware: large pages and sections that are mapped whole, and what
 * becomes of them when a part is revoked, granted, replaced or given another attribute.
 */
#include "../../test.h"

#define KB_64 0x10000u
#define MB    0x100000u

#define LOW   0x00400000u
#define LOW_B 0x00600000u
#define HIGH  0x80000000u

static L4_Word_t splits(void) {
    return L4_KDB_Statistic(L4_STAT_PAGE_SPLITS);
}

static L4_Word_t free_pages(void) {
    return L4_KDB_Statistic(L4_STAT_FREE_PAGES);
}

static L4_Word_t fpage(L4_Word_t va, L4_Word_t log2, L4_Word_t rights) {
    return L4_FpageLog2(va, log2).raw | rights;
}

/* One megabyte, ours from sigma0 for as long as the test lasts. */
static L4_Word_t block;

static bool get_block(void) {
    static L4_Fpage_t mine;
    if (L4_IsNilFpage(mine)) {
        mine = L4_Sigma0_GetAny(L4_nilthread, 20, L4_CompleteAddressSpace);
    } else {
        (void)L4_Sigma0_GetPage(L4_nilthread, L4_FpageAddRights(mine, L4_FullyAccessible));
    }
    block = L4_Address(mine);
    return L4_SizeLog2(mine) == 20;
}

static void give_block_back(void) {
    (void)L4_Flush((L4_Fpage_t){.raw = fpage(block, 20, L4_FullyAccessible)});
}

/* Where words are looked at: ends of pages of each size. */
static const L4_Word_t places[] = {0,       0xffc,   0x1000,  0xfffc,  0x10000,
                                   0x1fffc, 0x8f010, 0x8fffc, 0x90000, 0xffffc};
#define PLACES (sizeof places / sizeof places[0])

static bool write_places(struct task *child, L4_Word_t va, L4_Word_t seed) {
    for (unsigned i = 0; i < PLACES; i++) {
        (void)child_read(child, va + places[i]); /* the line, so that the store is kept in it */
        TRY(child_write(child, va + places[i], CHILD_PATTERN(seed, i)));
    }
    return true;
}

static bool has_places(struct task *child, L4_Word_t va, L4_Word_t seed) {
    for (unsigned i = 0; i < PLACES; i++) {
        TRY(child_read(child, va + places[i]) == CHILD_PATTERN(seed, i));
    }
    return true;
}

static bool we_have_places(L4_Word_t seed) {
    for (unsigned i = 0; i < PLACES; i++) {
        TRY(*(volatile L4_Word_t *)(uintptr_t)(block + places[i]) == CHILD_PATTERN(seed, i));
    }
    return true;
}

/* Some of the block to a child, at `va`. */
static bool give(struct task *child, L4_Word_t offset, L4_Word_t log2, L4_Word_t rights,
                 L4_Word_t va) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg,
                        L4_MapItem((L4_Fpage_t){.raw = fpage(block + offset, log2, rights)}, va));
    return child_map(child, &msg);
}

static void revoke(L4_Word_t offset, L4_Word_t log2, L4_Word_t rights) {
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = fpage(block + offset, log2, rights)});
}

static bool child_unmaps(struct task *child, L4_Word_t control, L4_Word_t raw) {
    TRY(child_do(child, CHILD_UNMAP, control, raw, 0, 0).kind == OUTCOME_DONE);
    return true;
}

/* A megabyte is one entry: no page table, no split. Low and high, in two spaces at once. */
static void section_is_one_entry(void) {
    struct task *a = child_new(), *b = child_new();
    CHECK(a != NULL && b != NULL && get_block());
    L4_Word_t pages = free_pages(), before = splits();
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(give(b, 0, 20, L4_Readable, HIGH));
    CHECK(pages - free_pages() <= 1); /* nodes: two of them */
    CHECK(child_write(a, LOW + 0x5004, 0x1234));
    EQUAL(child_read(a, LOW + 0x5004), 0x1234);
    EQUAL(splits(), before);
    EQUAL(child_read(b, HIGH + 0x5004), 0x1234);
    EQUAL(splits(), before); /* the writer became a reader, whole */
    CHECK(child_denied(b, CHILD_WRITE, HIGH + 0x5004, L4_Writable));
    CHECK(write_places(a, LOW, 3));
    CHECK(has_places(b, HIGH, 3));
    CHECK(we_have_places(3));
    give_block_back();
    for (unsigned i = 0; i < PLACES; i++) {
        CHECK(child_denied(a, CHILD_READ, LOW + places[i], L4_Readable));
        CHECK(child_denied(b, CHILD_READ, HIGH + places[i], L4_Readable));
    }
}

/* Fpages of every size, placed everywhere they can be. */
static void every_size(void) {
    static const struct {
        L4_Word_t offset, log2, va;
    } cases[] = {
        {0x00000, 20, LOW},
        {0x00000, 20, HIGH + 7 * MB},
        {0x80000, 19, LOW + 0x80000},
        {0x80000, 19, LOW_B},
        {0x40000, 18, HIGH + 0x40000},
        {0x20000, 17, LOW + 0x60000},
        {0x70000, 16, LOW + KB_64},
        {0x70000, 16, HIGH},
        {0x08000, 15, LOW + 0x8000},
        {0x14000, 14, LOW_B + 0x4000},
        {0x22000, 13, LOW + 0x6000},
        {0xff000, 12, HIGH + 0xff000},
        {0x10000, 12, LOW},
    };
    struct task *a = child_new();
    CHECK(a != NULL && get_block());
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        L4_Word_t offset = cases[i].offset, va = cases[i].va, size = 1u << cases[i].log2;
        L4_Word_t half = size == 0x1000 ? size : size / 2;
        volatile L4_Word_t *ours = (volatile L4_Word_t *)(uintptr_t)(block + offset);
        CHECK(give(a, offset, cases[i].log2, L4_FullyAccessible, va));
        for (L4_Word_t at = 0; at < size; at += 0x1000) {
            ours[at / 4 + 2] = i << 24 | at;
        }
        for (L4_Word_t at = 0; at < size; at += half) {
            EQUAL(child_read(a, va + at + 8), i << 24 | at);
            EQUAL(child_read(a, va + at + half - 0x1000 + 8), i << 24 | (at + half - 0x1000));
            CHECK(child_write(a, va + at + 12, i));
            EQUAL(ours[at / 4 + 3], i);
        }
        CHECK(child_denied(a, CHILD_READ, va + size, L4_Readable));
        CHECK(child_denied(a, CHILD_READ, va - 4, L4_Readable));
        revoke(offset, cases[i].log2, L4_FullyAccessible);
        CHECK(child_denied(a, CHILD_READ, va, L4_Readable));
        CHECK(child_denied(a, CHILD_WRITE, va + size - 4, L4_Writable));
    }
    give_block_back();
}

/* One page of a section that went through three spaces: gone in all, the rest stays in all. */
static void revoke_a_part(void) {
    static const L4_Word_t logs[] = {12, 13, 16, 18};
    struct task *a = child_new(), *b = child_new(), *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL);
    for (unsigned i = 0; i < 4; i++) {
        L4_Word_t part = 0x80000 & ~((1u << logs[i]) - 1);
        L4_Word_t inside = part + (1u << logs[i]) - 4;
        CHECK(get_block());
        CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
        CHECK(child_transfer(a, fpage(LOW, 20, L4_FullyAccessible), HIGH, L4_ITEM_MAP, b,
                             L4_CompleteAddressSpace.raw));
        CHECK(child_transfer(b, fpage(HIGH, 20, L4_Readable), LOW_B, L4_ITEM_MAP, c,
                             L4_CompleteAddressSpace.raw));
        CHECK(write_places(b, HIGH, 0x40 + i));
        CHECK(has_places(c, LOW_B, 0x40 + i));
        CHECK(child_write(a, LOW + inside, 5));
        revoke(part, logs[i], L4_FullyAccessible);
        CHECK(child_denied(a, CHILD_READ, LOW + part, L4_Readable));
        CHECK(child_denied(b, CHILD_WRITE, HIGH + inside, L4_Writable));
        CHECK(child_denied(c, CHILD_READ, LOW_B + inside, L4_Readable));
        EQUAL(*(volatile L4_Word_t *)(uintptr_t)(block + inside), 5);
        EQUAL(child_read(a, LOW + places[1]), CHILD_PATTERN(0x40 + i, 1));
        CHECK(child_write(b, HIGH + part - 4, 7));
        EQUAL(child_read(c, LOW_B + part - 4), 7);
        EQUAL(child_read(c, LOW_B + 0xffffc), CHILD_PATTERN(0x40 + i, PLACES - 1));
        CHECK(child_denied(c, CHILD_WRITE, LOW_B, L4_Writable));
        revoke(0, 20, L4_FullyAccessible);
        CHECK(child_denied(a, CHILD_READ, LOW + 0xffffc, L4_Readable));
        CHECK(child_denied(b, CHILD_READ, HIGH, L4_Readable));
        CHECK(child_denied(c, CHILD_READ, LOW_B + part - 4, L4_Readable));
        give_block_back();
    }
}

/* Parts of parts: 1 MB to a, 64 KB of it to b, 4 KB of that to c. Revoked at each place. */
static void revoke_smaller_children(void) {
    struct task *a = child_new(), *b = child_new(), *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL && get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    for (unsigned i = 0; i < 4; i++) {
        CHECK(child_transfer(a, fpage(LOW + 0x30000, 16, L4_FullyAccessible), HIGH, L4_ITEM_MAP, b,
                             L4_CompleteAddressSpace.raw));
        CHECK(child_transfer(b, fpage(HIGH + 0x5000, 12, L4_FullyAccessible), LOW_B, L4_ITEM_MAP, c,
                             L4_CompleteAddressSpace.raw));
        CHECK(child_write(c, LOW_B + 8, 0x70 + i));
        EQUAL(child_read(b, HIGH + 0x5008), 0x70 + i);
        EQUAL(child_read(a, LOW + 0x35008), 0x70 + i);
        switch (i) {
        case 0: /* beside it: nothing happens to c */
            CHECK(child_unmaps(a, 0, fpage(LOW + 0x34000, 12, L4_FullyAccessible)));
            EQUAL(child_read(c, LOW_B + 8), 0x70);
            CHECK(child_denied(b, CHILD_READ, HIGH + 0x4000, L4_Readable));
            EQUAL(child_read(b, HIGH + 0x3000 + 8), child_read(a, LOW + 0x33008));
            break;
        case 1: /* all of a's megabyte: not a's own */
            CHECK(child_unmaps(a, 0, fpage(LOW, 20, L4_FullyAccessible)));
            CHECK(child_denied(c, CHILD_READ, LOW_B + 8, L4_Readable));
            CHECK(child_denied(b, CHILD_READ, HIGH + 0x5008, L4_Readable));
            EQUAL(child_read(a, LOW + 0x35008), 0x71);
            break;
        case 2: /* b gives its own away, c's with it */
            CHECK(child_unmaps(b, L4_UNMAP_FLUSH, fpage(HIGH, 16, L4_FullyAccessible)));
            CHECK(child_denied(c, CHILD_READ, LOW_B + 8, L4_Readable));
            CHECK(child_denied(b, CHILD_READ, HIGH + 0x5008, L4_Readable));
            EQUAL(child_read(a, LOW + 0x35008), 0x72);
            break;
        default: /* the page of the root */
            revoke(0x35000, 12, L4_FullyAccessible);
            CHECK(child_denied(c, CHILD_READ, LOW_B + 8, L4_Readable));
            CHECK(child_denied(a, CHILD_READ, LOW + 0x35008, L4_Readable));
            EQUAL(child_read(a, LOW + 0x34008), child_read(b, HIGH + 0x4008));
            EQUAL(*(volatile L4_Word_t *)(uintptr_t)(block + 0x35008), 0x73);
            break;
        }
    }
    give_block_back();
}

/* The write right of 64 KB in the middle of sections. */
static void revoke_write_of_a_part(void) {
    struct task *a = child_new(), *b = child_new();
    CHECK(a != NULL && b != NULL && get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(child_transfer(a, fpage(LOW, 20, L4_FullyAccessible), HIGH, L4_ITEM_MAP, b,
                         L4_CompleteAddressSpace.raw));
    CHECK(write_places(a, LOW, 9));
    revoke(0x10000, 16, L4_Writable);
    CHECK(has_places(b, HIGH, 9));
    CHECK(child_denied(a, CHILD_WRITE, LOW + 0x10000, L4_Writable));
    CHECK(child_denied(b, CHILD_WRITE, HIGH + 0x1fffc, L4_Writable));
    CHECK(child_write(b, HIGH + 0x0fffc, 1));
    CHECK(child_write(a, LOW + 0x20000, 2));
    EQUAL(child_read(a, LOW + 0x0fffc), 1);
    EQUAL(child_read(b, HIGH + 0x20000), 2);
    CHECK(child_unmaps(a, L4_UNMAP_FLUSH, fpage(LOW, 20, L4_Writable)));
    CHECK(child_denied(a, CHILD_WRITE, LOW, L4_Writable));
    CHECK(child_denied(b, CHILD_WRITE, HIGH + 0xffffc, L4_Writable));
    EQUAL(child_read(b, HIGH + 0x90000), CHILD_PATTERN(9, 8));
    give_block_back();
}

/* A part of a section is granted: it leaves its space, and what came from it stays below it. */
static void grant_a_part(void) {
    static const L4_Word_t logs[] = {12, 16};
    struct task *a = child_new(), *b = child_new(), *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL);
    for (unsigned i = 0; i < 2; i++) {
        L4_Word_t part = 0x20000, size = 1u << logs[i];
        CHECK(get_block());
        CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
        CHECK(child_transfer(a, fpage(LOW, 20, L4_Readable), LOW_B, L4_ITEM_MAP, c,
                             L4_CompleteAddressSpace.raw));
        CHECK(write_places(a, LOW, 0x50 + i));
        CHECK(has_places(c, LOW_B, 0x50 + i));
        CHECK(child_transfer(a, fpage(LOW + part, logs[i], L4_FullyAccessible), HIGH, L4_ITEM_GRANT,
                             b, L4_CompleteAddressSpace.raw));
        CHECK(child_denied(a, CHILD_READ, LOW + part, L4_Readable));
        CHECK(child_denied(a, CHILD_READ, LOW + part + size - 4, L4_Readable));
        EQUAL(child_read(a, LOW + part - 4), CHILD_PATTERN(0x50 + i, 5));
        CHECK(child_write(a, LOW + part + size, 3));
        CHECK(child_write(b, HIGH + size - 4, 4));
        EQUAL(child_read(c, LOW_B + part + size - 4), 4);
        EQUAL(child_read(c, LOW_B + part + size), 3);
        /* a has no say in it any more, b has. */
        CHECK(child_unmaps(a, 0, fpage(LOW, 20, L4_FullyAccessible)));
        EQUAL(child_read(c, LOW_B + part + size - 4), 4);
        CHECK(child_denied(c, CHILD_READ, LOW_B + part + size, L4_Readable));
        CHECK(child_unmaps(b, 0, fpage(HIGH, logs[i], L4_FullyAccessible)));
        CHECK(child_denied(c, CHILD_READ, LOW_B + part + size - 4, L4_Readable));
        EQUAL(child_read(b, HIGH + size - 4), 4);
        revoke(0, 20, L4_FullyAccessible);
        CHECK(child_denied(b, CHILD_READ, HIGH, L4_Readable));
        give_block_back();
    }
}

/* Granted to one who had it from the granter: it is in the granter's place then. */
static void grant_to_child(void) {
    static const L4_Word_t logs[] = {20, 16, 12};
    struct task *a = child_new(), *b = child_new(), *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(get_block());
        CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
        CHECK(child_transfer(a, fpage(LOW, 20, L4_Readable), HIGH, L4_ITEM_MAP, b,
                             L4_CompleteAddressSpace.raw));
        CHECK(child_transfer(b, fpage(HIGH, 20, L4_Readable), LOW_B, L4_ITEM_MAP, c,
                             L4_CompleteAddressSpace.raw));
        CHECK(child_transfer(a, fpage(LOW, logs[i], L4_FullyAccessible), HIGH, L4_ITEM_GRANT, b,
                             L4_CompleteAddressSpace.raw));
        CHECK(child_denied(a, CHILD_READ, LOW + 4, L4_Readable));
        CHECK(child_write(b, HIGH + 4, 0x11));
        EQUAL(child_read(c, LOW_B + 4), 0x11);
        if (logs[i] != 20) {
            CHECK(child_write(a, LOW + 0xffff0, 0x12));
            EQUAL(child_read(c, LOW_B + 0xffff0), 0x12);
            CHECK(child_denied(b, CHILD_WRITE, HIGH + 0xffff0, L4_Writable));
        }
        CHECK(child_unmaps(b, 0, fpage(HIGH, 20, L4_FullyAccessible)));
        CHECK(child_denied(c, CHILD_READ, LOW_B + 4, L4_Readable));
        revoke(0, 20, L4_FullyAccessible);
        CHECK(child_denied(b, CHILD_READ, HIGH + 4, L4_Readable));
        give_block_back();
    }
}

/* The hole that a revocation made is filled again by the whole; who has the rest keeps it. */
static void fill_the_hole(void) {
    struct task *a = child_new(), *b = child_new();
    CHECK(a != NULL && b != NULL && get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(child_transfer(a, fpage(LOW, 20, L4_FullyAccessible), HIGH, L4_ITEM_MAP, b,
                         L4_CompleteAddressSpace.raw));
    revoke(0x8f000, 12, L4_FullyAccessible);
    CHECK(child_denied(a, CHILD_READ, LOW + 0x8f010, L4_Readable));
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(write_places(a, LOW, 0x61));
    CHECK(child_denied(b, CHILD_READ, HIGH + 0x8f010, L4_Readable));
    EQUAL(child_read(b, HIGH + 0x90000), CHILD_PATTERN(0x61, 8));
    CHECK(child_transfer(a, fpage(LOW, 20, L4_Readable), HIGH, L4_ITEM_MAP, b,
                         L4_CompleteAddressSpace.raw));
    CHECK(has_places(b, HIGH, 0x61));
    CHECK(child_denied(b, CHILD_WRITE, HIGH + 0x8f010, L4_Writable));
    CHECK(child_write(b, HIGH + 0x8e010, 1)); /* more rights than the item's stay */
    give_block_back();
}

/* A section over small pages of other frames, a small page over a section. */
static void replace(void) {
    struct task *a = child_new();
    CHECK(a != NULL && get_block());
    for (unsigned i = 0; i < 4; i++) {
        CHECK(task_add_page(a, LOW + i * 0x11000, NULL, L4_FullyAccessible) != NULL);
        CHECK(child_fill(a, LOW + i * 0x11000, 16, i));
    }
    L4_Word_t before = splits();
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(write_places(a, LOW, 0x71));
    EQUAL(splits(), before);
    CHECK(we_have_places(0x71));
    EQUAL(*(volatile L4_Word_t *)(void *)task_page_at(a, LOW)->frame, CHILD_PATTERN(0, 0));
    CHECK(give(a, 0x8f000, 12, L4_FullyAccessible, LOW + 0x3000));
    EQUAL(child_read(a, LOW + 0x3010), CHILD_PATTERN(0x71, 6));
    EQUAL(child_read(a, LOW + 0xffffc), CHILD_PATTERN(0x71, 9));
    EQUAL(child_read(a, LOW + 0x8f010), CHILD_PATTERN(0x71, 6)); /* both have it now */
    CHECK(child_write(a, LOW + 0x3010, 0xaa));
    EQUAL(child_read(a, LOW + 0x8f010), 0xaa);
    give_block_back();
    CHECK(child_holds(a, LOW, 16, 0)); /* its pager gives it its own again */
}

/* Three spaces write the same megabyte in turns, and we do: each sees what the last one wrote. */
static void synonyms(void) {
    struct task *who[3];
    static const L4_Word_t where[3] = {LOW, HIGH, LOW_B};
    CHECK(get_block());
    for (unsigned i = 0; i < 3; i++) {
        who[i] = child_new();
        CHECK(who[i] != NULL && give(who[i], 0, 20, L4_FullyAccessible, where[i]));
    }
    for (L4_Word_t round = 0; round < 60; round++) {
        L4_Word_t at = places[random_word() % PLACES];
        unsigned writer = random_word() % 4;
        L4_Word_t word = 0x8000 + round;
        if (writer == 3) {
            *(volatile L4_Word_t *)(uintptr_t)(block + at) = word;
        } else {
            CHECK(child_write(who[writer], where[writer] + at, word));
        }
        unsigned reader = random_word() % 3;
        EQUAL(child_read(who[reader], where[reader] + at), word);
    }
    give_block_back();
}

/* One space has the megabyte twice: whole, and in pieces. */
static void twice_in_one_space(void) {
    struct task *a = child_new();
    CHECK(a != NULL && get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(give(a, 0, 20, L4_FullyAccessible, HIGH));
    CHECK(give(a, 0x30000, 16, L4_FullyAccessible, LOW_B));
    for (L4_Word_t i = 0; i < 12; i++) {
        static const L4_Word_t where[3] = {LOW + 0x30000, HIGH + 0x30000, LOW_B};
        L4_Word_t at = (i & 3) * 0x4000 + 0x20;
        struct outcome o =
            child_do(a, CHILD_WRITE_READ, where[i % 3] + at, 0x90 + i, where[(i + 1) % 3] + at, 0);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0x90 + i);
        EQUAL(child_read(a, where[(i + 2) % 3] + at), 0x90 + i);
    }
    give_block_back();
}

/* Another attribute for a part of what several have as a section. */
static void attributes(void) {
    static const struct {
        L4_Word_t offset, log2, attribute;
    } cases[] = {
        {0, 20, L4_MEMORY_UNCACHED},
        {0x10000, 16, L4_ARM_MEMORY_BUFFERED},
        {0x8f000, 12, L4_ARM_MEMORY_MINI_CACHE},
        {0x1000, 12, L4_ARM_MEMORY_CACHED},
        {0, 20, L4_MEMORY_DEFAULT},
    };
    struct task *a = child_new(), *b = child_new();
    CHECK(a != NULL && b != NULL && get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(give(b, 0, 20, L4_FullyAccessible, HIGH));
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        L4_Word_t attribute[4] = {0, 0, cases[i].attribute, 0};
        CHECK(write_places(a, LOW, 0xa0 + i));
        /* The fpage's low bits say which of the four. */
        L4_LoadMR(0, L4_FpageLog2(block + cases[i].offset, cases[i].log2).raw | 2);
        EQUAL(L4_MemoryControl(0, attribute), 1);
        CHECK(has_places(b, HIGH, 0xa0 + i));
        CHECK(write_places(b, HIGH, 0xb0 + i));
        CHECK(has_places(a, LOW, 0xb0 + i));
        CHECK(we_have_places(0xb0 + i));
        revoke(cases[i].offset, cases[i].log2, L4_FullyAccessible);
        CHECK(child_denied(a, CHILD_READ, LOW + cases[i].offset, L4_Readable));
        CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
        CHECK(give(b, 0, 20, L4_FullyAccessible, HIGH));
        CHECK(has_places(a, LOW, 0xb0 + i));
    }
    give_block_back();
}

/* MemoryControl refuses what is not there, and then changes nothing. */
static void attributes_refused(void) {
    L4_Word_t attribute[4] = {L4_ARM_MEMORY_CACHED, L4_ARM_MEMORY_CACHED + 1, ~0u,
                              L4_MEMORY_UNCACHED};
    CHECK(get_block());
    L4_Word_t good = L4_FpageLog2(block, 20).raw;
    const struct {
        L4_Word_t first, second;
    } cases[] = {
        {good | 1, good},                                    /* no such attribute */
        {good, good | 2},                                    /* likewise, the second */
        {L4_FpageLog2(HIGH, 12).raw, good},                  /* nothing mapped there */
        {good, L4_FpageLog2(block & ~(4 * MB - 1), 24).raw}, /* some of it not */
        {L4_CompleteAddressSpace.raw, good},
        {L4_Nilpage.raw, good},
        {good, L4_FpageLog2(0xff000000, 12).raw}, /* the kernel's */
        {good, L4_FpageLog2((L4_Word_t)L4_MyUtcb() & ~0xfffu, 12).raw},
        {good & ~0x3f0u, good}, /* size 0 */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        L4_LoadMR(0, cases[i].first);
        L4_LoadMR(1, cases[i].second);
        EQUAL(L4_MemoryControl(1, attribute), 0);
        EQUAL(L4_ErrorCode(), L4_ErrInvalidParam);
    }
    EQUAL(L4_KDB_Statistic(L4_STAT_FREE_PAGES), free_pages());
    give_block_back();
}

/* The kernel's own pages in a space (KIP, UTCBs) stay, whatever is mapped around them. */
static void around_the_areas(void) {
    const L4_Word_t areas = HIGH + 0x40000;
    struct task *a = child_new_at(areas);
    CHECK(a != NULL && get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, HIGH));
    EQUAL(child_read(a, areas), L4_KIP_MAGIC);
    EQUAL(child_read(a, areas + 0x1000), a->id.raw);
    for (unsigned i = 0; i < PLACES; i++) { /* around them it is the block's */
        L4_Word_t at = places[i];
        CHECK(child_write(a, HIGH + at, CHILD_PATTERN(0x81, i)));
        EQUAL(*(volatile L4_Word_t *)(uintptr_t)(block + at), CHILD_PATTERN(0x81, i));
    }
    give_block_back();
    EQUAL(child_read(a, areas), L4_KIP_MAGIC);
    CHECK(child_denied(a, CHILD_READ, HIGH + 0x8000, L4_Readable));
}

/*
 * The attribute of one frame stays when sigma0 maps its megabyte anew: uncached pages have no
 * synonyms, so nothing moves between two spaces that write them.
 */
static void attribute_in_a_section(void) {
    struct task *a = child_new();
    L4_Word_t attribute[4] = {L4_MEMORY_UNCACHED, L4_MEMORY_DEFAULT, 0, 0};
    CHECK(a != NULL && get_block());
    L4_LoadMR(0, L4_FpageLog2(block + 0x8f000, 12).raw);
    EQUAL(L4_MemoryControl(0, attribute), 1);
    give_block_back();
    CHECK(get_block());
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    for (unsigned uncached = 0; uncached < 2; uncached++) {
        L4_Word_t at = uncached ? 0x8f010 : 0x1000;
        volatile L4_Word_t *ours = (volatile L4_Word_t *)(uintptr_t)(block + at);
        L4_Word_t moved = L4_KDB_Statistic(L4_STAT_SYNONYM_MIGRATIONS);
        for (L4_Word_t i = 0; i < 4; i++) {
            CHECK(child_write(a, LOW + at, i));
            EQUAL(*ours, i);
            *ours = i + 100;
            EQUAL(child_read(a, LOW + at), i + 100);
        }
        moved = L4_KDB_Statistic(L4_STAT_SYNONYM_MIGRATIONS) - moved;
        /* Under flush two spaces' pages are no synonyms. */
        CHECK(!uncached || moved == 0);
    }
    L4_LoadMR(0, L4_FpageLog2(block + 0x8f000, 12).raw | 1);
    EQUAL(L4_MemoryControl(0, attribute), 1);
    give_block_back();
}

/* ---- no memory in the kernel ---- */

/* Pages at the beginning of every megabyte, each with a page table, until there is no memory. */
static void exhaust(struct task *eater) {
    const L4_Word_t accept[2] = {L4_MyGlobalId().raw, L4_CompleteAddressSpace.raw};
    L4_Word_t frame = (L4_Word_t)frames_block();
    for (L4_Word_t mb = 0x10; mb < 0xfc0; mb += 16) {
        L4_Msg_t msg;
        L4_MsgClear(&msg);
        L4_Set_MsgLabel(&msg, CHILD_LABEL);
        for (L4_Word_t i = 0; i < 16; i++) {
            L4_MsgAppendMapItem(&msg, L4_MapItem((L4_Fpage_t){.raw = fpage(frame + i * FRAME_SIZE,
                                                                           12, L4_Readable)},
                                                 (mb + i) * MB));
        }
        if (!child_send(eater, CHILD_ACCEPT, 2, accept)) {
            return;
        }
        L4_MsgLoad(&msg);
        bool failed = L4_IpcFailed(L4_Send_Timeout(eater->id, PATIENCE)) != 0;
        (void)child_wait(eater);
        if (failed) {
            return;
        }
    }
}

/* The access faults; the child stays where it is. */
static bool faults(struct task *child, L4_Word_t va) {
    TRY(child_do(child, CHILD_READ, va, 0, 0, 0).kind == OUTCOME_FAULT);
    return true;
}

/*
 * Sections that cannot be split: what would split them takes or moves the whole, or fails, and
 * nobody keeps what they should not have.
 */
static void no_memory(void) {
    struct task *a = child_new(), *b = child_new(), *c = child_new();
    struct task *eaters[3] = {child_new(), child_new(), child_new()};
    CHECK(a != NULL && b != NULL && c != NULL && get_block());
    for (unsigned i = 0; i < 3; i++) {
        CHECK(eaters[i] != NULL);
    }
    L4_Word_t before = splits();
    CHECK(give(a, 0, 20, L4_FullyAccessible, LOW));
    CHECK(give(b, 0, 20, L4_FullyAccessible, HIGH));
    CHECK(give(c, 0, 20, L4_FullyAccessible, LOW_B));
    for (unsigned i = 0; i < 3; i++) {
        exhaust(eaters[i]);
    }
    EQUAL(free_pages(), 0);
    for (L4_Word_t i = 0; i < 12; i++) { /* they write in turns; nothing is split */
        struct task *who = i & 1 ? b : a;
        L4_Word_t at = (i & 1 ? HIGH : LOW) + 0x5000 + 4 * i;
        CHECK(child_write(who, at, i));
        EQUAL(child_read(i & 1 ? a : b, (i & 1 ? LOW : HIGH) + 0x5000 + 4 * i), i);
    }
    EQUAL(splits(), before);
    /* A string from one part of the section to another. */
    CHECK(child_fill(a, LOW + 0x10000, 64, 0x77));
    const struct child_ipc receive = {.from = a->id.raw,
                                      .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                                      .num_buffers = 3,
                                      .buffers = {1, 256u << 10, HIGH + 0x20000}};
    const struct child_ipc send = {
        .to = b->id.raw,
        .timeouts = L4_Timeouts(PATIENCE, L4_Never),
        .num_buffers = 1,
        .num_words = 3,
        .words = {L4_MakeMsgTag(0x40, 0, 2).raw, 256u << 10, LOW + 0x10000}};
    CHECK(child_ipc(b, &receive));
    CHECK(child_ipc(a, &send));
    EQUAL(child_wait(a).words[0], 0);
    EQUAL(child_wait(b).words[0], 0);
    CHECK(child_holds(b, HIGH + 0x20000, 64, 0x77));
    /* A part cannot be granted. */
    const L4_Word_t accept[2] = {a->id.raw, L4_CompleteAddressSpace.raw};
    const L4_Word_t grant[4] = {c->id.raw, fpage(LOW + 0x3000, 12, L4_FullyAccessible), 0x00900000,
                                L4_ITEM_GRANT};
    CHECK(child_send(c, CHILD_ACCEPT, 2, accept));
    CHECK(child_send(a, CHILD_MAP, 4, grant));
    CHECK(child_wait(a).words[0] != 0);
    CHECK(child_wait(c).words[0] != 0);
    EQUAL(child_read(a, LOW + 0x5000), 0);
    /* A part that is revoked is gone, with all of its page in those who have it from us. */
    revoke(0x3000, 12, L4_FullyAccessible);
    CHECK(faults(a, LOW + 0x3000));
    CHECK(faults(b, HIGH + 0x3004));
    CHECK(faults(c, LOW_B + 0x3ffc));
    EQUAL(*(volatile L4_Word_t *)(uintptr_t)(block + 0x20000), CHILD_PATTERN(0x77, 0));
    for (unsigned i = 0; i < 3; i++) {
        child_delete(eaters[i]);
    }
    CHECK(free_pages() != 0);
    give_block_back();
}

/* Mapping a megabyte is one step: it costs less than twice what a page costs, and not 256 times. */
static L4_Word_t cycles_to_map(struct task *child, L4_Word_t log2) {
    L4_Word_t first = probe_read(PROBE_CYCLES);
    for (unsigned i = 0; i < 4; i++) {
        if (!give(child, 0, log2, L4_FullyAccessible, LOW)) {
            return ~0u;
        }
        revoke(0, log2, L4_FullyAccessible);
    }
    return probe_read(PROBE_CYCLES) - first;
}

static void cost_of_a_section(void) {
    if (!probe_present()) {
        test_skip("no cycle counter");
        return;
    }
    struct task *a = child_new();
    CHECK(a != NULL && get_block());
    (void)cycles_to_map(a, 20);
    L4_Word_t page = cycles_to_map(a, 12);
    L4_Word_t large = cycles_to_map(a, 16);
    L4_Word_t section = cycles_to_map(a, 20);
    FAIL_IF(large > 2 * page, "64 KB cost at most twice a page", large, page);
    FAIL_IF(section > 2 * page, "1 MB costs at most twice a page", section, page);
    give_block_back();
}

const struct test size_tests[] = {
    {"size_section_is_one_entry", section_is_one_entry},
    {"size_every_size", every_size},
    {"size_revoke_a_part", revoke_a_part},
    {"size_revoke_smaller_children", revoke_smaller_children},
    {"size_revoke_write_of_a_part", revoke_write_of_a_part},
    {"size_grant_a_part", grant_a_part},
    {"size_grant_to_child", grant_to_child},
    {"size_fill_the_hole", fill_the_hole},
    {"size_replace", replace},
    {"size_synonyms", synonyms},
    {"size_twice_in_one_space", twice_in_one_space},
    {"size_attributes", attributes},
    {"size_attributes_refused", attributes_refused},
    {"size_around_the_areas", around_the_areas},
    {"size_attribute_in_a_section", attribute_in_a_section},
    {"size_no_memory", no_memory},
    {"size_cost_of_a_section", cost_of_a_section},
    {NULL, NULL},
};
