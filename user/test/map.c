/* SPDX-License-Identifier: Apache-2.0 */
/* Map, grant and unmap: what arrives where, with which rights, and what revoking reaches. */
#include "test.h"

#define PAGE_A 0x00040000u
#define PAGE_B 0x00050000u
#define PAGE_C 0x00060000u

bool child_transfer(struct task *from, L4_Word_t fpage, L4_Word_t base, L4_Word_t kind,
                    struct task *to, L4_Word_t window) {
    const L4_Word_t accept[2] = {from->id.raw, window};
    const L4_Word_t map[4] = {to->id.raw, fpage, base, kind};
    TRY(child_send(to, CHILD_ACCEPT, 2, accept));
    TRY(child_send(from, CHILD_MAP, 4, map));
    struct outcome sent = child_wait(from);
    struct outcome got = child_wait(to);
    TRY(sent.kind == OUTCOME_DONE && sent.words[0] == 0);
    TRY(got.kind == OUTCOME_DONE && got.words[0] == 0);
    TRY(L4_TypedWords((L4_MsgTag_t){.raw = got.words[1]}) == 2);
    return true;
}

static L4_Word_t page(L4_Word_t va, L4_Word_t rights) {
    return L4_FpageLog2(va, 12).raw | rights;
}

/* A child with a page at PAGE_A, filled with `seed`. */
static struct task *owner(L4_Word_t seed) {
    struct task *child = child_new();
    if (child == NULL || task_add_page(child, PAGE_A, NULL, L4_FullyAccessible) == NULL ||
        !child_fill(child, PAGE_A, 1024, seed)) {
        return NULL;
    }
    return child;
}

static bool unmap(struct task *child, L4_Word_t control, L4_Word_t fpage) {
    TRY(child_do(child, CHILD_UNMAP, control, fpage, 0, 0).kind == OUTCOME_DONE);
    return true;
}

static void map_shares(void) {
    struct task *a = owner(1);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_holds(b, PAGE_B, 1024, 1));
    CHECK(child_fill(b, PAGE_B, 1024, 2));
    CHECK(child_holds(a, PAGE_A, 1024, 2));
    CHECK(child_fill(a, PAGE_A, 1024, 3));
    CHECK(child_holds(b, PAGE_B, 1024, 3));
}

static void map_read_only(void) {
    struct task *a = owner(4);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_Readable), PAGE_B, L4_ITEM_MAP, b, page(PAGE_B, 0)));
    CHECK(child_holds(b, PAGE_B, 1024, 4));
    CHECK(child_denied(b, CHILD_WRITE, PAGE_B + 8, L4_Writable));
    CHECK(child_holds(a, PAGE_A, 1024, 4));
}

/* Nobody can give more than they have. */
static void map_no_more_rights(void) {
    struct task *a = owner(5);
    struct task *b = child_new();
    struct task *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_Readable), PAGE_B, L4_ITEM_MAP, b, page(PAGE_B, 0)));
    CHECK(child_holds(b, PAGE_B, 4, 5));
    CHECK(child_transfer(b, page(PAGE_B, L4_FullyAccessible), PAGE_C, L4_ITEM_MAP, c,
                         page(PAGE_C, 0)));
    CHECK(child_holds(c, PAGE_C, 1024, 5));
    CHECK(child_denied(c, CHILD_WRITE, PAGE_C, L4_Writable));
    CHECK(child_holds(a, PAGE_A, 1024, 5));
}

/* What the sender does not have does not arrive. */
static void map_nothing(void) {
    struct task *a = owner(6);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_C, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_denied(b, CHILD_READ, PAGE_B, L4_Readable));
}

/* A message's items go nowhere but into the window. */
static void map_outside_window(void) {
    struct task *a = owner(7);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_C, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_holds(b, PAGE_B, 1024, 7));
    CHECK(child_denied(b, CHILD_READ, PAGE_C, L4_Readable));
}

/* The kernel's own areas in a space (KIP, UTCBs) and its addresses cannot be mapped over. */
static void map_over_areas(void) {
    static const L4_Word_t places[] = {TASK_KIP, TASK_UTCBS, UTCB_WORD, KERNEL_AREA};
    struct task *a = owner(8);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), places[i], L4_ITEM_MAP, b,
                             L4_CompleteAddressSpace.raw));
        EQUAL(child_read(b, TASK_KIP), L4_KIP_MAGIC);
        EQUAL(child_read(b, TASK_UTCBS), (L4_Word32_t)b->id.raw);
        if (UTCB_WORD_IS_READABLE) {
            EQUAL(child_read(b, UTCB_WORD), TASK_UTCBS);
        }
    }
}

static void revoke_recursive(void) {
    struct task *a = owner(9);
    struct task *b = child_new();
    struct task *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_transfer(b, page(PAGE_B, L4_FullyAccessible), PAGE_C, L4_ITEM_MAP, c,
                         page(PAGE_C, 0)));
    CHECK(child_holds(c, PAGE_C, 1024, 9));
    CHECK(child_fill(c, PAGE_C, 1024, 10));
    CHECK(unmap(a, 0, page(PAGE_A, L4_FullyAccessible)));
    CHECK(child_denied(b, CHILD_READ, PAGE_B, L4_Readable));
    CHECK(child_denied(c, CHILD_READ, PAGE_C, L4_Readable));
    CHECK(child_denied(c, CHILD_WRITE, PAGE_C, L4_Writable));
    CHECK(child_holds(a, PAGE_A, 1024, 10));
}

/* From the middle of the tree: below it only. */
static void revoke_subtree(void) {
    struct task *a = owner(11);
    struct task *b = child_new();
    struct task *c = child_new();
    CHECK(a != NULL && b != NULL && c != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_transfer(b, page(PAGE_B, L4_FullyAccessible), PAGE_C, L4_ITEM_MAP, c,
                         page(PAGE_C, 0)));
    CHECK(child_holds(c, PAGE_C, 1024, 11));
    CHECK(unmap(b, 0, page(PAGE_B, L4_FullyAccessible)));
    CHECK(child_denied(c, CHILD_READ, PAGE_C, L4_Readable));
    CHECK(child_holds(b, PAGE_B, 1024, 11));
    CHECK(unmap(b, L4_UNMAP_FLUSH, page(PAGE_B, L4_FullyAccessible)));
    CHECK(child_denied(b, CHILD_READ, PAGE_B, L4_Readable));
    CHECK(child_holds(a, PAGE_A, 1024, 11));
}

/* Taking the write right leaves the others. */
static void revoke_write(void) {
    struct task *a = owner(12);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_fill(b, PAGE_B, 1024, 13));
    CHECK(unmap(a, 0, page(PAGE_A, L4_Writable)));
    CHECK(child_holds(b, PAGE_B, 1024, 13));
    CHECK(child_denied(b, CHILD_WRITE, PAGE_B, L4_Writable));
    CHECK(child_holds(a, PAGE_A, 1024, 13));
}

/* We ourselves are everybody's root: our unmap reaches all. */
static void revoke_by_root(void) {
    struct task *a = owner(14);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_fill(b, PAGE_B, 1024, 15));
    const volatile L4_Word32_t *frame = (const void *)task_remove_page(a, PAGE_A);
    CHECK(frame != NULL);
    L4_Word_t last = frame[1023];
    frame_free((void *)(uintptr_t)frame);
    EQUAL(last, CHILD_PATTERN(15, 1023));
    CHECK(child_denied(a, CHILD_READ, PAGE_A, L4_Readable));
    CHECK(child_denied(b, CHILD_WRITE, PAGE_B, L4_Writable));
}

static void grant(void) {
    struct task *a = owner(16);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_GRANT, b,
                         page(PAGE_B, 0)));
    CHECK(child_holds(b, PAGE_B, 1024, 16));
    CHECK(child_fill(b, PAGE_B, 1024, 17));
    uint8_t *frame = task_page_at(a, PAGE_A)->frame;
    a->pages[a->num_pages - 1].va = 0x00070000; /* we keep the frame, the child has it no more */
    CHECK(child_denied(a, CHILD_READ, PAGE_A, L4_Readable));
    EQUAL(((volatile L4_Word32_t *)(void *)frame)[9], CHILD_PATTERN(17, 9));
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = page((L4_Word_t)frame, L4_FullyAccessible)});
    CHECK(child_denied(b, CHILD_READ, PAGE_B, L4_Readable));
}

/* A 64 KB fpage, made of the pages we have; then parts of it are taken away. */
static void large_fpage(void) {
    L4_Word_t block = (L4_Word_t)frames_block();
    L4_Fpage_t all = {.raw = L4_FpageLog2(block, FRAMES_BLOCK_LOG2).raw | L4_FullyAccessible};
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(all, 0x00200000));
    CHECK(child_map(child, &msg));
    CHECK(child_fill(child, 0x00200000, FRAMES_BLOCK_SIZE / 4, 18));
    CHECK(child_holds(child, 0x00200000, FRAMES_BLOCK_SIZE / 4, 18));
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = page(block + 0x3000, L4_FullyAccessible)});
    CHECK(child_denied(child, CHILD_READ, 0x00203000, L4_Readable));
    EQUAL(child_read(child, 0x00202ffc), CHILD_PATTERN(18, 0x2ffc / 4));
    EQUAL(child_read(child, 0x00204000), CHILD_PATTERN(18, 0x4000 / 4));
    (void)L4_UnmapFpage(all);
    for (L4_Word_t at = 0; at < FRAMES_BLOCK_SIZE; at += 0x4000) {
        CHECK(child_denied(child, CHILD_READ, 0x00200000 + at, L4_Readable));
    }
}

/* Sixteen items in one message. */
static void many_items(void) {
    L4_Word_t block = (L4_Word_t)frames_block();
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    for (L4_Word_t i = 0; i < 16; i++) {
        *(volatile L4_Word32_t *)(uintptr_t)(block + i * 4096) = (L4_Word32_t)(0x1000 + i);
        L4_MsgAppendMapItem(&msg,
                            L4_MapItem((L4_Fpage_t){.raw = page(block + i * 4096, L4_Readable)},
                                       0x00300000 + i * 0x100000));
    }
    CHECK(child_map(child, &msg));
    for (L4_Word_t i = 0; i < 16; i++) {
        EQUAL(child_read(child, 0x00300000 + i * 0x100000), 0x1000 + i);
    }
    (void)L4_UnmapFpage(
        (L4_Fpage_t){.raw = L4_FpageLog2(block, FRAMES_BLOCK_LOG2).raw | L4_FullyAccessible});
    for (L4_Word_t i = 0; i < 16; i++) {
        CHECK(child_denied(child, CHILD_READ, 0x00300000 + i * 0x100000, L4_Readable));
    }
}

/* A page mapped over another replaces it. */
static void map_over(void) {
    struct task *a = owner(20);
    struct task *b = owner(21);
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_A, L4_ITEM_MAP, b,
                         page(PAGE_A, 0)));
    CHECK(child_holds(b, PAGE_A, 1024, 20));
    CHECK(unmap(a, 0, page(PAGE_A, L4_FullyAccessible)));
    CHECK(child_holds(b, PAGE_A, 1024, 21)); /* its pager gives it its own again */
}

/* Code that was executed is not there any more when another page is mapped in its place. */
static void map_over_code(void) {
    L4_Word_t block = (L4_Word_t)frames_block();
    struct task *child = child_new();
    CHECK(child != NULL);
    for (L4_Word_t i = 0; i < 6; i++) {
        L4_Word_t frame = block + (i % 3) * 4096;
        L4_Msg_t msg;
        put_function((void *)frame, 0x30 + i);
        L4_MsgClear(&msg);
        L4_MsgAppendMapItem(&msg,
                            L4_MapItem((L4_Fpage_t){.raw = page(frame, L4_ReadeXecOnly)}, PAGE_A));
        CHECK(child_map(child, &msg));
        EQUAL(child_execute(child, PAGE_A), 0x30 + i);
    }
    (void)L4_UnmapFpage(
        (L4_Fpage_t){.raw = L4_FpageLog2(block, FRAMES_BLOCK_LOG2).raw | L4_FullyAccessible});
}

/* The same page twice in one space: two addresses, one content. */
static void map_twice(void) {
    struct task *a = owner(22);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_B, L4_ITEM_MAP, b,
                         page(PAGE_B, 0)));
    CHECK(child_transfer(a, page(PAGE_A, L4_FullyAccessible), PAGE_C, L4_ITEM_MAP, b,
                         page(PAGE_C, 0)));
    for (L4_Word_t i = 0; i < 6; i++) {
        CHECK(child_write(b, i & 1 ? PAGE_B : PAGE_C, i));
        EQUAL(child_read(b, i & 1 ? PAGE_C : PAGE_B), i);
    }
    for (L4_Word_t i = 0; i < 6; i++) { /* at once, with both lines in the cache */
        struct outcome o = child_do(b, CHILD_WRITE_READ, i & 1 ? PAGE_B : PAGE_C, 0x70 + i,
                                    i & 1 ? PAGE_C : PAGE_B, 0);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0x70 + i);
    }
}

/*
 * The status bits of Unmap: what may have been accessed. The processors record nothing, so it is
 * all that there were rights for; no less, or a pager would throw away what was written.
 */
static void status_bits(void) {
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, 12, L4_CompleteAddressSpace);
    CHECK(!L4_IsNilFpage(got));
    L4_Word_t at = L4_Address(got);
    *(volatile L4_Word32_t *)(uintptr_t)at = 1;
    L4_Fpage_t asked = {.raw = page(at, 0)};
    EQUAL(L4_GetStatus(asked).raw, page(at, L4_FullyAccessible));
    EQUAL(L4_GetStatus(asked).raw, page(at, L4_FullyAccessible)); /* asking takes nothing away */
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem((L4_Fpage_t){.raw = page(at, L4_Readable)}, PAGE_A));
    CHECK(child_map(child, &msg));
    EQUAL(L4_UnmapFpage((L4_Fpage_t){.raw = page(at, L4_FullyAccessible)}).raw,
          page(at, L4_FullyAccessible));
    EQUAL(L4_Flush((L4_Fpage_t){.raw = page(at, L4_Writable)}).raw, page(at, L4_FullyAccessible));
    EQUAL(L4_GetStatus(asked).raw, page(at, L4_ReadeXecOnly));
    EQUAL(L4_Flush((L4_Fpage_t){.raw = page(at, L4_FullyAccessible)}).raw,
          page(at, L4_ReadeXecOnly));
    EQUAL(L4_GetStatus(asked).raw, page(at, L4_NoAccess));
    CHECK(L4_WasWritten(L4_GetStatus(L4_CompleteAddressSpace)));
}

const struct test map_tests[] = {
    {"map_shares", map_shares},
    {"map_read_only", map_read_only},
    {"map_no_more_rights", map_no_more_rights},
    {"map_nothing", map_nothing},
    {"map_outside_window", map_outside_window},
    {"map_over_areas", map_over_areas},
    {"map_revoke_recursive", revoke_recursive},
    {"map_revoke_subtree", revoke_subtree},
    {"map_revoke_write", revoke_write},
    {"map_revoke_by_root", revoke_by_root},
    {"map_grant", grant},
    {"map_large_fpage", large_fpage},
    {"map_many_items", many_items},
    {"map_over", map_over},
    {"map_over_code", map_over_code},
    {"map_twice", map_twice},
    {"map_status_bits", status_bits},
    {NULL, NULL},
};
