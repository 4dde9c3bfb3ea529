/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces that collide at every switch, which the kernel switches to as scheme `flush` does: what
 * that costs, that their pages can change meanwhile, and that it ends when they collide no more.
 */
#include "test.h"

#include "child/protocol.h"

#include <l4/kdebug.h>

#define WORDS   64u
#define ENOUGH  24u    /* calls until both bypass the CPD */
#define FOREVER 20000u /* calls until all have come back */
#define LOW     0x00080000u
#define HIGH    0x80000000u

/* The page of its UTCB and the one of our UTCB are in one megabyte, which both need in each call.
 */
static struct task *colliding(void) {
    return child_new_at(L4_ROOT_UTCB_AREA + 0x40000);
}

static bool call_often(struct task *child, unsigned times) {
    for (unsigned i = 0; i < times; i++) {
        TRY(child_echoes(child, 1, 0));
    }
    return true;
}

/* Of so many calls. */
static L4_Word_t flushes_of(struct task *child, unsigned calls) {
    L4_Word_t before = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES);
    return call_often(child, calls) ? L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES) - before : ~0u;
}

/* True: it collides so often that somebody bypasses the CPD from here on. */
static bool begin_bypass(struct task *child) {
    L4_Word_t before = L4_KDB_Statistic(L4_STAT_BYPASS);
    for (unsigned i = 0; i < 100 && L4_KDB_Statistic(L4_STAT_BYPASS) == before; i++) {
        TRY(call_often(child, ENOUGH));
    }
    TRY(L4_KDB_Statistic(L4_STAT_BYPASS) != before);
    return call_often(child, ENOUGH);
}

static bool have_domains(void) {
    if (L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED) == 0) {
        test_skip("this scheme has no domains");
        return false;
    }
    return true;
}

/* One flush a switch, and no collision in most of them. */
static void costs_a_flush(void) {
    if (!have_domains()) {
        return;
    }
    struct task *child = colliding();
    CHECK(child != NULL);
    CHECK(begin_bypass(child));
    L4_Word_t collisions = L4_KDB_Statistic(L4_STAT_COLLISIONS);
    L4_Word_t flushes = flushes_of(child, 50);
    collisions = L4_KDB_Statistic(L4_STAT_COLLISIONS) - collisions;
    CHECK(flushes >= 100 && flushes <= 110);
    CHECK(collisions <= 20);
}

/* What a page holds is neither lost nor left behind when it comes, goes, loses its rights, or when
 * another takes its place. */
static void pages_change(void) {
    if (!have_domains()) {
        return;
    }
    static const L4_Word_t places[] = {LOW, HIGH, HIGH + 0x1000, 0x40000000};
    struct task *child = colliding();
    CHECK(child != NULL);
    CHECK(begin_bypass(child));
    for (unsigned turn = 0; turn < 12; turn++) {
        for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
            L4_Word_t seed = turn * 8 + i;
            volatile L4_Word32_t *frame = (volatile L4_Word32_t *)(void *)task_add_page(
                child, places[i], NULL, L4_FullyAccessible);
            CHECK(frame != NULL);
            CHECK(child_fill(child, places[i], WORDS, seed));
            EQUAL(frame[1], CHILD_PATTERN(seed, 1)); /* the same frame at our address */
            frame[2] = turn;
            EQUAL(child_read(child, places[i] + 8), turn);
            CHECK(child_write(child, places[i] + 12, seed));
            L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2);
            (void)L4_UnmapFpage(L4_FpageAddRights(fpage, L4_Writable));
            EQUAL(frame[3], seed);
            EQUAL(child_read(child, places[i] + 12), seed);
            CHECK(child_write(child, places[i] + 16, seed)); /* it gets the right again */
            EQUAL(frame[4], seed);
            (void)L4_UnmapFpage(L4_FpageAddRights(fpage, L4_FullyAccessible));
            frame[5] = (L4_Word32_t)seed;
            EQUAL(child_read(child, places[i] + 20), seed);
            frame_free(task_remove_page(child, places[i]));
        }
    }
}

/* It changes its own page, which nobody else sees meanwhile: what it wrote is in the frame. */
static void own_page(void) {
    if (!have_domains()) {
        return;
    }
    struct task *child = colliding();
    CHECK(child != NULL);
    uint8_t *frame = task_add_page(child, LOW, NULL, L4_ReadWriteOnly);
    CHECK(frame != NULL);
    CHECK(task_add_page(child, HIGH, frame, L4_ReadWriteOnly) != NULL);
    CHECK(begin_bypass(child));
    for (L4_Word_t round = 0; round < 8; round++) {
        CHECK(child_fill(child, LOW, WORDS, round));
        CHECK(child_holds(child, HIGH, WORDS, round));
        CHECK(child_write(child, LOW + 32, 1));
        L4_Word_t arguments[5] = {LOW + 32, 0x700 + round, L4_UNMAP_FLUSH,
                                  L4_FpageLog2(LOW, 12).raw | L4_FullyAccessible, HIGH + 32};
        CHECK(child_send(child, CHILD_WRITE_UNMAP_READ, 5, arguments));
        struct outcome o = child_wait(child);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0x700 + round);
    }
    child->num_pages--; /* one frame, given back once */
}

/*
 * A space maps something at the addresses of its slot while it is not in it: then it comes back to
 * another. It collides as it has a page in the megabyte of ours that we touch.
 */
static void own_slot(void) {
    const volatile uint8_t *block = frames_block();
    L4_Word_t ours = ((L4_Word_t)block & ~0xfffffu) + 0x40000;
    struct task *child = child_new();
    if (!have_domains()) {
        return;
    }
    CHECK(child != NULL && task_add_page(child, LOW, NULL, L4_FullyAccessible) != NULL);
    CHECK(task_add_page(child, ours, NULL, L4_FullyAccessible) != NULL);
    CHECK(child_fill(child, LOW, WORDS, 1));
    for (unsigned i = 0; i < 100; i++) {
        (void)block[0];
        (void)child_read(child, ours);
    }
    for (L4_Word_t slot = 63; slot >= 32; slot--) {
        (void)block[0];
        CHECK(task_add_page(child, slot << 25 | LOW, NULL, L4_FullyAccessible) != NULL);
        CHECK(child_fill(child, slot << 25 | LOW, WORDS, slot));
    }
    for (unsigned i = 0; i < FOREVER && flushes_of(child, 1) != 0; i++) {
    }
    for (unsigned round = 0; round < 3; round++) {
        CHECK(child_holds(child, LOW, WORDS, 1));
        for (L4_Word_t slot = 63; slot >= 32; slot--) {
            CHECK(child_holds(child, slot << 25 | LOW, WORDS, slot));
        }
    }
}

/* Long messages, both ways. */
static void long_messages(void) {
    if (!have_domains()) {
        return;
    }
    struct task *child = colliding();
    CHECK(child != NULL);
    CHECK(begin_bypass(child));
    for (unsigned n = 1; n < 60; n++) {
        CHECK(child_echoes(child, n, n));
    }
}

/* A space that ends while it bypasses the CPD, and another at its place. */
static void ends(void) {
    for (unsigned round = 0; round < 6; round++) {
        struct task *child = colliding();
        CHECK(child != NULL);
        CHECK(task_add_page(child, HIGH, NULL, L4_FullyAccessible) != NULL);
        CHECK(child_fill(child, HIGH, WORDS, round));
        CHECK(call_often(child, 60));
        CHECK(child_holds(child, HIGH, WORDS, round));
        child_delete(child);
    }
    struct task *other = child_new();
    CHECK(other != NULL);
    CHECK(call_often(other, ENOUGH));
}

/* When nobody collides any more, all come back, and a switch is cheap again. */
static void comes_back(void) {
    if (!have_domains()) {
        return;
    }
    struct task *child = colliding();
    struct task *friend = child_new();
    CHECK(child != NULL && friend != NULL);
    CHECK(begin_bypass(child));
    child_delete(child);
    for (unsigned i = 0; i < FOREVER && flushes_of(friend, ENOUGH) != 0; i += ENOUGH) {
    }
    EQUAL(flushes_of(friend, ENOUGH), 0);
}

const struct test bypass_tests[] = {
    {"bypass_costs_a_flush", costs_a_flush}, {"bypass_pages_change", pages_change},
    {"bypass_own_page", own_page},           {"bypass_own_slot", own_slot},
    {"bypass_long_messages", long_messages}, {"bypass_ends", ends},
    {"bypass_comes_back", comes_back},       {NULL, NULL},
};
