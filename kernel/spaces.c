/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces.
 */
#include "spaces.h"

#include "kmem.h"
#include "page_sizes.h"
#include "switch.h"

struct space *root_space;
struct space *sigma0_space;

/* In the kernel's own section, not in the heap: every switch reads two of them, and shall not need
 * another TLB entry for that. A slot without a directory is free. Each space has a thread, so there
 * are as many; a directory is memory of the heap, which may end before. */
static struct space spaces[THREAD_COUNT];

/* No slot before it is free. */
static struct space *lowest = spaces;

struct space *space_create(void) {
    struct space *space = lowest;
    while (space < &spaces[THREAD_COUNT] && space->directory != NULL) {
        space++;
    }
    lowest = space;
    if (space == &spaces[THREAD_COUNT]) {
        return NULL;
    }
    *space = (struct space){.directory = kmem_alloc_uncached(DIRECTORY_ORDER),
                            .table_section = NO_SECTION};
    if (space->directory != NULL && !switch_space_init(space)) {
        kmem_free_uncached(space->directory, DIRECTORY_ORDER);
        space->directory = NULL;
    }
    return space->directory == NULL ? NULL : space;
}

void space_free(struct space *space) {
    space->directory = NULL;
    if (space < lowest) {
        lowest = space;
    }
}

static bool overlaps(L4_Fpage_t area, word_t va, word_t size) {
    return !L4_IsNilFpage(area) && L4_Address(area) - va < size;
}

bool space_overlaps_reserved(const struct space *space, word_t va, word_t size) {
    return space_is_reserved(space, va) || KERNEL_AREA - va < size ||
           overlaps(space->kip_area, va, size) || overlaps(space->utcb_area, va, size);
}
