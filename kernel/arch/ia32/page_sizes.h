/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of pages that the processor has. Plain constants and functions of them. */
#ifndef PAGE_SIZES_H
#define PAGE_SIZES_H

#include <stdint.h>

#define PAGE_SIZE 4096u
#define PAGE_MASK (PAGE_SIZE - 1)

/* Of all addresses that an fpage can have. */
#define SPACE_LOG2 32u

/* The largest, which one entry of a page directory maps. */
#define SECTION_LOG2 22u
#define SECTION_MASK ((1u << SECTION_LOG2) - 1)

/* All of them, and how many pages of one fill a page of the next. */
enum page_size { SIZE_NONE, SIZE_4K, SIZE_4M };
#define SIZE_LARGEST SIZE_4M
#define PARTS        1024u

/* There is no size between the two: one list for it, which stays empty. */
#define MIDDLES       1u
#define middle_of(pa) 0u

/* Pages (of 4 KB) that a page directory takes, as log2. */
#define DIRECTORY_ORDER 0u

static inline uint32_t size_log2(enum page_size size) {
    return 2 + 10 * (uint32_t)size;
}

/* The largest that is not larger than this. */
static inline enum page_size size_fitting(uint32_t log2) {
    return log2 >= size_log2(SIZE_4M) ? SIZE_4M : SIZE_4K;
}

#endif
