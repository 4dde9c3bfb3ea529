/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the kernel touches a program's memory: by an address of its own for the frame, as caches are
 * physically tagged. So no access of the kernel's depends on which space is in force.
 */
#ifndef USER_MEMORY_H
#define USER_MEMORY_H

#include "kernel.h"
#include "page_sizes.h"

/* May the kernel use the addresses of this space's programs? */
static inline bool user_is_addressable(const struct space *space) {
    (void)space;
    return false;
}

/* A byte at `va`, in the frame at `pa`. */
static inline uint8_t *user_byte(word_t va, word_t pa) {
    return (uint8_t *)(PHYSICAL_VA + (pa | (va & PAGE_MASK)));
}

static inline uint8_t *user_byte_elsewhere(word_t va, word_t pa) {
    return user_byte(va, pa);
}

#endif
