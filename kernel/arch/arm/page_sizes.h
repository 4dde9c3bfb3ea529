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
#define SECTION_LOG2 20u
#define SECTION_MASK ((1u << SECTION_LOG2) - 1)

/* All of them, and how many pages of one fill a page of the next. */
enum page_size { SIZE_NONE, SIZE_4K, SIZE_64K, SIZE_1M };
#define SIZE_LARGEST SIZE_1M
#define PARTS        16u

/* Pages of the size between 4 KB and the largest: how many fill one of that, and which of them an
 * address is in. */
#define MIDDLES       PARTS
#define middle_of(pa) ((pa) >> 16 & (MIDDLES - 1))

/* Pages (of 4 KB) that a page directory takes, as log2. */
#define DIRECTORY_ORDER 2u

static inline uint32_t size_log2(enum page_size size) {
    return 8 + 4 * (uint32_t)size;
}

/* The largest that is not larger than this. */
static inline enum page_size size_fitting(uint32_t log2) {
    return log2 >= size_log2(SIZE_1M) ? SIZE_1M : log2 >= size_log2(SIZE_64K) ? SIZE_64K : SIZE_4K;
}

#endif
