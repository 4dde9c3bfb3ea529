/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces.
 */
#include "space.h"

#include "cpu.h"
#include "kip.h"
#include "kmem.h"
#include "mapdb.h"
#include "ptab.h"
#include "switch.h"
#include "thread.h"

#define DIRECTORY_ORDER 2 /* 16 KB */

struct space *sigma0_space;
struct space *root_space;

/* In the kernel's own section, not in the heap: every switch reads two of them, and shall not need
 * another TLB entry for that. A slot without a directory is free. */
#define SPACES 256
static struct space spaces[SPACES];

struct space *space_create(void) {
    struct space *space = spaces;
    while (space < &spaces[SPACES] && space->directory != NULL) {
        space++;
    }
    if (space == &spaces[SPACES]) {
        return NULL;
    }
    *space = (struct space){.directory = kmem_alloc_uncached(DIRECTORY_ORDER)};
    if (space->directory != NULL && !switch_space_init(space)) {
        kmem_free_uncached(space->directory, DIRECTORY_ORDER);
        space->directory = NULL;
    }
    return space->directory == NULL ? NULL : space;
}

static bool in_area(L4_Fpage_t area, uint32_t va) {
    return !L4_IsNilFpage(area) && va - L4_Address(area) < L4_Size(area);
}

bool space_is_reserved(const struct space *space, uint32_t va) {
    return va >= KERNEL_AREA || in_area(space->kip_area, va) || in_area(space->utcb_area, va);
}

void space_destroy(struct space *space) {
    if (hot.space == space) {
        /* Only idle or a fault handler's reply can come here with it still in force. */
        switch_to(space, root_space);
    }
    switch_space_free(space);
    for (uint32_t index = 0; index < KERNEL_AREA >> 20; index++) {
        pte_t *table = ptab_table(space, index);
        if (table == NULL) {
            continue;
        }
        for (uint32_t i = 0; i < ENTRIES_PER_TABLE; i++) {
            uint32_t va = index << 20 | i << 12;
            if (!pte_is_mapped(table[i])) {
                continue;
            }
            if (in_area(space->utcb_area, va)) {
                kmem_free_uncached(heap_pa_to_uncached(pte_frame(table[i])), 0);
            } else if (!in_area(space->kip_area, va)) {
                mapdb_unmap(space, va, L4_FullyAccessible, true);
            }
            table[i] = 0;
        }
        ptab_free_table(space, index);
    }
    switch_unmap_finish();
    kmem_free_uncached(space->directory, DIRECTORY_ORDER);
    space->directory = NULL;
}

static bool is_user_area(L4_Fpage_t f, uint32_t min_log2) {
    uint32_t log2 = L4_SizeLog2(f);
    uint32_t base = L4_Address(f);
    return log2 >= min_log2 && log2 < 32 && (base & ((1u << log2) - 1)) == 0 &&
           base < KERNEL_AREA && L4_Size(f) <= KERNEL_AREA - base;
}

bool space_set_areas(struct space *space, L4_Fpage_t kip, L4_Fpage_t utcb, uint32_t *error) {
    if (!is_user_area(kip, 12) || L4_SizeLog2(kip) != 12) {
        *error = L4_ErrKipArea;
        return false;
    }
    if (!is_user_area(utcb, 12) || L4_Address(kip) - L4_Address(utcb) < L4_Size(utcb)) {
        *error = L4_ErrUtcbArea;
        return false;
    }
    /* What is mapped there already would be unreachable and yet mapped. */
    for (uint32_t at = L4_Address(utcb), i = 0; i < L4_Size(utcb) / PAGE_SIZE; i++) {
        mapdb_unmap(space, at + i * PAGE_SIZE, L4_FullyAccessible, true);
    }
    mapdb_unmap(space, L4_Address(kip), L4_FullyAccessible, true);
    switch_unmap_finish();
    space->kip_area = kip;
    space->utcb_area = utcb;
    return true;
}

bool space_map_utcb(struct space *space, uint32_t utcb) {
    uint32_t kip = L4_Address(space->kip_area);
    space->areas_fixed = true;
    pte_t *entry = ptab_make(space, kip);
    if (entry == NULL) {
        return false;
    }
    if (!pte_is_mapped(*entry)) {
        *entry = kip_pa() | PTE_AP_RO | PTE_CACHEABLE | PTE_BUFFERABLE | PTE_SMALL;
        ptab_publish();
        switch_map(space, kip, PAGE_SIZE, false, false);
    }
    entry = ptab_make(space, utcb);
    if (entry == NULL) {
        return false;
    }
    if (!pte_is_mapped(*entry)) {
        void *frame = kmem_alloc_uncached(0);
        if (frame == NULL) {
            return false;
        }
        *entry =
            heap_uncached_to_pa(frame) | PTE_AP_RW | PTE_CACHEABLE | PTE_BUFFERABLE | PTE_SMALL;
        ptab_publish();
        switch_map(space, utcb & ~PAGE_MASK, PAGE_SIZE, true, false);
    }
    return true;
}

uint32_t *space_utcb_alias(const struct space *space, uint32_t utcb) {
    pte_t *entry = ptab_find(space, utcb);
    kernel_assert(entry != NULL && pte_is_mapped(*entry));
    return (uint32_t *)((uint32_t)heap_pa_to_uncached(pte_frame(*entry)) + (utcb & PAGE_MASK));
}

/* Base and log2 size of an fpage; the complete space as 32. False: nil or smaller than a page. */
static bool fpage_range(L4_Fpage_t f, uint32_t *base, uint32_t *log2) {
    if (L4_IsCompleteAddressSpace(f)) {
        *base = 0;
        *log2 = 32;
        return true;
    }
    *log2 = L4_SizeLog2(f);
    if (L4_IsNilFpage(f) || *log2 < 12 || *log2 > 31) {
        return false;
    }
    *base = L4_Address(f) & ~((1u << *log2) - 1);
    return true;
}

static uint32_t low_mask(uint32_t log2) {
    return log2 == 32 ? ~0u : (1u << log2) - 1;
}

bool space_map_item(struct space *from, uint32_t item0, uint32_t item1, struct space *to,
                    L4_Fpage_t window) {
    L4_Fpage_t send = {.raw = item1};
    uint32_t send_base = item0 & ~0x3ffu;
    bool grant = (item0 & 2) != 0;
    uint32_t from_base, from_log2, to_base, to_log2;
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
    uint32_t pages = from_log2 == 32 ? 1u << 20 : 1u << (from_log2 - 12);
    bool done = true;
    for (uint32_t i = 0; i < pages && done; i++) {
        uint32_t va = from_base + i * PAGE_SIZE;
        if (!from->is_sigma0 && from_log2 > 20 && (va & 0xfffff) == 0 && va < KERNEL_AREA &&
            ptab_table(from, va >> 20) == NULL) {
            i += ENTRIES_PER_TABLE - 1; /* nothing in this 1 MB */
            continue;
        }
        done = mapdb_map(from, va, to, to_base + i * PAGE_SIZE, L4_Rights(send), grant);
    }
    switch_unmap_finish();
    return done;
}

void space_unmap(struct space *space, L4_Fpage_t fpage, bool own) {
    uint32_t base, log2;
    if (!fpage_range(fpage, &base, &log2) || L4_Rights(fpage) == 0) {
        return;
    }
    uint32_t pages = log2 == 32 ? 1u << 20 : 1u << (log2 - 12);
    bool whole_tables = own && log2 >= 20 && (L4_Rights(fpage) & L4_Readable) != 0 &&
                        (L4_Rights(fpage) & L4_eXecutable) != 0;
    for (uint32_t i = 0; i < pages; i++) {
        uint32_t va = base + i * PAGE_SIZE;
        if (va >= KERNEL_AREA) {
            break;
        }
        bool empty = ptab_table(space, va >> 20) == NULL;
        if (empty && !space->is_sigma0 && (va & 0xfffff) == 0 && log2 >= 20) {
            i += ENTRIES_PER_TABLE - 1;
            continue;
        }
        mapdb_unmap(space, va, L4_Rights(fpage), own);
        if (whole_tables && (va & 0xff000) == 0xff000) {
            pte_t *table = ptab_table(space, va >> 20);
            uint32_t used = 0;
            for (uint32_t k = 0; table != NULL && k < ENTRIES_PER_TABLE; k++) {
                used |= table[k];
            }
            if (used == 0) { /* no KIP or UTCB in it */
                switch_unmap_finish();
                ptab_free_table(space, va >> 20);
            }
        }
    }
    switch_unmap_finish();
}

bool space_set_attribute(struct space *space, L4_Fpage_t fpage, uint32_t attribute) {
    uint32_t base, log2;
    if (!fpage_range(fpage, &base, &log2) || log2 > 24) {
        return false;
    }
    for (uint32_t i = 0; i < 1u << (log2 - 12); i++) {
        if (!mapdb_set_attribute(space, base + i * PAGE_SIZE, attribute)) {
            return false;
        }
    }
    return true;
}
