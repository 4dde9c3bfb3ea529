/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small spaces, out of line: regions are given and taken, copied entries come and go.
 */
#include "small.h"

#include "cpu.h"
#include "events.h"
#include "kmem.h"
#include "ptab_entry.h"
#include "segments.h"
#include "small_asm.h"
#include "spaces.h"
#include "string.h"
#include "switch.h"
#include "switch_segments.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, unready) == SWITCH_UNREADY, "switch_state.unready");
_Static_assert(offsetof(struct switch_state, directory) == SWITCH_DIRECTORY,
               "switch_state.directory");
_Static_assert(offsetof(struct switch_state, descriptor) == SWITCH_DESCRIPTOR &&
                   SWITCH_DESCRIPTOR + 4 == SWITCH_DESCRIPTOR_HIGH,
               "switch_state.descriptor");
_Static_assert(offsetof(struct switch_state, credit) == SWITCH_CREDIT, "switch_state.credit");
_Static_assert(offsetof(struct switch_state, io_map) == SWITCH_IO_MAP, "switch_state.io_map");
_Static_assert(offsetof(struct switch_state, base) == SWITCH_BASE &&
                   offsetof(struct switch_state, size) == SWITCH_SIZE,
               "where the space lies");
_Static_assert(offsetof(struct hot, scheme.shown) == HOT_SHOWN, "hot.scheme.shown");

#define UNIT       ((uint32_t)SMALL_AREA / SMALL_UNITS)
#define AREA_FIRST (KERNEL_AREA >> SECTION_LOG2) /* directory entries of the area */
#define AREA_END   (KERNEL_VA >> SECTION_LOG2)

/*
 * Two entries of each directory, of addresses that the kernel has no use for: whether it has had
 * copies of global entries, and the next one in the list of those (a page's address: not present).
 */
#define ENTRY_LISTED 1022u
#define ENTRY_NEXT   1023u
#define LISTED       2u

/* What a space gets by itself is at most so large: else a few would have all. */
#define AUTOMATIC_UNITS (SMALL_UNITS / 8)

_Static_assert(UNIT >= 1u << SECTION_LOG2 && SMALL_AREA % SMALL_UNITS == 0,
               "the small-space area's size");

static uint32_t *listed; /* the first of that list */
static bool limits_are_checked;

/* ---- segments ---- */

extern uint64_t segments[SEGMENTS];

/* Data of level 3, present, writable, accessed, 32 bits, the limit in pages (SDM vol. 3, 3.4.3). */
#define DESCRIPTOR_DATA 0x00c0f300u

static void make_descriptor(uint32_t words[2], uint32_t base, uint32_t size) {
    uint32_t last = (size - 1) / PAGE_SIZE; /* (size 0: all 4 GB) */
    words[0] = (last & 0xffff) | base << 16;
    words[1] = (last & 0xf0000) | DESCRIPTOR_DATA | (base >> 16 & 0xff) | (base & 0xff000000);
}

static void load_descriptors(const uint32_t words[2]) {
    uint64_t data = (uint64_t)words[1] << 32 | words[0];
    segments[USER_DATA / 8] = data;
    segments[USER_CODE / 8] = data | (uint64_t)DESCRIPTOR_CODE << 32;
}

/* Does the processor check limits? A simulator may not. (The exception in here is
 * switch_kernel_fault's.) */
extern const char limit_probe[], limit_probe_end[];

static __attribute__((noinline)) bool check_limits(void) {
    uint32_t checked = 1, word;
    __asm__ volatile("    movl %2, %%fs\n"
                     "    .global limit_probe, limit_probe_end\n"
                     "limit_probe:\n"
                     "    movl %%fs:4, %1\n"
                     "    xorl %0, %0\n"
                     "limit_probe_end:\n"
                     : "+r"(checked), "=r"(word)
                     : "r"(USER_UTCB));
    return checked != 0;
}

extern const char path_checks[], path_checks_end[], sysenter_slow[];

uint32_t switch_kernel_fault(uint32_t pc) {
    if (pc >= (uint32_t)path_checks && pc < (uint32_t)path_checks_end) {
        return (uint32_t)sysenter_slow;
    }
    return pc == (uint32_t)limit_probe ? (uint32_t)limit_probe_end : 0;
}

/* ---- directories ---- */

static uint32_t *shown_directory(void) {
    return heap_pa_to_uncached(hot.scheme.shown);
}

static void show_none(void) {
    hot.scheme.shown = BOOT_DIRECTORY_PA;
    cpu_set_directory(BOOT_DIRECTORY_PA);
}

static void begin_directory(uint32_t *directory) {
    for (uint32_t i = AREA_END; i < ENTRY_LISTED; i++) {
        directory[i] = ptab_kernel_directory[i];
    }
}

static uint32_t *next_listed(const uint32_t *directory) {
    return (uint32_t *)directory[ENTRY_NEXT];
}

static void list_directory(uint32_t *directory) {
    if (directory[ENTRY_LISTED] == 0) {
        directory[ENTRY_LISTED] = LISTED;
        directory[ENTRY_NEXT] = (uint32_t)listed;
        listed = directory;
    }
}

/* Nobody is to run under it any more. */
static void end_directory(uint32_t *directory) {
    if (hot.scheme.shown == heap_uncached_to_pa(directory)) {
        show_none();
    }
    if (directory[ENTRY_LISTED] == 0) {
        return;
    }
    uint32_t *before = listed;
    if (before == directory) {
        listed = next_listed(directory);
        return;
    }
    while (next_listed(before) != directory) {
        before = next_listed(before);
    }
    before[ENTRY_NEXT] = directory[ENTRY_NEXT];
}

uint32_t *small_make_directory(void) {
    uint32_t *directory = kmem_alloc_uncached(DIRECTORY_ORDER);
    if (directory != NULL) {
        begin_directory(directory);
    }
    return directory;
}

void small_free_directory(uint32_t *directory) {
    end_directory(directory);
    kmem_free_uncached(directory, DIRECTORY_ORDER);
}

/* `n` entries from `first` on go from all directories that may have them, and from the TLBs. */
static void purge(const struct small_area *area, uint32_t first, uint32_t n) {
    count_event(EVENT_TLB_FLUSH);
    if (area->directory != 0) {
        memset((uint32_t *)heap_pa_to_uncached(area->directory) + first, 0, n * 4);
        if (hot.scheme.shown == area->directory) {
            cpu_set_directory(area->directory);
        }
        return;
    }
    for (uint32_t *d = listed; d != NULL; d = next_listed(d)) {
        memset(&d[first], 0, n * 4);
    }
    cpu_flush_tlbs();
}

/* ---- large and small ---- */

bool small_is_small(const struct space *space) {
    return space->scheme.area != NULL;
}

static bool is_shown(const struct space *space) {
    return hot.scheme.shown == heap_uncached_to_pa(space->directory);
}

static void set_place(struct space *space, uint32_t base, uint32_t size) {
    space->scheme.base = base;
    space->scheme.size = size;
    make_descriptor(space->scheme.descriptor, base, size);
}

static void set_large(struct space *space) {
    space->scheme.area = NULL;
    space->scheme.directory = heap_uncached_to_pa(space->directory);
    space->scheme.page_bits = 0;
    set_place(space, 0, KERNEL_AREA);
}

/* All valid pages of the space have its page_bits. */
static void set_page_bits(const struct space *space) {
    uint32_t left = space->entries;
    for (uint32_t i = 0; left != 0; i++) {
        pte_t e = space->directory[i];
        left -= e != 0;
        if (!is_table(e)) {
            continue;
        }
        pte_t *table = table_of(e);
        for (uint32_t k = 0; k < ENTRIES_PER_TABLE; k++) {
            if ((table[k] & ENTRY_P) != 0) {
                table[k] = (table[k] & ~ENTRY_GLOBAL) | space->scheme.page_bits;
            }
        }
    }
}

static uint32_t first_unit(const struct space *space) {
    return (space->scheme.base - KERNEL_AREA) / UNIT;
}

uint32_t small_count_units(const struct space *space) {
    return small_is_small(space) ? space->scheme.size / UNIT : 0;
}

/* The space in force is so by other segments and perhaps another directory than a moment ago. */
static void apply(struct space *space) {
    if (hot.space == space) {
        switch_to_space(space);
    }
}

static void make_small(struct space *space, const struct small_area *area, uint32_t unit,
                       uint32_t units) {
    for (uint32_t i = unit; i < unit + units; i++) {
        area->holder[i] = space;
    }
    if (is_shown(space)) {
        show_none(); /* and its own addresses go from the TLBs */
    }
    space->scheme.area = area;
    space->scheme.directory = area->directory;
    space->scheme.page_bits = area->directory == 0 ? ENTRY_GLOBAL : 0;
    set_place(space, KERNEL_AREA + unit * UNIT, units * UNIT);
    set_page_bits(space);
    count_event(EVENT_SMALL);
    apply(space);
}

static void make_large(struct space *space) {
    const struct small_area *area = space->scheme.area;
    uint32_t unit = first_unit(space), units = small_count_units(space);
    uint32_t first = space->scheme.base >> SECTION_LOG2, n = space->scheme.size >> SECTION_LOG2;
    for (uint32_t i = unit; i < unit + units; i++) {
        area->holder[i] = NULL;
    }
    set_large(space);
    set_page_bits(space);
    purge(area, first, n);
    count_event(EVENT_LARGE);
    apply(space);
}

/* ... and does not become small again. */
static void stay_large(struct space *space) {
    const struct small_area *area = space->scheme.area;
    make_large(space);
    small_area_left(area);
}

/* The units are the area's, and nobody has them, or `space`. */
static bool is_free(const struct small_area *area, const struct space *space, uint32_t unit,
                    uint32_t units) {
    if (unit < area->first || unit + units > area->end) {
        return false;
    }
    for (uint32_t i = unit; i < unit + units; i++) {
        if (area->holder[i] != NULL && area->holder[i] != space) {
            return false;
        }
    }
    return true;
}

/* The KIP and the UTCBs are within its segments. */
static bool has_its_areas(const struct space *space, uint32_t size) {
    return L4_Address(space->kip_area) + L4_Size(space->kip_area) <= size &&
           L4_Address(space->utcb_area) + L4_Size(space->utcb_area) <= size;
}

static void give(struct space *space, const struct small_area *area, uint32_t unit,
                 uint32_t units) {
    const struct small_area *before = space->scheme.area;
    if (before != NULL) {
        make_large(space);
    }
    make_small(space, area, unit, units);
    if (before != NULL) {
        small_area_left(before);
    }
}

bool small_take(struct space *space, const struct small_area *area, uint32_t units) {
    uint32_t unit = (area->first + units - 1) / units * units;
    while (unit < area->end && !is_free(area, NULL, unit, units)) {
        unit += units;
    }
    if (unit >= area->end) {
        return false;
    }
    give(space, area, unit, units);
    return true;
}

/* A region of the least size, if there is one: programs are small until they show that they are
 * not. */
static void assign(struct space *space) {
    uint32_t units = 1;
    while (units <= AUTOMATIC_UNITS && !has_its_areas(space, units * UNIT)) {
        units *= 2;
    }
    if (units <= AUTOMATIC_UNITS) {
        (void)small_place(space, units);
    }
}

/* ---- SpaceControl ---- */

/* Control: "s", the rest is meant; result: "e", it was done. The number below: the lowest bit set
 * is the region's size in units, those above twice the unit where it begins; 0: large. */
#define CONTROL_SMALL  (1u << 31)
#define CONTROL_DONE   (1u << 31)
#define CONTROL_NUMBER 0xffu

static uint32_t number_of(const struct space *space) {
    if (!small_is_small(space)) {
        return 0;
    }
    return first_unit(space) * 2 | small_count_units(space) | small_area_number(space->scheme.area);
}

static bool set_number(struct space *space, uint32_t control) {
    uint32_t number = control & CONTROL_NUMBER;
    uint32_t units = number & -number, unit = (number ^ units) / 2;
    if (number != 0) {
        const struct small_area *area =
            has_its_areas(space, units * UNIT)
                ? small_area_by_hand(space, control & ~(CONTROL_SMALL | CONTROL_NUMBER), unit)
                : NULL;
        if (area == NULL) {
            return false;
        }
        if (!is_free(area, space, unit, units)) {
            small_area_left(area);
            return false;
        }
        give(space, area, unit, units);
    } else if (small_is_small(space)) {
        stay_large(space);
    }
    space->scheme.has_run = true; /* nothing is left to be decided */
    space->scheme.unready = 0;
    space->scheme.credit = 0;
    return true;
}

uint32_t switch_control(struct space *space, uint32_t control) {
    uint32_t old = number_of(space);
    if ((control & CONTROL_SMALL) != 0 && set_number(space, control)) {
        old |= CONTROL_DONE;
    }
    return old;
}

/* ---- the scheme's contract ---- */

void switch_init(void) {
    hot.scheme.shown = BOOT_DIRECTORY_PA;
    list_directory(ptab_kernel_directory);
    small_init();
    limits_are_checked = check_limits();
    probe_write(PROBE_SPACE_SEGMENT, offsetof(struct space, scheme.base));
    probe_write(PROBE_SPACE_SHARED, KERNEL_VA);
}

bool switch_space_init(struct space *space) {
    begin_directory(space->directory);
    space->scheme.unready = 1;
    space->scheme.io_map = TASK_IO_CLOSED;
    set_large(space);
    return true;
}

void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
    if (small_is_small(space)) {
        stay_large(space);
    }
    end_directory(space->directory); /* (a small one may run under it) */
}

/* Where limits are not checked, there is no wall between small spaces: those who want them all the
 * same have to say so (SpaceControl). */
void switch_prepare(struct space *to) {
    to->scheme.unready = 0;
    if (to->scheme.has_run) {
        small_review(to);
    } else if (limits_are_checked && !to->privileged) {
        assign(to);
    }
    to->scheme.has_run = true;
    switch_to_space(to);
}

void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    bool was_valid = pde_is_valid(space->directory[index]);
    space->directory[index] = value;
    if (!was_valid) {
        return;
    }
    if (!small_is_small(space)) {
        if (is_shown(space)) {
            count_event(EVENT_TLB_FLUSH);
            cpu_set_directory(space->scheme.directory);
        }
    } else if (index < space->scheme.size >> SECTION_LOG2) {
        purge(space->scheme.area, (space->scheme.base >> SECTION_LOG2) + index, 1);
    }
}

/* The page's entry in the TLBs, if one can be there: where the space lies. */
static void invalidate(const struct space *space, uint32_t va) {
    if (small_is_small(space) ? va < space->scheme.size : is_shown(space)) {
        cpu_invalidate_page(space->scheme.base + va);
    }
}

/* A large page is one entry, which any of its addresses names. */
void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    (void)size;
    (void)writable;
    if (was_valid) {
        invalidate(space, va);
    }
}

void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    (void)size;
    (void)what;
    (void)cached;
    invalidate(space, va);
}

/* The trace cache loses a page's code with its entry of the TLB: nothing waits. */
void switch_unmap_finish(void) {
}

/* A page fault of a small space: the entry of its own directory is copied into the one in force, if
 * that is what is missing. */
bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    (void)status;
    uint32_t linear = *va;
    if (!small_is_small(space)) {
        return false;
    }
    *va = linear - space->scheme.base;
    if (*va >= space->scheme.size) { /* nobody checks limits */
        stay_large(space);
        return true;
    }
    uint32_t value = space->directory[*va >> SECTION_LOG2];
    uint32_t *copy = &shown_directory()[linear >> SECTION_LOG2];
    if (!pde_is_valid(value)) {
        return false;
    }
    value |= is_table(value) ? 0 : space->scheme.page_bits;
    if (((*copy ^ value) & ~ENTRY_USED) == 0) {
        return false;
    }
    *copy = value;
    if (space->scheme.area->directory == 0) {
        list_directory(shown_directory());
    }
    count_event(EVENT_CPD_LOADED);
    return true;
}

/*
 * #GP or #SS, which may be for a limit. A small space becomes large, and the access is repeated. If
 * that fails as well the address is beyond KERNEL_AREA, or it is about something else. Then the
 * access is repeated with flat segments, and has a page fault like that of a program whose segments
 * always are; so that there is nothing to be reached, no entry of the area is left in the directory
 * before, and none can come into it before the next switch, which brings the limit back.
 */
bool switch_limit_fault(struct space *space) {
    static const uint64_t flat_data = (uint64_t)(DESCRIPTOR_DATA | 0xf0000) << 32 | 0xffff;
    if (small_is_small(space)) {
        stay_large(space);
        return true;
    }
    if (segments[USER_DATA / 8] == flat_data) {
        return false;
    }
    uint32_t flat[2];
    make_descriptor(flat, 0, 0);
    memset(&space->directory[AREA_FIRST], 0, (AREA_END - AREA_FIRST) * 4);
    count_event(EVENT_TLB_FLUSH);
    cpu_flush_tlbs();
    load_descriptors(flat);
    return true;
}

/* Caches are physically tagged. */
#include "switch_coherent.h"

/* (Behind what is measured, own_state.c.) */
__attribute__((section(".own"))) void switch_segment_range(const struct space *space,
                                                           uint32_t *base, uint32_t *size) {
    *base = space->scheme.base;
    *size = space->scheme.size;
}
