/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `single-space`, out of line.
 */
#include "switch.h"

#include "cpu.h"
#include "kmem.h"
#include "ptab.h"
#include "spaces.h"

/* Domain 0 is the kernel's and everybody's. */
#define DACR 1u

/* Section descriptors that programs may read and write (ARM ARM B3.3; bit 4 is to be set). */
#define SECTION_DEVICE 0xc12u
#define SECTION_CACHED 0xc1eu

#define SECTION_SIZE 0x100000u

static uint32_t *directory; /* the one that is in force, always */

static void map_sections(uint32_t pa, uint32_t size, uint32_t bits) {
    for (uint32_t at = 0; at < size; at += SECTION_SIZE) {
        directory[(pa + at) >> 20] = (pa + at) | bits;
    }
}

void switch_init(void) {
    directory = ptab_kernel_directory;
    map_sections(SIGMA0_PA, SDRAM_PA + SDRAM_SIZE - SIGMA0_PA, SECTION_CACHED);
    map_sections(UART_PA, SECTION_SIZE, SECTION_DEVICE);
    map_sections(SYSTEM_PA, SECTION_SIZE, SECTION_DEVICE);
    map_sections(PROBE_PA, SECTION_SIZE, SECTION_DEVICE);
    ptab_publish();
    cpu_set_dacr(DACR);
    cpu_set_pid(0);
}

/* A program has been loaded for it: what was written as data shall be fetched as instructions. */
bool switch_space_init(struct space *space) {
    (void)space;
    cpu_flush_caches();
    return true;
}

/* Every space is always ready. */
void switch_prepare(struct space *to) {
    (void)to;
}

/* Is this entry of the common directory the space's own? */
static bool is_in_force(const struct space *space, uint32_t index) {
    return space->directory[index] != 0 && directory[index] == space->directory[index];
}

/* Its KIP and UTCBs go; their frames are the kernel's to use again. */
void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
    for (uint32_t index = 0; index < KERNEL_AREA >> 20; index++) {
        if (is_in_force(space, index)) {
            directory[index] = 0;
        }
    }
    ptab_publish();
    cpu_flush_caches();
    cpu_flush_tlbs();
}

static bool overlaps(L4_Fpage_t area, uint32_t index) {
    return !L4_IsNilFpage(area) && index >= L4_Address(area) >> 20 &&
           index <= (L4_Address(area) + (L4_Size(area) - 1)) >> 20;
}

/*
 * Only the page tables of KIP and UTCBs are seen by the processor, and only where nothing else is:
 * who comes second to a megabyte faults there for ever.
 */
void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    if (is_in_force(space, index)) {
        directory[index] = 0;
        ptab_publish();
        cpu_flush_caches();
        cpu_flush_tlbs();
    }
    space->directory[index] = value;
    if (pde_is_valid(value) && directory[index] == 0 &&
        (overlaps(space->kip_area, index) || overlaps(space->utcb_area, index))) {
        directory[index] = value;
    }
    ptab_publish();
}

void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    (void)size;
    (void)writable;
    if (was_valid && is_in_force(space, va >> 20)) {
        cpu_flush_tlbs();
    }
}

/* What is seen by a section stays where it is, and so may its lines. */
void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    (void)size;
    (void)what;
    (void)cached;
    if (is_in_force(space, va >> 20)) {
        cpu_flush_caches();
        cpu_flush_tlbs();
    }
}

void switch_unmap_finish(void) {
    cpu_drain_write_buffer();
}

bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    (void)space;
    (void)va;
    (void)status;
    return false;
}

void switch_window(struct space *space, uint32_t va, uint32_t size) {
    (void)space;
    cpu_clean_dcache_range(va, size, 1);
    cpu_drain_write_buffer();
}

bool switch_synonym(const struct space *a, uint32_t va_a, const struct space *b, uint32_t va_b) {
    (void)a;
    (void)b;
    return va_a != va_b;
}
