/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of pages that the kernel uses. Plain constants and functions of them. (Sv39 has pages
 * of 1 GB, too: nobody has so much memory to give.) */
#ifndef PAGE_SIZES_H
#define PAGE_SIZES_H

#include "word.h"

#define PAGE_SIZE ((word_t)4096)
#define PAGE_MASK (PAGE_SIZE - 1)

/* Of all addresses that an fpage can have: the lower half of Sv39's. */
#define SPACE_LOG2 38u

/* The largest, which one entry of level 1 maps. */
#define SECTION_LOG2 21u
#define SECTION_MASK (((word_t)1 << SECTION_LOG2) - 1)

/* All of them, and how many pages of one fill a page of the next. */
enum page_size { SIZE_NONE, SIZE_4K, SIZE_2M };
#define SIZE_LARGEST SIZE_2M
#define PARTS        512u

/* There is no size between the two: one list for it, which stays empty. */
#define MIDDLES       1u
#define middle_of(pa) 0u

/* Pages (of 4 KB) that a root takes, as log2. */
#define DIRECTORY_ORDER 0u

static inline word_t size_log2(enum page_size size) {
    return 3 + 9 * (word_t)size;
}

/* The largest that is not larger than this. */
static inline enum page_size size_fitting(word_t log2) {
    return log2 >= size_log2(SIZE_2M) ? SIZE_2M : SIZE_4K;
}

#endif
