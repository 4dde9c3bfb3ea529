/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database.
 */
#include "mapdb.h"

#include "kmem.h"
#include "ptab.h"
#include "switch.h"

/* flags in node.va */
#define NODE_RIGHTS (L4_FullyAccessible) /* what the space was given: r 4, w 2, x 1 */

struct node {
    struct space *space;
    uint32_t va; /* page address | rights */
    struct node *next;
    uint32_t depth; /* 1: from sigma0 (or sigma0's own) */
};

/* The nodes of a frame that is not in SDRAM (devices). */
struct device_frame {
    uint32_t pa;
    struct node *nodes;
    struct device_frame *next;
    uint32_t attribute; /* L4_ARM_MEMORY_* */
};

static struct kmem_cache node_cache = {.size = 16};
static struct kmem_cache device_cache = {.size = 16};
_Static_assert(sizeof(struct node) == 16 && sizeof(struct device_frame) == 16, "cache sizes");

static struct node *ram_frames[SDRAM_SIZE / PAGE_SIZE];
static uint8_t ram_attributes[SDRAM_SIZE / PAGE_SIZE]; /* L4_ARM_MEMORY_*, by MemoryControl */

#define DEVICE_BUCKETS 32u
static struct device_frame *device_frames[DEVICE_BUCKETS];

void mapdb_init(void) {
}

static bool is_ram(uint32_t pa) {
    return pa - SDRAM_PA < SDRAM_SIZE;
}

static bool is_kernel_frame(uint32_t pa) {
    return pa - KERNEL_PA < KERNEL_SIZE + HEAP_SIZE;
}

static struct device_frame *find_device(uint32_t pa) {
    struct device_frame *f = device_frames[pa / PAGE_SIZE % DEVICE_BUCKETS];
    while (f != NULL && f->pa != pa) {
        f = f->next;
    }
    return f;
}

/* The anchor of a frame's list; NULL: a device frame that has none and `make` is not asked, or no
 * memory. */
static struct node **frame_nodes(uint32_t pa, bool make) {
    if (is_ram(pa)) {
        return &ram_frames[(pa - SDRAM_PA) / PAGE_SIZE];
    }
    struct device_frame *f = find_device(pa);
    if (f != NULL) {
        return &f->nodes;
    }
    f = make ? kmem_cache_alloc(&device_cache) : NULL;
    if (f == NULL) {
        return NULL;
    }
    struct device_frame **bucket = &device_frames[pa / PAGE_SIZE % DEVICE_BUCKETS];
    f->pa = pa;
    f->next = *bucket;
    *bucket = f;
    return &f->nodes;
}

/* A device frame without nodes needs no anchor. */
static void frame_nodes_done(uint32_t pa) {
    if (is_ram(pa)) {
        return;
    }
    for (struct device_frame **f = &device_frames[pa / PAGE_SIZE % DEVICE_BUCKETS]; *f != NULL;
         f = &(*f)->next) {
        if ((*f)->pa == pa) {
            if ((*f)->nodes == NULL) {
                struct device_frame *empty = *f;
                *f = empty->next;
                kmem_cache_free(&device_cache, empty);
            }
            return;
        }
    }
}

static uint32_t node_page(const struct node *n) {
    return n->va & ~PAGE_MASK;
}

static struct node **find_node(struct node **anchor, const struct space *space, uint32_t va) {
    struct node **at = anchor;
    while (*at != NULL && ((*at)->space != space || node_page(*at) != (va & ~PAGE_MASK))) {
        at = &(*at)->next;
    }
    return at;
}

static pte_t *node_entry(const struct node *n) {
    pte_t *entry = ptab_find(n->space, n->va);
    kernel_assert(entry != NULL && pte_is_mapped(*entry));
    return entry;
}

/* ---- awake and dormant ---- */

/*
 * The C and B bits of a frame, as MemoryControl set them. By default RAM is cached and everything
 * else is a device, whose registers are always accessed themselves.
 */
static pte_t frame_bits(uint32_t pa) {
    uint32_t attribute;
    if (is_ram(pa)) {
        attribute = ram_attributes[(pa - SDRAM_PA) / PAGE_SIZE];
    } else {
        const struct device_frame *f = find_device(pa);
        attribute = f == NULL ? L4_ARM_MEMORY_DEFAULT : f->attribute;
    }
    switch (attribute) {
    case L4_ARM_MEMORY_UNCACHED:
        return 0;
    case L4_ARM_MEMORY_BUFFERED:
        return PTE_BUFFERABLE;
    case L4_ARM_MEMORY_MINI_CACHE:
        return PTE_CACHEABLE;
    case L4_ARM_MEMORY_CACHED:
        return PTE_CACHEABLE | PTE_BUFFERABLE;
    default:
        return is_ram(pa) ? PTE_CACHEABLE | PTE_BUFFERABLE : 0;
    }
}

static pte_t dormant_entry(uint32_t pa) {
    return pa | PTE_DORMANT | ((frame_bits(pa) & PTE_CACHEABLE) != 0 ? PTE_DORMANT_C : 0);
}

static pte_t awake_entry(uint32_t pa, bool writable) {
    return pa | (writable ? PTE_AP_RW : PTE_AP_RO) | frame_bits(pa) | PTE_SMALL;
}

static void put_to_sleep(const struct node *n) {
    pte_t *entry = node_entry(n);
    if (pte_is_valid(*entry)) {
        bool cached = pte_is_cacheable(*entry);
        *entry = dormant_entry(pte_frame(*entry));
        ptab_publish();
        switch_unmap(n->space, node_page(n), PAGE_SIZE, UNMAP_GONE, cached);
    }
}

static void make_read_only(const struct node *n) {
    pte_t *entry = node_entry(n);
    if (pte_is_writable(*entry)) {
        bool cached = pte_is_cacheable(*entry);
        *entry = awake_entry(pte_frame(*entry), false);
        ptab_publish();
        switch_unmap(n->space, node_page(n), PAGE_SIZE, UNMAP_READ_ONLY, cached);
    }
}

static void wake(struct node *first, const struct node *n, pte_t *entry, bool write) {
    uint32_t pa = pte_frame(*entry);
    bool cached = pte_is_cacheable(*entry);
    if (cached) {
        bool moved = false;
        for (const struct node *other = first; other != NULL; other = other->next) {
            if (other == n ||
                !switch_synonym(other->space, node_page(other), n->space, node_page(n))) {
                continue;
            }
            pte_t theirs = *node_entry(other);
            if (write && pte_is_valid(theirs)) {
                put_to_sleep(other);
                moved = true;
            } else if (pte_is_writable(theirs)) {
                make_read_only(other);
                moved = true;
            }
        }
        if (moved) {
            switch_unmap_finish();
            count_event(PROBE_EVENT_SYNONYM_MOVED);
        }
    }
    bool was_valid = pte_is_valid(*entry);
    *entry = awake_entry(pa, write);
    ptab_publish();
    switch_map(n->space, node_page(n), PAGE_SIZE, write && cached, was_valid);
}

bool mapdb_wake(struct space *space, uint32_t va, bool write) {
    pte_t *entry = ptab_find(space, va);
    if (entry == NULL || !pte_is_mapped(*entry) || space_is_reserved(space, va)) {
        return false;
    }
    struct node **anchor = frame_nodes(pte_frame(*entry), false);
    struct node *n = anchor == NULL ? NULL : *find_node(anchor, space, va);
    kernel_assert(n != NULL);
    if (write ? (n->va & L4_Writable) == 0 || pte_is_writable(*entry) : pte_is_valid(*entry)) {
        return false;
    }
    wake(*anchor, n, entry, write);
    return true;
}

/*
 * A new node: awake at once if nobody else can have lines of the frame, so that most pages never
 * fault for this; else dormant until its first access shows who is to have it.
 */
static void start(struct node *first, const struct node *n, pte_t *entry, uint32_t pa) {
    bool cached = (frame_bits(pa) & PTE_CACHEABLE) != 0;
    if (cached) {
        for (const struct node *other = first; other != NULL; other = other->next) {
            if (other != n && pte_is_valid(*node_entry(other)) &&
                switch_synonym(other->space, node_page(other), n->space, node_page(n))) {
                *entry = dormant_entry(pa);
                ptab_publish();
                return;
            }
        }
    }
    bool writable = (n->va & L4_Writable) != 0;
    *entry = awake_entry(pa, writable);
    ptab_publish();
    switch_map(n->space, node_page(n), PAGE_SIZE, writable && cached, false);
}

/* ---- unmapping ---- */

static void remove_node(struct node **at) {
    struct node *n = *at;
    pte_t *entry = node_entry(n);
    bool valid = pte_is_valid(*entry);
    bool cached = pte_is_cacheable(*entry);
    *entry = 0;
    ptab_publish();
    if (valid) {
        switch_unmap(n->space, node_page(n), PAGE_SIZE, UNMAP_GONE, cached);
    }
    *at = n->next;
    kmem_cache_free(&node_cache, n);
}

/* Fewer rights for one node; 0 left removes it. True: it was removed and *at is the next. */
static bool take_rights(struct node **at, uint32_t rights) {
    struct node *n = *at;
    n->va &= ~(rights & NODE_RIGHTS);
    if ((n->va & (L4_Readable | L4_eXecutable)) == 0) { /* ARM cannot map for writing only */
        remove_node(at);
        return true;
    }
    if ((n->va & L4_Writable) == 0) {
        make_read_only(n);
    }
    return false;
}

/* All nodes from *at on that are deeper than `depth`. */
static void take_from_subtree(struct node **at, uint32_t depth, uint32_t rights) {
    while (*at != NULL && (*at)->depth > depth) {
        if (!take_rights(at, rights)) {
            at = &(*at)->next;
        }
    }
}

/*
 * Removing a parent but not its children must not happen: rights that a parent loses its children
 * lose too, and they come first.
 */
void mapdb_unmap(struct space *space, uint32_t va, uint32_t rights, bool own) {
    pte_t *entry = ptab_find(space, va);
    bool mapped = entry != NULL && pte_is_mapped(*entry);
    if (space_is_reserved(space, va) || (!mapped && !space->is_sigma0)) {
        return;
    }
    uint32_t pa = mapped ? pte_frame(*entry) : va & ~PAGE_MASK;
    struct node **anchor = frame_nodes(pa, false);
    if (anchor == NULL) {
        return;
    }
    if (space->is_sigma0) {
        /* Everybody else's node is below sigma0. */
        struct node **at = anchor;
        while (*at != NULL) {
            if ((*at)->space == space ? !own : false) {
                at = &(*at)->next;
            } else if (!take_rights(at, rights)) {
                at = &(*at)->next;
            }
        }
    } else {
        struct node **at = find_node(anchor, space, va);
        kernel_assert(*at != NULL);
        take_from_subtree(&(*at)->next, (*at)->depth, rights);
        if (own) {
            take_rights(at, rights);
        }
    }
    frame_nodes_done(pa);
}

/* ---- mapping ---- */

bool mapdb_map_sigma0(uint32_t va) {
    uint32_t pa = va & ~PAGE_MASK;
    if (is_kernel_frame(pa) || space_is_reserved(sigma0_space, va)) {
        return false;
    }
    pte_t *entry = ptab_make(sigma0_space, va);
    struct node **anchor = entry == NULL ? NULL : frame_nodes(pa, true);
    struct node *n = anchor == NULL ? NULL : kmem_cache_alloc(&node_cache);
    if (n == NULL) {
        return false;
    }
    *n = (struct node){.space = sigma0_space, .va = pa | NODE_RIGHTS, .next = *anchor, .depth = 1};
    *anchor = n;
    start(*anchor, n, entry, pa);
    return true;
}

bool mapdb_map(struct space *from, uint32_t from_va, struct space *to, uint32_t to_va,
               uint32_t rights, bool grant) {
    if (space_is_reserved(from, from_va) || space_is_reserved(to, to_va)) {
        return true;
    }
    uint32_t pa;
    struct node *parent = NULL;
    struct node **anchor;
    pte_t *source = ptab_find(from, from_va);
    if (from->is_sigma0) {
        pa = from_va & ~PAGE_MASK;
        if (is_kernel_frame(pa)) {
            return true;
        }
        anchor = frame_nodes(pa, true);
    } else {
        if (source == NULL || !pte_is_mapped(*source)) {
            return true;
        }
        pa = pte_frame(*source);
        anchor = frame_nodes(pa, false);
        parent = *find_node(anchor, from, from_va);
        kernel_assert(parent != NULL);
        rights &= parent->va & NODE_RIGHTS;
    }
    if (anchor == NULL) {
        return false;
    }
    if ((rights & (L4_Readable | L4_eXecutable)) == 0 ||
        (from == to && from_va / PAGE_SIZE == to_va / PAGE_SIZE)) {
        frame_nodes_done(pa);
        return true;
    }

    pte_t *entry = ptab_make(to, to_va);
    if (entry == NULL) {
        frame_nodes_done(pa);
        return false;
    }
    if (pte_is_mapped(*entry) && pte_frame(*entry) == pa) {
        /* The same frame again. More rights if it came from here; else it stays as it is: its
         * tree cannot be changed without taking it away from those below it. */
        struct node *old = *find_node(anchor, to, to_va);
        kernel_assert(old != NULL);
        bool child = parent == NULL ? old->depth == 1 : old->depth == parent->depth + 1;
        if (child) {
            old->va |= rights; /* a write will fault and wake it */
        }
        return true;
    }
    if (pte_is_mapped(*entry)) {
        mapdb_unmap(to, to_va, NODE_RIGHTS, true);
        switch_unmap_finish();
        /* That may have taken the source away, if it came from there. */
        if (parent != NULL && *find_node(anchor, from, from_va) != parent) {
            return true;
        }
    }

    if (grant && parent != NULL) {
        /* The node moves; what came from it stays below it. */
        bool valid = pte_is_valid(*source);
        bool cached = pte_is_cacheable(*source);
        *source = 0;
        ptab_publish();
        if (valid) {
            switch_unmap(from, from_va, PAGE_SIZE, UNMAP_GONE, cached);
            switch_unmap_finish();
        }
        parent->space = to;
        parent->va = (to_va & ~PAGE_MASK) | rights;
        *entry = dormant_entry(pa);
        start(*anchor, parent, entry, pa);
        return true;
    }

    struct node *n = kmem_cache_alloc(&node_cache);
    if (n == NULL) {
        frame_nodes_done(pa);
        return false;
    }
    struct node **place = parent == NULL ? anchor : &parent->next;
    *n = (struct node){.space = to,
                       .va = (to_va & ~PAGE_MASK) | rights,
                       .next = *place,
                       .depth = parent == NULL ? 1 : parent->depth + 1};
    *place = n;
    *entry = dormant_entry(pa);
    start(*anchor, n, entry, pa);
    return true;
}

/* ---- attributes ---- */

bool mapdb_set_attribute(struct space *space, uint32_t va, uint32_t attribute) {
    pte_t *entry = ptab_find(space, va);
    if (attribute > L4_ARM_MEMORY_CACHED || space_is_reserved(space, va) || entry == NULL ||
        !pte_is_mapped(*entry)) {
        return false;
    }
    uint32_t pa = pte_frame(*entry);
    struct node **anchor = frame_nodes(pa, false);
    kernel_assert(anchor != NULL);
    for (const struct node *n = *anchor; n != NULL; n = n->next) {
        put_to_sleep(n); /* its lines go; the next access finds the new bits */
    }
    if (is_ram(pa)) {
        ram_attributes[(pa - SDRAM_PA) / PAGE_SIZE] = (uint8_t)attribute;
    } else {
        find_device(pa)->attribute = attribute;
    }
    for (const struct node *n = *anchor; n != NULL; n = n->next) {
        *node_entry(n) = dormant_entry(pa);
    }
    ptab_publish();
    switch_unmap_finish();
    return true;
}
