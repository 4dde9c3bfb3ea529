/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `flush`, out of line.
 */
#include "events.h"
#include "own_directory.h"

/* Since the last switch_unmap_finish: was there anything, how many bytes were cleaned by line, and
 * has everything been? */
static bool unmapped, unmapped_code, all_clean;
static uint32_t cleaned;

void switch_init(void) {
    own_directory_start();
}

bool switch_space_init(struct space *space) {
    own_directory_init(space);
    return true;
}

/* Not the space in force: nothing of it is in a cache or TLB. */
void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
}

/* Every space is always ready. */
void switch_prepare(struct space *to) {
    (void)to;
}

/* The whole switch; from switch_finish. After the flush all that is touched is a miss, so it does
 * what else there is before it. */
void flush_and_load(uint32_t ttb);
void flush_and_load(uint32_t ttb) {
    count_event(EVENT_TLB_FLUSH);
    cpu_flush_caches();
    cpu_set_ttb(ttb);
    cpu_invalidate_tlbs();
}

void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    bool was_valid = pde_is_valid(space->directory[index]);
    own_directory_set(space, index, value);
    if (was_valid && hot.space == space) {
        cpu_flush_tlbs();
    }
}

/* A TLB may hold a large page as several entries. */
static void forget_translation(uint32_t va, uint32_t size) {
    if (size == PAGE_SIZE) {
        cpu_invalidate_dtlb_entry(va);
    } else {
        cpu_flush_tlbs();
    }
}

void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    (void)writable;
    if (was_valid && hot.space == space) {
        forget_translation(va, size);
    }
}

void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    if (hot.space != space) {
        return;
    }
    if (cached != 0 && !all_clean) {
        cleaned += size;
        if (cleaned > CPU_CLEAN_MAX) {
            cpu_flush_caches();
            all_clean = true;
        } else {
            cpu_clean_dcache_range(va, size, what == UNMAP_GONE);
        }
    }
    forget_translation(va, size);
    unmapped = true;
    unmapped_code |= (cached & CACHED_CODE) != 0;
}

void switch_unmap_finish(void) {
    cpu_drain_write_buffer();
    if (unmapped) {
        cpu_invalidate_itlb();
        cpu_flush_read_buffer();
        if (unmapped_code) {
            cpu_invalidate_icache();
        }
        unmapped = unmapped_code = all_clean = false;
        cleaned = 0;
    }
}

bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    (void)space;
    (void)va;
    (void)status;
    return false;
}

/* The last switch wrote everything back. */
void switch_window(struct space *space, uint32_t va, uint32_t size) {
    if (hot.space == space) {
        cpu_clean_dcache_range(va, size, 1);
        cpu_drain_write_buffer();
    }
}

/* Two spaces are never in the cache together. */
bool switch_synonym(const struct space *a, uint32_t va_a, const struct space *b, uint32_t va_b) {
    return a == b && va_a != va_b;
}
