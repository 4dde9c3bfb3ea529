/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces that want the same megabytes, where no PID register moves them apart: what one takes from
 * the other, how many flushes that costs, and that nothing of the other's is left.
 */
#include "test.h"

#include "child/protocol.h"

#include <l4/kdebug.h>

#define SECTIONS 3u
#define WORDS    64u
#define TURNS    40u

static const L4_Word_t places[SECTIONS] = {0x80000000, 0x80155000, 0x9f0aa000};

static struct task *with_pages(L4_Word_t seed) {
    struct task *child = child_new();
    for (unsigned i = 0; child != NULL && i < SECTIONS; i++) {
        if (task_add_page(child, places[i], NULL, L4_FullyAccessible) == NULL ||
            !child_fill(child, places[i], WORDS, seed + i)) {
            return NULL;
        }
    }
    return child;
}

static bool holds(struct task *child, L4_Word_t seed) {
    for (unsigned i = 0; i < SECTIONS; i++) {
        TRY(child_holds(child, places[i], WORDS, seed + i));
    }
    return true;
}

/* All that two spaces contest changes hands with one flush. */
static void at_once(void) {
    struct task *one = with_pages(0x100);
    struct task *other = with_pages(0x200);
    CHECK(one != NULL && other != NULL);
    CHECK(holds(one, 0x100) && holds(other, 0x200));
    L4_Word_t flushes = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        CHECK(holds(one, 0x100) && holds(other, 0x200));
    }
    flushes = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES) - flushes;
    /* flush has one for each switch; they are 2 * SECTIONS messages a child's turn. */
    if (L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED) != 0) {
        CHECK(flushes <= 2 * TURNS + 2);
    }
}

/* What a space has not used since the last flush of all it has lost: it is taken without one. */
static void clean_ones(void) {
    struct task *one = with_pages(0x100);
    struct task *other = with_pages(0x200);
    struct task *third = with_pages(0x300);
    CHECK(one != NULL && other != NULL && third != NULL);
    CHECK(holds(one, 0x100) && holds(other, 0x200) && holds(third, 0x300));
    for (unsigned turn = 0; turn < TURNS; turn++) {
        CHECK(child_write(one, places[0], turn));
        CHECK(child_write(other, places[1], turn + 1));
        CHECK(child_holds(third, places[2], WORDS, 0x302));
        CHECK(child_write(third, places[0], turn + 2));
        EQUAL(child_read(one, places[0]), turn);
        EQUAL(child_read(other, places[1]), turn + 1);
        EQUAL(child_read(third, places[0]), turn + 2);
        CHECK(child_holds(one, places[2], WORDS, 0x102));
    }
}

/*
 * An attacker reaches for what it must not have. It is denied, but the walk has left a translation
 * that is the owner's: neither may it stay when the section goes to a third by itself, nor when the
 * owner's domain is given to somebody.
 */
static void denied_walk(void) {
    struct task *owner = with_pages(0x100);
    struct task *third = with_pages(0x200);
    struct task *flusher = child_new(), *other = child_new();
    CHECK(owner != NULL && third != NULL && flusher != NULL && other != NULL);
    CHECK(task_add_page(flusher, 0xb0000000, NULL, L4_FullyAccessible) != NULL);
    CHECK(task_add_page(other, 0xb0000000, NULL, L4_FullyAccessible) != NULL);
    CHECK(holds(owner, 0x100) && holds(third, 0x200));
    for (unsigned turn = 0; turn < 4; turn++) {
        struct task *attacker = child_new(); /* it stops at the fault: no answer tidies up */
        CHECK(attacker != NULL && holds(owner, 0x100));
        CHECK(child_write(flusher, 0xb0000000, turn)); /* with a flush */
        CHECK(child_write(other, 0xb0000000, turn));
        EQUAL(child_do(attacker, CHILD_READ, places[0], 0, 0, 0).kind, OUTCOME_FAULT);
        CHECK(holds(third, 0x200));
    }
}

/* The domain of a space that has not run since a flush goes to another, and the TLBs are left. */
static void denied_then_recycled(void) {
    struct task *many[20];
    struct task *attacker = child_new();
    CHECK(attacker != NULL);
    for (unsigned i = 0; i < 20; i++) {
        many[i] = child_new();
        CHECK(many[i] != NULL);
        CHECK(task_add_page(many[i], 0x80000000 + i * 0x100000, NULL, L4_FullyAccessible) != NULL);
        CHECK(child_fill(many[i], 0x80000000 + i * 0x100000, 4, i));
    }
    for (unsigned turn = 0; turn < 60; turn++) {
        unsigned i = random_word() % 20, j = random_word() % 20;
        CHECK(child_denied(attacker, CHILD_READ, 0x80000000 + i * 0x100000, L4_Readable));
        CHECK(child_holds(many[j], 0x80000000 + j * 0x100000, 4, j));
        if (i != j) {
            CHECK(child_denied(many[j], CHILD_READ, 0x80000000 + i * 0x100000, L4_Readable));
        }
        CHECK(child_holds(many[i], 0x80000000 + i * 0x100000, 4, i));
    }
}

#define FILLERS 16u /* more than there are domains: whoever does not run loses its own */

/* The owner has lost its domain, and nobody flushed: its lines are still there when the other takes
 * back what both contest. */
static void left_by_recycling(void) {
    static const L4_Word_t seeds[2] = {0x100, 0x200};
    struct task *spaces[2] = {with_pages(seeds[0]), with_pages(seeds[1])};
    struct task *filler[FILLERS];
    CHECK(spaces[0] != NULL && spaces[1] != NULL);
    for (unsigned i = 0; i < FILLERS; i++) {
        filler[i] = child_new();
        CHECK(filler[i] != NULL);
        CHECK(task_add_page(filler[i], 0xa0000000 + i * 0x100000, NULL, L4_FullyAccessible) !=
              NULL);
    }
    for (unsigned turn = 0; turn < 3; turn++) {
        unsigned owner = turn % 2, other = 1 - owner;
        CHECK(holds(spaces[other], seeds[other]) && holds(spaces[owner], seeds[owner]));
        CHECK(child_fill(spaces[owner], places[0], WORDS, seeds[owner]));
        for (unsigned i = 0; i < FILLERS; i++) {
            CHECK(child_fill(filler[i], 0xa0000000 + i * 0x100000, 4, i));
        }
        CHECK(holds(spaces[other], seeds[other]));
        for (unsigned i = 0; i < FILLERS; i++) {
            CHECK(child_holds(filler[i], 0xa0000000 + i * 0x100000, 4, i));
        }
    }
}

const struct test collide_tests[] = {
    {"collide_at_once", at_once},
    {"collide_clean_ones", clean_ones},
    {"collide_denied_walk", denied_walk},
    {"collide_denied_then_recycled", denied_then_recycled},
    {"collide_left_by_recycling", left_by_recycling},
    {NULL, NULL},
};
