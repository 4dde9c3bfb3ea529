/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What spaces have.
 */
#include "space.h"

#include "attribute.h"
#include "cpu.h"
#include "io_fpages.h"
#include "kip.h"
#include "kmem.h"
#include "mapdb.h"
#include "ptab_above.h"
#include "switch.h"
#include "tcb.h"

/* All that is mapped by the directory entry of `va`, the kernel's pages too. */
static void empty_section(struct space *space, word_t base) {
    for (word_t va = base; !ptab_is_empty(space, base, SIZE_LARGEST);) {
        mapping_t m = ptab_get(space, va);
        if (space_in_area(space->utcb_area, va) && m != 0) {
            kmem_free_uncached(heap_pa_to_uncached(mapping_frame(m)), 0);
            ptab_clear(space, va, SIZE_4K);
        } else if (space_in_area(space->kip_area, va) && m != 0) {
            ptab_clear(space, va, SIZE_4K);
        } else if (m != 0) {
            (void)mapdb_unmap(space, va, SIZE_LARGEST, L4_FullyAccessible, true);
        }
        va = page_behind(va, m == 0 ? size_log2(SIZE_4K) : size_log2(mapping_size(m)));
    }
    ptab_free_table(space, base);
}

void space_destroy(struct space *space) {
    if (hot.space == space) {
        /* Only idle or a fault handler's reply can come here with it still in force. */
        switch_to(space, root_space);
    }
    switch_space_free(space);
    io_space_ends(space);
    for (word_t index = 0; space->entries != 0; index++) {
        if (section_is_used(space, index)) {
            empty_section(space, index << SECTION_LOG2);
        }
    }
    switch_unmap_finish();
    if (PTAB_ROOT > 1) {
        ptab_free_above(space);
    }
    kmem_free_uncached(space->directory, DIRECTORY_ORDER);
    space_free(space);
}

/* The last byte of a range that a space may map. */
static word_t last_of(word_t base, word_t log2) {
    word_t last = base + (log2 == L4_BITS_PER_WORD ? L4_ALL_BITS : ((word_t)1 << log2) - 1);
    return last < KERNEL_AREA ? last : KERNEL_AREA - 1;
}

static void unmap_range(struct space *space, word_t base, word_t log2, word_t rights, bool own) {
    word_t last = last_of(base, log2);
    word_t va = base;
    while (va <= last) {
        va = page_behind(va, mapdb_unmap(space, va, size_fitting(log2), rights, own));
        if ((va & size_mask(SIZE_LARGEST)) == 0 && own && log2 >= size_log2(SIZE_LARGEST)) {
            ptab_free_table(space, va - 1);
            if (PTAB_ROOT > 1) {
                ptab_free_empty_above(space, va - 1);
            }
        }
    }
    switch_unmap_finish();
}

static bool is_user_area(L4_Fpage_t f, word_t min_log2) {
    word_t log2 = L4_SizeLog2(f);
    word_t base = L4_Address(f);
    return log2 >= min_log2 && log2 < SPACE_LOG2 && (base & (((word_t)1 << log2) - 1)) == 0 &&
           base < KERNEL_AREA && L4_Size(f) <= KERNEL_AREA - base;
}

bool space_set_areas(struct space *space, L4_Fpage_t kip, L4_Fpage_t utcb, word_t *error) {
    if (!is_user_area(kip, 12) || L4_SizeLog2(kip) != 12) {
        *error = L4_ErrKipArea;
        return false;
    }
    if (!is_user_area(utcb, 12) || L4_Address(kip) - L4_Address(utcb) < L4_Size(utcb)) {
        *error = L4_ErrUtcbArea;
        return false;
    }
    /* What is mapped there already would be unreachable and yet mapped. */
    unmap_range(space, L4_Address(utcb), L4_SizeLog2(utcb), L4_FullyAccessible, true);
    unmap_range(space, L4_Address(kip), L4_SizeLog2(kip), L4_FullyAccessible, true);
    space->kip_area = kip;
    space->utcb_area = utcb;
    space->reserved[0].base = L4_Address(kip);
    space->reserved[0].size = L4_Size(kip);
    space->reserved[1].base = L4_Address(utcb);
    space->reserved[1].size = L4_Size(utcb);
    return true;
}

/* The kernel's own pages in a space: they have no node. False: no memory. */
static bool map_own(struct space *space, word_t va, word_t pa, bool writable) {
    if (!ptab_make(space, va)) {
        return false;
    }
    ptab_enter(space, va,
               pa | SIZE_4K | MAPPING_VALID | MAPPING_CACHED | (writable ? MAPPING_WRITABLE : 0));
    ptab_publish();
    switch_map(space, va, PAGE_SIZE, writable, false);
    return true;
}

bool space_map_utcb(struct space *space, word_t utcb) {
    word_t kip = L4_Address(space->kip_area);
    utcb &= ~PAGE_MASK;
    space->areas_fixed = true;
    if (ptab_get(space, kip) == 0 && !map_own(space, kip, kip_pa(), false)) {
        return false;
    }
    if (ptab_get(space, utcb) == 0) {
        void *frame = kmem_alloc_uncached(0);
        if (frame == NULL || !map_own(space, utcb, heap_uncached_to_pa(frame), true)) {
            if (frame != NULL) {
                kmem_free_uncached(frame, 0);
            }
            return false;
        }
    }
    return true;
}

word_t *space_utcb_alias(const struct space *space, word_t utcb) {
    mapping_t m = ptab_get(space, utcb);
    kernel_assert(m != 0);
    return (word_t *)((word_t)heap_pa_to_uncached(mapping_frame(m)) + (utcb & PAGE_MASK));
}

/* Base and log2 size of an fpage; the complete space as SPACE_LOG2. False: nil or smaller than a
 * page. */
static bool fpage_range(L4_Fpage_t f, word_t *base, word_t *log2) {
    if (L4_IsCompleteAddressSpace(f)) {
        *base = 0;
        *log2 = SPACE_LOG2;
        return true;
    }
    *log2 = L4_SizeLog2(f);
    if (L4_IsNilFpage(f) || *log2 < 12 || *log2 >= SPACE_LOG2) {
        return false;
    }
    *base = L4_Address(f) & L4_BITS_ABOVE(*log2);
    return true;
}

static word_t low_mask(word_t log2) {
    return log2 == L4_BITS_PER_WORD ? L4_ALL_BITS : ((word_t)1 << log2) - 1;
}

bool space_map_item(struct space *from, word_t item0, word_t item1, struct space *to,
                    L4_Fpage_t window) {
    L4_Fpage_t send = {.raw = item1};
    word_t send_base = item0 & L4_BITS_ABOVE(10);
    bool grant = (item0 & 2) != 0;
    word_t from_base, from_log2, to_base, to_log2;
    if (io_is_fpage(send)) {
        return io_map(from, send, grant, to, window);
    }
    if (!fpage_range(send, &from_base, &from_log2) || !fpage_range(window, &to_base, &to_log2)) {
        return true;
    }
    /* The smaller is placed in the larger by the send base (X.2 manual, map items). */
    if (from_log2 <= to_log2) {
        to_base += send_base & low_mask(to_log2) & ~low_mask(from_log2);
    } else {
        from_base += send_base & low_mask(from_log2) & ~low_mask(to_log2);
        from_log2 = to_log2;
    }
    word_t pages = from_log2 == L4_BITS_PER_WORD ? (word_t)1 << (L4_BITS_PER_WORD - 12)
                                                 : (word_t)1 << (from_log2 - 12);
    word_t log2 = 12;
    for (word_t i = 0; i < pages && log2 != 0; i += (word_t)1 << (log2 - 12)) {
        log2 = mapdb_map(from, from_base + i * PAGE_SIZE, to, to_base + i * PAGE_SIZE,
                         size_fitting(from_log2), L4_Rights(send), grant);
        if (log2 == 0) {
            break;
        }
    }
    switch_unmap_finish();
    return log2 != 0;
}

word_t space_unmap(struct space *space, L4_Fpage_t fpage, bool own) {
    word_t base, log2, status = 0;
    if (io_is_fpage(fpage)) {
        return io_unmap(space, fpage, own);
    }
    if (!fpage_range(fpage, &base, &log2)) {
        return 0;
    }
    word_t last = last_of(base, log2);
    for (word_t va = base; va <= last;) {
        va = page_behind(va, mapdb_status(space, va, size_fitting(log2), &status));
    }
    if (L4_Rights(fpage) != 0) {
        unmap_range(space, base, log2, L4_Rights(fpage), own);
    }
    return status;
}

/* An fpage of several megabytes is allowed, all of the space is not. */
#define ATTRIBUTE_MAX_LOG2 24

bool space_can_set_attribute(const struct space *space, L4_Fpage_t fpage, word_t attribute) {
    word_t base, log2;
    if (attribute > ATTRIBUTE_LAST || !fpage_range(fpage, &base, &log2) ||
        log2 > ATTRIBUTE_MAX_LOG2) {
        return false;
    }
    for (word_t va = base; va - base < (word_t)1 << log2;) {
        mapping_t m = ptab_get(space, va);
        if (m == 0 || space_is_reserved(space, va)) {
            return false;
        }
        va = page_behind(va, size_log2(mapping_size(m)));
    }
    return true;
}

bool space_set_attribute(struct space *space, L4_Fpage_t fpage, word_t attribute) {
    word_t base, log2;
    bool good = fpage_range(fpage, &base, &log2);
    for (word_t va = base; good && va - base < (word_t)1 << log2;) {
        word_t done = mapdb_set_attribute(space, va, size_fitting(log2), attribute);
        if (done == 0) {
            return false;
        }
        va = page_behind(va, done);
    }
    return good;
}
