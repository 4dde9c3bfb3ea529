/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the kernel touches a program's memory: by an address of its own for the frame, as caches are
 * physically tagged. So no access of the kernel's depends on which space is in force, on a
 * program's segments and on where its addresses are in linear memory.
 */
#ifndef USER_MEMORY_H
#define USER_MEMORY_H

#include "kernel.h"
#include "page_sizes.h"

uint32_t ptab_open_window(uint32_t pa); /* ptab.c */

/* May the kernel use the addresses of this space's programs? */
static inline bool user_is_addressable(const struct space *space) {
    (void)space;
    return false;
}

/* A byte at `va`, in the frame at `pa`. What is no memory, a device's, is seen by a window that
 * stays until the next but one is opened. */
static inline uint8_t *user_byte(uint32_t va, uint32_t pa) {
    uint32_t page = pa - SDRAM_PA < SDRAM_SIZE ? SDRAM_VA + (pa - SDRAM_PA) : ptab_open_window(pa);
    return (uint8_t *)(page | (va & PAGE_MASK));
}

static inline uint8_t *user_byte_elsewhere(uint32_t va, uint32_t pa) {
    return user_byte(va, pa);
}

#endif
