/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `single-space`, out of line.
 */
#include "switch.h"

#include "cpu.h"
#include "kmem.h"
#include "ptab_entry.h"
#include "root.h"
#include "spaces.h"

/* Pages that programs may read, write and, if they are memory, execute. */
#define SECTION_DEVICE (ENTRY_READABLE | ENTRY_WRITABLE)
#define SECTION_MEMORY (SECTION_DEVICE | ENTRY_X)

/* Tables of level 1 for what lies below 4 GB, of the root that is in force, always. */
#define TABLES   4u
#define SECTIONS (TABLES * ENTRIES_PER_TABLE)
static pte_t common[SECTIONS] __attribute__((aligned(4096)));

static void map_sections(word_t pa, word_t size, pte_t bits) {
    for (word_t at = pa & ~SECTION_MASK; at < pa + size; at += SECTION_MASK + 1) {
        common[at >> SECTION_LOG2] = entry_of_frame(at) | bits;
    }
}

void switch_init(void) {
    for (word_t i = 0; i < TABLES; i++) {
        word_t pa = (word_t)&common[i * ENTRIES_PER_TABLE] - PHYSICAL_VA;
        ptab_kernel_directory[i] = entry_of_frame(pa) | ENTRY_V;
    }
    map_sections(SIGMA0_PA, SDRAM_PA + SDRAM_SIZE - SIGMA0_PA, SECTION_MEMORY);
    map_sections(RTC_PA, PAGE_SIZE, SECTION_DEVICE);
    map_sections(UART_PA, PAGE_SIZE, SECTION_DEVICE);
    map_sections(PROBE_PA, PAGE_SIZE, SECTION_DEVICE);
    cpu_fence_asid(0);
}

/* A program has been loaded for it: what was written as data shall be fetched as instructions. */
bool switch_space_init(struct space *space) {
    (void)space;
    cpu_fence_code();
    return true;
}

/* Every space is always ready. */
void switch_prepare(struct space *to) {
    (void)to;
}

static pte_t own_entry(const struct space *space, word_t index) {
    const pte_t *table = middle_table(space, index << SECTION_LOG2);
    return table == NULL ? 0 : table[index & (ENTRIES_PER_TABLE - 1)];
}

/* Is this entry of the common tables the space's own? */
static bool is_in_force(const struct space *space, word_t index) {
    return index < SECTIONS && common[index] != 0 && common[index] == own_entry(space, index);
}

/* Its KIP and UTCBs go; their frames are the kernel's to use again. */
void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
    for (word_t index = 0; index < SECTIONS; index++) {
        if (is_in_force(space, index)) {
            common[index] = 0;
        }
    }
    cpu_fence_asid(0);
}

static bool overlaps(L4_Fpage_t area, word_t index) {
    return !L4_IsNilFpage(area) && index >= L4_Address(area) >> SECTION_LOG2 &&
           index <= (L4_Address(area) + (L4_Size(area) - 1)) >> SECTION_LOG2;
}

/* The space's own root is never in force. */
void switch_set_above(struct space *space, word_t *entry, word_t value) {
    (void)space;
    *entry = value;
}

/*
 * Only the page tables of KIP and UTCBs are seen by the processor, and only where nothing else is:
 * who comes second to 2 MB faults there for ever.
 */
void switch_set_directory(struct space *space, word_t index, word_t value) {
    bool was_in_force = is_in_force(space, index);
    root_set_directory(space, index, value);
    if (was_in_force) {
        common[index] = 0;
    }
    if (index < SECTIONS && pde_is_valid(value) && common[index] == 0 &&
        (overlaps(space->kip_area, index) || overlaps(space->utcb_area, index))) {
        common[index] = value;
    }
    cpu_fence_asid(0);
}

/* Also where nothing was: that may be remembered. */
void switch_map(struct space *space, word_t va, word_t size, bool writable, bool was_valid) {
    (void)size;
    (void)writable;
    (void)was_valid;
    if (is_in_force(space, va >> SECTION_LOG2)) {
        cpu_fence_page(va, 0);
    }
}

/* What is seen by a page of 2 MB stays where it is. */
void switch_unmap(struct space *space, word_t va, word_t size, enum unmap what, word_t cached) {
    (void)size;
    (void)what;
    (void)cached;
    if (is_in_force(space, va >> SECTION_LOG2)) {
        cpu_fence_page(va, 0);
    }
}

#include "switch_at_once.h"

#include "switch_coherent.h"
