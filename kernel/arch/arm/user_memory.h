/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the kernel touches a program's memory: at the program's own address while its space is in
 * force; else, and only through the scheme's window (switch.h, 8), by an uncached alias of the
 * frame.
 */
#ifndef USER_MEMORY_H
#define USER_MEMORY_H

#include "kernel.h"
#include "ptab.h"

/* The page at XFER_WINDOW_VA shows this frame from now on, uncached. */
void ptab_set_window(uint32_t pa); /* ptab.c */

/* May the kernel use the addresses of this space's programs? */
static inline bool user_is_addressable(const struct space *space) {
    return space == hot.space;
}

/* A byte of the space in force, at `va` and in the frame at `pa`. */
static inline uint8_t *user_byte(uint32_t va, uint32_t pa) {
    (void)pa;
    return (uint8_t *)va;
}

/* One of another space. */
static inline uint8_t *user_byte_elsewhere(uint32_t va, uint32_t pa) {
    ptab_set_window(pa);
    return (uint8_t *)(XFER_WINDOW_VA | (va & PAGE_MASK));
}

#endif
