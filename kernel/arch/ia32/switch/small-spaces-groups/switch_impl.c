/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `small-spaces-groups`, out of line: who is in which group.
 */
#include "small.h"
#include "switch.h"

#include "cpu.h"
#include "events.h"
#include "kmem.h"
#include "spaces.h"

#define GROUPS      16u
#define GROUP_FIRST (SMALL_UNITS / 4) /* the units below are the global spaces' */

/* A space is looked at after so many loads of CR3 to run it. */
#define REVIEW 8u
/* It joins the group from which it came at so many looks in a row; it is global if it came from
 * another one each time, so often. */
#define JOINS   2u
#define STRANGE 3u
/* It is global, too, if it came from a large space at so many looks in a row: from those a global
 * one is reached without a load of CR3, and they are in no group. What such a pair loses at worst
 * is the two loads of so many times REVIEW messages and their answers. */
#define OF_LARGE 4u

static struct space *global_holders[GROUP_FIRST];
static const struct small_area global_area = {.holder = global_holders, .end = GROUP_FIRST};

/* The first is there from the beginning, the others while they have members. */
static struct group {
    struct small_area area; /* directory 0: not there */
    struct space *holder[SMALL_UNITS];
} groups[GROUPS];

/* Stands for all large spaces, where a group is looked for from which a space came. */
static const struct small_area large_spaces;

static struct group *group_of(const struct small_area *area) {
    return area == NULL || area == &global_area ? NULL : (struct group *)area;
}

static bool begin_group(struct group *g) {
    if (g->area.directory == 0) {
        uint32_t *directory = small_make_directory();
        if (directory == NULL) {
            return false;
        }
        g->area = (struct small_area){.holder = g->holder,
                                      .first = GROUP_FIRST,
                                      .end = SMALL_UNITS,
                                      .directory = heap_uncached_to_pa(directory)};
    }
    return true;
}

static uint32_t count_members(const struct group *g) {
    uint32_t n = 0;
    for (uint32_t i = GROUP_FIRST; i < SMALL_UNITS; i++) {
        n += g->holder[i] != NULL && g->holder[i] != g->holder[i - 1];
    }
    return n;
}

void small_area_left(const struct small_area *area) {
    struct group *g = group_of(area);
    if (g != NULL && g != groups && g->area.directory != 0 && count_members(g) == 0) {
        small_free_directory(heap_pa_to_uncached(g->area.directory));
        g->area.directory = 0;
    }
}

void small_init(void) {
    bool good = begin_group(groups);
    kernel_assert(good);
}

/* In `g`, where it is looked at. The group is there afterwards only if that is so, or others are.
 */
static bool join(struct space *space, struct group *g, uint32_t units) {
    if (!begin_group(g) || !small_take(space, &g->area, units)) {
        small_area_left(&g->area);
        return false;
    }
    space->scheme.credit = REVIEW;
    space->scheme.times = 0;
    space->scheme.strangers = 0;
    return true;
}

/* All are in one group as long as there is room. */
bool small_place(struct space *space, uint32_t units) {
    for (struct group *g = groups; g < &groups[GROUPS]; g++) {
        if (join(space, g, units)) {
            return true;
        }
    }
    return false;
}

/* Whose directory is in force? NULL: a large space's, or the kernel's. */
static struct group *shown_group(void) {
    for (struct group *g = groups; g < &groups[GROUPS]; g++) {
        if (g->area.directory == hot.scheme.shown) {
            return g;
        }
    }
    return NULL;
}

static void make_global(struct space *space) {
    if (small_take(space, &global_area, small_count_units(space))) {
        count_event(EVENT_GLOBAL);
    }
}

/* It belongs to `other`, from which it came; but of two groups the one with fewer members goes to
 * the other one, so that two spaces do not exchange their places. */
static void follow(struct space *space, struct group *own, struct group *other) {
    uint32_t ours = count_members(own), theirs = count_members(other);
    if ((theirs > ours || (theirs == ours && other < own)) &&
        join(space, other, small_count_units(space))) {
        count_event(EVENT_GROUPED);
    }
}

/*
 * The space has been switched to with a load of CR3 for some time, and is about to be once more. If
 * it comes from the same group as at the last looks, it belongs there. If it comes from another one
 * each time, it is a server, and global; as it is if it serves a large space, or is served by one.
 */
void small_review(struct space *space) {
    struct group *own = group_of(space->scheme.area), *from = shown_group();
    const struct small_area *came = from != NULL ? &from->area : &large_spaces;
    space->scheme.credit = REVIEW;
    if (own == NULL || from == own) {
        return;
    }
    if (space->scheme.last_from != came) {
        space->scheme.last_from = came;
        space->scheme.times = 1;
        if (from != NULL && ++space->scheme.strangers > STRANGE) {
            make_global(space);
        }
        return;
    }
    space->scheme.times++;
    if (from == NULL) {
        if (space->scheme.times >= OF_LARGE) {
            make_global(space);
        }
    } else if (space->scheme.times >= JOINS) {
        space->scheme.strangers = 0;
        follow(space, own, from);
    }
}

/* By hand: the unit says if it is global; bits 15..8 are the group's number from 1 on, 0: the one
 * that it is in, or the first. */
#define CONTROL_GROUP 8

const struct small_area *small_area_by_hand(struct space *space, uint32_t control, uint32_t unit) {
    uint32_t number = control >> CONTROL_GROUP;
    if (unit < GROUP_FIRST) {
        return number == 0 ? &global_area : NULL;
    }
    struct group *own = group_of(space->scheme.area);
    struct group *g = number != 0 ? &groups[number - 1] : own != NULL ? own : groups;
    return number <= GROUPS && begin_group(g) ? &g->area : NULL;
}

uint32_t small_area_number(const struct small_area *area) {
    const struct group *g = group_of(area);
    return g == NULL ? 0 : (uint32_t)(g - groups + 1) << CONTROL_GROUP;
}
