/* SPDX-License-Identifier: Apache-2.0 */
/*
 * I/O ports: which space has which from whom, and the task state's map of them (io_fpages.h).
 *
 * A port has its own number in every space, so a space has it once, from one *giver*. A giver's
 * ports that go, go from those that have them from there, too.
 */
#include "io_fpages.h"

#include "board.h"
#include "cpu.h"
#include "kmem.h"
#include "page_sizes.h"
#include "segments.h"
#include "spaces.h"
#include "string.h"

#define PORTS      (1u << L4_IO_PORTS_LOG2)
#define MAP_ORDER  1u
#define MAP_WORDS  (PORTS / 32)
#define PART_PORTS PAGE_SIZE /* whose givers, a byte each, are in a page */
#define PARTS_ALL  (PORTS / PART_PORTS)

_Static_assert(MAP_WORDS * 4 == TASK_PORTS_SIZE && PAGE_SIZE << MAP_ORDER == TASK_PORTS_SIZE,
               "the map of ports");

/* So many spaces can have ports at once. A giver is a number from 1 on, or sigma0. */
#define HOLDERS      63u
#define GIVER_SIGMA0 0u

static struct holder {
    struct space *space;        /* NULL: nobody's */
    uint32_t *closed;           /* a bit for each port, as in the task state: 1, it has it not */
    uint32_t first, end;        /* words of it in which others have ever been */
    uint32_t count;             /* of its ports */
    uint8_t *givers[PARTS_ALL]; /* by port; NULL: it has none there */
} holders[HOLDERS];

/* Whose ports are in the task state's map: its space's io_map is TASK_IO_OPEN, all others' are
 * TASK_IO_CLOSED. */
static struct holder *loaded;

static uint32_t number_of(const struct holder *h) {
    return (uint32_t)(h - holders) + 1;
}

static struct holder *find(const struct space *space) {
    for (struct holder *h = holders; h < &holders[HOLDERS]; h++) {
        if (h->space == space) {
            return h;
        }
    }
    return NULL;
}

static bool has(const struct holder *h, uint32_t port) {
    return h->space != NULL && (h->closed[port / 32] >> port % 32 & 1) == 0;
}

static uint8_t *giver_of(const struct holder *h, uint32_t port) {
    return &h->givers[port / PART_PORTS][port % PART_PORTS];
}

static struct holder *make_holder(struct space *space) {
    struct holder *h = find(NULL);
    uint32_t *closed = h == NULL ? NULL : kmem_alloc_uncached(MAP_ORDER);
    if (closed == NULL) {
        return NULL;
    }
    memset(closed, 0xff, TASK_PORTS_SIZE);
    *h = (struct holder){.space = space, .closed = closed, .first = MAP_WORDS};
    return h;
}

/* ---- the task state's map ---- */

static void unload(void) {
    if (loaded != NULL) {
        uint32_t *map = &task_state[TASK_PORTS / 4];
        memset(map + loaded->first, 0xff, (loaded->end - loaded->first) * 4);
        loaded->space->scheme.io_map = TASK_IO_CLOSED;
        loaded = NULL;
        /* Its space may be in force. The map permits nothing now, so that no program could tell;
         * but the word stays that of the space in force, as the switch leaves it. */
        task_state[TASK_IO_MAP / 4] = TASK_IO_CLOSED;
    }
}

/* Its space is in force. */
static void load(struct holder *h) {
    unload();
    memcpy(&task_state[TASK_PORTS / 4 + h->first], &h->closed[h->first], (h->end - h->first) * 4);
    loaded = h;
    h->space->scheme.io_map = TASK_IO_OPEN;
    task_state[TASK_IO_MAP / 4] = TASK_IO_OPEN;
}

/* The port's bit has changed. */
static void update_map(const struct holder *h, uint32_t port) {
    if (loaded == h) {
        task_state[TASK_PORTS / 4 + port / 32] = h->closed[port / 32];
    }
}

/* ---- giving and taking ---- */

static bool give(struct holder *h, uint32_t port, uint32_t giver) {
    uint8_t **part = &h->givers[port / PART_PORTS];
    if (*part == NULL) {
        *part = kmem_alloc_uncached(0);
        if (*part == NULL) {
            return false;
        }
    }
    if (!has(h, port)) {
        h->count++;
    }
    h->closed[port / 32] &= ~(1u << port % 32);
    h->first = port / 32 < h->first ? port / 32 : h->first;
    h->end = port / 32 < h->end ? h->end : port / 32 + 1;
    *giver_of(h, port) = (uint8_t)giver;
    update_map(h, port);
    return true;
}

static void take(struct holder *h, uint32_t port) {
    h->count--;
    h->closed[port / 32] |= 1u << port % 32;
    update_map(h, port);
}

/* From all who have the port from this giver, and from those. */
static void take_given(uint32_t giver, uint32_t port) {
    uint64_t givers = 1ull << giver;
    bool again;
    do {
        again = false;
        for (struct holder *h = holders; h < &holders[HOLDERS]; h++) {
            if (has(h, port) && (givers >> *giver_of(h, port) & 1) != 0) {
                take(h, port);
                givers |= 1ull << number_of(h);
                again = true;
            }
        }
    } while (again);
}

/* The port leaves one for the other; who has it from there has it from the other one now. */
static bool move(struct holder *from, struct holder *to, uint32_t port) {
    if (!give(to, port, *giver_of(from, port))) {
        return false;
    }
    for (struct holder *h = holders; h < &holders[HOLDERS]; h++) {
        if (h != to && has(h, port) && *giver_of(h, port) == number_of(from)) {
            *giver_of(h, port) = (uint8_t)number_of(to);
        }
    }
    take(from, port);
    return true;
}

/* Those who have no ports any more have no table either. */
static void free_holders(void) {
    for (struct holder *h = holders; h < &holders[HOLDERS]; h++) {
        if (h->space == NULL || h->count != 0) {
            continue;
        }
        if (loaded == h) {
            unload();
        }
        for (uint32_t i = 0; i < PARTS_ALL; i++) {
            if (h->givers[i] != NULL) {
                kmem_free_uncached(h->givers[i], 0);
            }
        }
        kmem_free_uncached(h->closed, MAP_ORDER);
        h->space = NULL;
    }
}

/* ---- what others call ---- */

/* The ports from *first to before *end; none if the fpage has more than there are. */
static void range_of(L4_Fpage_t f, uint32_t *first, uint32_t *end) {
    uint32_t log2 = L4_IoFpageSizeLog2(f);
    *first = *end = 0;
    if (L4_IsCompleteAddressSpace(f)) {
        *end = PORTS;
    } else if (io_is_fpage(f) && log2 <= L4_IO_PORTS_LOG2) {
        *first = L4_IoFpagePort(f) & ~((1u << log2) - 1);
        *end = *first + (1u << log2);
    }
}

/* What the target has already stays, unless it has it from there and is to have it for good. */
static bool map_port(struct holder *from, struct holder *to, uint32_t port, bool grant) {
    uint32_t giver = from == NULL ? GIVER_SIGMA0 : number_of(from);
    if (from == NULL ? board_keeps_port(port) : !has(from, port)) {
        return true;
    }
    if (has(to, port) && (!grant || *giver_of(to, port) != giver)) {
        return true;
    }
    return grant && from != NULL ? move(from, to, port) : give(to, port, giver);
}

bool io_map(struct space *from, L4_Fpage_t send, bool grant, struct space *to, L4_Fpage_t window) {
    uint32_t first, end, window_first, window_end;
    struct holder *source = from->is_sigma0 ? NULL : find(from);
    range_of(send, &first, &end);
    range_of(window, &window_first, &window_end);
    first = first < window_first ? window_first : first;
    end = end < window_end ? end : window_end;
    if (first >= end || (source == NULL && !from->is_sigma0) || to->is_sigma0 || from == to) {
        return true;
    }
    struct holder *target = find(to);
    if (target == NULL) {
        target = make_holder(to);
    }
    bool good = target != NULL;
    for (uint32_t port = first; port < end && good; port++) {
        good = map_port(source, target, port, grant);
    }
    free_holders();
    return good;
}

uint32_t io_unmap(struct space *space, L4_Fpage_t fpage, bool own) {
    uint32_t port, end, rights = 0;
    struct holder *h = space->is_sigma0 ? NULL : find(space);
    range_of(fpage, &port, &end);
    if (h != NULL) {
        port = port < h->first * 32 ? h->first * 32 : port;
        end = end < h->end * 32 ? end : h->end * 32;
    } else if (!space->is_sigma0) {
        return 0;
    }
    for (; port < end; port++) {
        if (h != NULL && !has(h, port)) {
            continue;
        }
        rights = L4_Readable | L4_Writable;
        if (L4_Rights(fpage) == 0) {
            break;
        }
        take_given(h == NULL ? GIVER_SIGMA0 : number_of(h), port);
        if (own && h != NULL) {
            take(h, port);
        }
    }
    free_holders();
    return rights;
}

void io_space_ends(struct space *space) {
    L4_Fpage_t all = L4_FpageAddRights(L4_IoFpageLog2(0, L4_IO_PORTS_LOG2), L4_FullyAccessible);
    if (!space->is_sigma0) {
        (void)io_unmap(space, all, true);
    }
}

enum io_access io_access(struct space *space, uint32_t first, uint32_t count) {
    struct holder *h = find(space);
    bool missing = false;
    for (uint32_t port = first; port < first + count; port++) {
        if (port >= PORTS || board_keeps_port(port)) {
            return IO_NO_PORTS;
        }
        missing = missing || h == NULL || !has(h, port);
    }
    if (missing) {
        return IO_MISSING;
    }
    if (loaded == h) {
        return IO_PERMITTED;
    }
    load(h);
    return IO_LOADED;
}
