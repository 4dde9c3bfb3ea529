/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of small spaces, each with an area of its own (scheme `small-spaces-groups`): by hand, and
 * as the kernel finds them.
 */
#include "small_child.h"

/* 0: it is in none, as it is large or global. */
static L4_Word_t group_of(const struct task *child) {
    return space_control(child, 0) >> L4_SMALL_SPACE_GROUP & 0xff;
}

static bool set(const struct task *child, L4_Word_t group, L4_Word_t number) {
    L4_Word_t word = L4_SMALL_SPACE_SET | group << L4_SMALL_SPACE_GROUP | number;
    return (space_control(child, word) & L4_SMALL_SPACE_DONE) != 0;
}

static bool is_global(const struct task *child) {
    return group_of(child) == 0 && (space_control(child, 0) & L4_SMALL_SPACE_NUMBER) != 0;
}

/* A child with a page of words of this seed, which it has seen. */
static struct task *child_with(L4_Word_t seed) {
    struct task *child = child_new();
    if (child == NULL || filled_page(child, INSIDE, seed) == NULL) {
        return NULL;
    }
    return child_holds(child, INSIDE, 64, seed) ? child : NULL;
}

static bool has_groups(void) {
    struct task *child = child_new();
    bool has = child != NULL && group_of(child) != 0;
    if (!has) {
        test_skip("no groups of small spaces, or no limits of segments");
    }
    child_delete(child);
    return has;
}
#define NEEDS_GROUPS                                                                               \
    do {                                                                                           \
        if (!has_groups()) {                                                                       \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* One has the other look at its own page, which has words of `seed`. */
static bool calls(struct task *from, struct task *to, L4_Word_t seed) {
    const struct child_ipc call = {
        .to = to->id.raw,
        .from = to->id.raw,
        .timeouts = L4_Timeouts(PATIENCE, PATIENCE),
        .num_buffers = 1,
        .num_words = 5,
        .words = {L4_MakeMsgTag(CHILD_LABEL, 4, 0).raw, CHILD_COMPARE, INSIDE, 64, seed}};
    TRY(child_ipc(from, &call));
    struct outcome o = child_wait(from);
    TRY(o.kind == OUTCOME_DONE);
    TRY(o.words[0] == 0 && o.words[5] == 0);
    return true;
}

/* The same region in several groups: each has its own pages there, whoever ran before, also when
 * they change, and when one has left. */
static void same_region(void) {
    NEEDS_GROUPS;
    enum { N = 5 };
    struct task *child[N];
    L4_Word_t number = L4_SmallSpace(256, 4);
    for (unsigned i = 0; i < N; i++) {
        child[i] = child_with(i);
        CHECK(child[i] != NULL && set(child[i], i + 1, number));
        EQUAL(group_of(child[i]), i + 1);
    }
    struct task *other = child_new();
    CHECK(other != NULL && !set(other, 2, number)); /* there, it is taken */
    for (unsigned i = 0; i < N; i++) {
        CHECK(child_holds(child[i], INSIDE, 64, i));
        CHECK(calls(child[i], child[(i + 1) % N], (i + 1) % N));
    }
    frame_free(task_remove_page(child[1], INSIDE));
    CHECK(child_denied(child[1], CHILD_READ, INSIDE, L4_Readable));
    CHECK(child_holds(child[0], INSIDE, 64, 0) && child_holds(child[2], INSIDE, 64, 2));
    child_delete(child[2]);
    CHECK(set(other, 3, number));
    CHECK(child_denied(other, CHILD_READ, INSIDE, L4_Readable));
    CHECK(child_holds(child[3], INSIDE, 64, 3));
    CHECK(set(child[3], 4, L4_SmallSpace(260, 4))); /* the only one there, to another place */
    CHECK(child_holds(child[3], INSIDE, 64, 3));
    CHECK(!set(child[3], 17, number));
}

/* A global one is seen under the directories of all groups and of large spaces; what it loses,
 * under all. */
static void global_by_hand(void) {
    NEEDS_GROUPS;
    enum { N = 4 };
    struct task *child[N];
    struct task *server = child_with(9);
    CHECK(server != NULL && set(server, 0, L4_SmallSpace(8, 4)) && is_global(server));
    CHECK(child_holds(server, INSIDE, 64, 9));
    CHECK(!set(server, 1, L4_SmallSpace(8, 4)));
    for (unsigned i = 0; i < N; i++) {
        child[i] = child_with(i);
        CHECK(child[i] != NULL);
        CHECK(i == 0 ? set(child[i], 0, L4_LargeSpace) : set(child[i], i, L4_SmallSpace(256, 4)));
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++) {
            CHECK(calls(child[i], server, 9) && child_holds(child[i], INSIDE, 64, i));
        }
    }
    CHECK(set(server, 2, L4_SmallSpace(320, 4))); /* into a group: not global any more */
    EQUAL(group_of(server), 2);
    struct task *next = child_with(10);
    CHECK(next != NULL && set(next, 0, L4_SmallSpace(8, 4)));
    for (unsigned i = 0; i < N; i++) {
        CHECK(calls(child[i], server, 9) && calls(child[i], next, 10));
    }
}

/* A child that the kernel has put into another group than the first: while that is full. */
static struct task *child_in_another(L4_Word_t seed) {
    struct task *holder[2] = {child_new(), child_new()};
    if (holder[0] == NULL || holder[1] == NULL || !set(holder[0], 0, L4_LargeSpace) ||
        !set(holder[1], 0, L4_LargeSpace)) {
        return NULL;
    }
    /* What others have in the first group is in its first part of 128 MB. */
    bool full = set(holder[0], 1, L4_SmallSpace(256, 256));
    L4_Word_t size = 64, at = 192;
    struct task *more[8] = {NULL};
    for (unsigned i = 0; i < 5 && full; i++, size /= 2, at -= size) {
        more[i] = child_new();
        full = more[i] != NULL && set(more[i], 0, L4_LargeSpace) &&
               set(more[i], 1, L4_SmallSpace(at, size));
    }
    struct task *fillers[4];
    unsigned n = 0;
    struct task *child = NULL;
    while (full && n < 4) {
        child = child_with(seed);
        if (child == NULL || group_of(child) != 1) {
            break;
        }
        fillers[n++] = child;
        child = NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        child_delete(fillers[i]);
    }
    for (unsigned i = 0; i < 5; i++) {
        if (more[i] != NULL) {
            child_delete(more[i]);
        }
    }
    child_delete(holder[0]);
    child_delete(holder[1]);
    return child;
}

/* Two who talk to each other find themselves in one group. */
static void found(void) {
    NEEDS_GROUPS;
    struct task *a = child_with(1);
    CHECK(a != NULL);
    struct task *b = child_in_another(2);
    CHECK(b != NULL);
    EQUAL(group_of(a), 1);
    CHECK(group_of(b) > 1);
    for (unsigned i = 0; i < 100 && group_of(b) != 1; i++) {
        CHECK(calls(a, b, 2));
    }
    EQUAL(group_of(a), 1);
    EQUAL(group_of(b), 1);
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(b, INSIDE, 64, 2));
}

/* One whom members of many groups talk to becomes global. */
static void found_server(void) {
    NEEDS_GROUPS;
    enum { N = 4 };
    struct task *child[N];
    struct task *server = child_with(9);
    CHECK(server != NULL);
    for (unsigned i = 0; i < N; i++) {
        child[i] = child_with(i);
        CHECK(child[i] != NULL && set(child[i], i + 2, L4_SmallSpace(256, 4)));
    }
    for (unsigned i = 0; i < 400 && !is_global(server); i++) {
        /* As if each were busy with it for a while. */
        CHECK(calls(child[i / 5 % N], server, 9));
    }
    CHECK(is_global(server));
    for (unsigned i = 0; i < N; i++) {
        CHECK(calls(child[i], server, 9) && child_holds(child[i], INSIDE, 64, i));
    }
}

/* One who talks to a large space (us) only becomes global: no directory shows both else. */
static void found_large(void) {
    NEEDS_GROUPS;
    struct task *child = child_with(3);
    CHECK(child != NULL);
    EQUAL(group_of(child), 1);
    for (unsigned i = 0; i < 200 && !is_global(child); i++) {
        EQUAL(child_do(child, CHILD_IDENTITY, 0, 0, 0, 0).words[0], child->id.raw);
    }
    CHECK(is_global(child));
    CHECK(child_holds(child, INSIDE, 64, 3));
}

const struct test group_tests[] = {
    {"group_same_region", same_region},
    {"group_global_by_hand", global_by_hand},
    {"group_found", found},
    {"group_found_server", found_server},
    {"group_found_large", found_large},
    {NULL, NULL},
};
