/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database: mapping, granting, unmapping, splitting.
 */
#include "mapdb.h"

#include "events.h"
#include "map_page.h"
#include "node.h"
#include "ptab_above.h"
#include "split.h"
#include "switch.h"
#include "synonym.h"
#include "tcb.h"

static bool is_kernel_frame(word_t pa) {
    return pa - KERNEL_PA < KERNEL_SIZE + HEAP_SIZE;
}
_Static_assert((KERNEL_PA & SECTION_MASK) == 0 && ((KERNEL_SIZE + HEAP_SIZE) & SECTION_MASK) == 0,
               "no section holds a part of the kernel's frames");

/* Does the page hold one that map items may not touch? */
static bool has_reserved(const struct space *space, word_t va, enum page_size size) {
    if (likely(size == SIZE_4K)) {
        return space_is_reserved(space, va);
    }
    return space_overlaps_reserved(space, va, size_bytes(size));
}

/* The largest size of a page at `va`, if there is nothing of the space there. */
static enum page_size hole(const struct space *space, word_t va, enum page_size limit) {
    while (limit != SIZE_4K && !ptab_is_empty(space, va, limit)) {
        limit--;
    }
    return limit;
}

/* How far that reaches: farther where a table is missing that would lead to several of the
 * largest. */
static inline __attribute__((always_inline)) word_t hole_log2(const struct space *space, word_t va,
                                                              enum page_size limit) {
    word_t gap = ptab_gap(space, va);
    return gap != 0 ? gap : size_log2(hole(space, va, limit));
}

/* ---- unmapping ---- */

static void remove_node(struct node *n) {
    ptab_clear(n->space, node_va(n), node_size(n));
    ptab_publish();
    if (node_is_valid(n)) {
        switch_unmap(n->space, node_va(n), size_bytes(node_size(n)), UNMAP_GONE, node_caches(n));
    }
    node_remove(n);
    node_free(n);
}

/* Fewer rights for one node; none left removes it. */
static void take_rights(struct node *n, word_t rights) {
    word_t left = n->va & NODE_RIGHTS & ~rights;
    if ((left & (L4_Readable | L4_eXecutable)) == 0) { /* nobody maps for writing only */
        remove_node(n);
        return;
    }
    if (node_is_valid(n) && (n->va & rights & L4_eXecutable) != 0) {
        /* Later nobody will know that the instruction cache may have it. */
        switch_unmap(n->space, node_va(n), size_bytes(node_size(n)), UNMAP_READ_ONLY,
                     node_caches(n));
    }
    n->va = (n->va & ~NODE_RIGHTS) | left;
    if ((n->va & L4_Writable) == 0) {
        synonym_make_read_only(n);
    }
}

/* Sigma0 has no node above those who have a frame from it. */
static bool is_sigma0s(const struct node *n) {
    return n->space == sigma0_space;
}

/*
 * Marks what came from `n` (NULL: from sigma0) of the page `size` at `pa`. Where that is a part of
 * a larger page, it stops and returns the node of that one.
 */
static struct node *mark_children(const struct node *n, word_t pa, enum page_size size) {
    struct walk w;
    FOR_EACH_NODE(m, &w, pa, size) {
        bool child = n == NULL ? !is_sigma0s(m) : m->parent == n || node_is_marked(m->parent);
        if (!child) {
            continue;
        }
        if (node_size(m) > size) {
            return m;
        }
        m->va |= NODE_MARK;
    }
    return NULL;
}

static void take_marked(word_t pa, enum page_size size, word_t rights) {
    struct walk w;
    struct node *m = walk_first(&w, pa, size);
    while (m != NULL) {
        struct node *next = m->next;
        if (node_is_marked(m)) {
            m->va &= ~NODE_MARK;
            take_rights(m, rights);
        }
        m = walk_on(&w, next);
    }
}

static void unmark(word_t pa, enum page_size size) {
    struct walk w;
    FOR_EACH_NODE(m, &w, pa, size) {
        m->va &= ~NODE_MARK;
    }
}

/*
 * Rights that a parent loses its children lose too. None of them is larger than `size` when rights
 * are taken: those are split first, or else lose them as a whole, with their children.
 */
static void take_from_children(const struct node *n, word_t pa, enum page_size size,
                               word_t rights) {
    struct node *large;
    while ((large = mark_children(n, pa, size)) != NULL) {
        unmark(pa, size);
        if (!node_split(large)) {
            (void)mapdb_unmap(large->space, node_va(large), SIZE_LARGEST, NODE_RIGHTS, true);
        }
    }
    take_marked(pa, size, rights);
}

static enum page_size smaller(enum page_size a, enum page_size b) {
    return a < b ? a : b;
}

static word_t unmap_sigma0(word_t va, enum page_size limit, word_t rights, bool own) {
    enum page_size size = is_ram(va) ? limit : SIZE_4K;
    take_from_children(NULL, va & ~PAGE_MASK, size, rights);
    mapping_t m = own ? ptab_get(sigma0_space, va) : 0; /* its nodes are all of 4 KB */
    struct node *n = m == 0 ? NULL : node_find(sigma0_space, va, m);
    if (own) {
        size = SIZE_4K;
        if (n != NULL) {
            take_rights(n, rights);
        }
    }
    return size_log2(size);
}

word_t mapdb_unmap(struct space *space, word_t va, enum page_size limit, word_t rights, bool own) {
    if (space->is_sigma0) {
        return unmap_sigma0(va, own ? SIZE_4K : limit, rights, own);
    }
    mapping_t m = ptab_get(space, va);
    if (m == 0) {
        return hole_log2(space, va, limit);
    }
    struct node *n = node_find(space, va, m);
    if (n == NULL || space_is_reserved(space, va)) {
        return size_log2(SIZE_4K);
    }
    enum page_size size = smaller(limit, mapping_size(m));
    while (own && node_size(n) > size) {
        if (!node_split(n)) {
            size = node_size(n);
            break;
        }
        m = ptab_get(space, va);
        n = node_find(space, va, m);
    }
    word_t pa = mapping_frame(m) & ~size_mask(size);
    take_from_children(n, pa, size, rights);
    if (own) {
        take_rights(n, rights);
    }
    return size_log2(size);
}

word_t mapdb_status(const struct space *space, word_t va, enum page_size limit, word_t *rights) {
    if (space->is_sigma0) { /* others may have all of it, without a mapping of its own */
        *rights |= NODE_RIGHTS;
        return size_log2(limit);
    }
    mapping_t m = ptab_get(space, va);
    if (m == 0) {
        return hole_log2(space, va, limit);
    }
    const struct node *n = node_find(space, va, m);
    if (n != NULL) {
        *rights |= n->va & NODE_RIGHTS;
    }
    return size_log2(smaller(limit, mapping_size(m)));
}

/* ---- mapping ---- */

bool mapdb_map_sigma0(word_t va) {
    word_t pa = va & ~PAGE_MASK;
    if (is_kernel_frame(pa) || space_is_reserved(sigma0_space, va) ||
        !ptab_make(sigma0_space, va)) {
        return false;
    }
    struct node *n = node_alloc();
    if (n == NULL) {
        return false;
    }
    *n = (struct node){.space = sigma0_space, .va = pa | NODE_RIGHTS, .pa = pa | SIZE_4K};
    if (!node_insert(n, NULL)) {
        node_free(n);
        return false;
    }
    ptab_enter(sigma0_space, pa, n->pa);
    synonym_activate(n, va, true);
    return true;
}

/* See mapdb_expect. */
static struct {
    const struct space *space;
    const word_t *fault;
} expected;

void mapdb_expect(const struct space *space, const word_t *fault) {
    expected.space = space;
    expected.fault = fault;
}

/* The node is there, or has more rights; if it is the one that is about to be accessed, it
 * activates.
 */
static void start(struct node *n) {
    if (n->space == expected.space && expected.fault[1] - node_va(n) < size_bytes(node_size(n))) {
        bool write = (expected.fault[0] & L4_Writable << 16) != 0;
        if (write ? (n->va & L4_Writable) != 0 && !node_is_writable(n) : !node_is_valid(n)) {
            synonym_activate(n, expected.fault[1], write);
        }
    }
}

/* Is some page of the target the frame that is to come there? */
static bool has_same_frames(const struct space *to, word_t to_va, word_t pa, enum page_size size) {
    for (word_t at = 0; at < size_bytes(size);) {
        mapping_t m = ptab_get(to, to_va + at);
        if (m != 0 && mapping_frame(m) == pa + at) {
            return true;
        }
        at += m == 0 ? PAGE_SIZE : size_bytes(mapping_size(m));
    }
    return false;
}

/* Splits the node until the one of `va` has this size; NULL: no memory. */
static struct node *split_down(struct node *n, word_t va, enum page_size size) {
    struct space *space = n->space;
    while (node_size(n) > size) {
        if (!node_split(n)) {
            return NULL;
        }
        n = node_find(space, va, ptab_get(space, va));
    }
    return n;
}

/*
 * The source's page leaves its space; its node goes to the other. Nobody below has more rights than
 * those above, also now: else they would be left behind when the one above goes.
 */
static void move_node(struct node *n, struct space *to, word_t to_va, word_t rights) {
    word_t lost = n->va & ~rights & NODE_RIGHTS;
    if (lost != 0) {
        take_from_children(n, node_pa(n), node_size(n), lost);
    }
    ptab_clear(n->space, node_va(n), node_size(n));
    ptab_publish();
    if (node_is_valid(n)) {
        switch_unmap(n->space, node_va(n), size_bytes(node_size(n)), UNMAP_GONE, node_caches(n));
        switch_unmap_finish();
    }
    n->space = to;
    n->va = to_va | rights;
    n->pa &= ~(PAGE_MASK & ~MAPPING_SIZE);
    ptab_enter(to, to_va, n->pa);
    synonym_start(n);
}

/*
 * The target has the frame already. More rights if it came from here; else it stays as it is: its
 * tree cannot be changed without taking it away from those below it. Granted to its own child, the
 * page leaves the space, and the child is in its place.
 */
static bool map_again(struct node *parent, struct node *old, word_t from_va, word_t to_va,
                      enum page_size size, word_t rights, bool grant) {
    if (old->parent != parent || is_sigma0s(old)) {
        return true;
    }
    struct space *to = old->space;
    grant = grant && parent != NULL;
    if (!grant && (rights & ~old->va) == 0) {
        return true;
    }
    if (grant) { /* splits what came from it as well */
        parent = split_down(parent, from_va, size);
        if (parent == NULL) {
            return false;
        }
        old = node_find(to, to_va, ptab_get(to, to_va));
    }
    old = split_down(old, to_va, size);
    if (old == NULL) {
        return false;
    }
    if (!grant) {
        old->va |= rights; /* else a write will fault and activate it */
        start(old);
        return true;
    }
    struct walk w;
    rights |= old->va & NODE_RIGHTS;
    FOR_EACH_NODE(m, &w, node_pa(old), size) {
        if (m->parent == old) {
            m->parent = parent;
        }
    }
    remove_node(old);
    move_node(parent, to, to_va, rights);
    return true;
}

/* Where a page comes from. */
struct source {
    word_t pa;
    struct node *node; /* NULL: sigma0 */
    enum page_size size;
    word_t rights;
};

/* False: nothing can come from there, for the size in `s`. */
static bool find_source(struct space *from, word_t va, struct source *s) {
    if (from->is_sigma0) {
        s->pa = va & ~PAGE_MASK;
        s->node = NULL;
        if (is_kernel_frame(s->pa)) {
            return false;
        }
        if (!is_ram(s->pa)) {
            s->size = SIZE_4K;
        }
        while (s->size != SIZE_4K && has_reserved(from, va, s->size)) {
            s->size--;
        }
        return !space_is_reserved_frame(from, va);
    }
    mapping_t m = ptab_get(from, va);
    if (m == 0) {
        s->size = hole(from, va, s->size);
        return false;
    }
    s->size = smaller(s->size, mapping_size(m));
    s->pa = mapping_frame(m);
    s->node = node_find(from, va, m);
    if (s->node == NULL) {
        return false; /* KIP or UTCB */
    }
    s->rights &= s->node->va;
    return true;
}

static struct node *new_node(struct space *to, word_t to_va, const struct source *s) {
    struct node *n = node_alloc();
    if (n == NULL) {
        return NULL;
    }
    *n = (struct node){
        .space = to, .va = to_va | s->rights, .pa = s->pa | s->size, .parent = s->node};
    struct node *after = s->node != NULL && node_size(s->node) == s->size ? s->node : NULL;
    if (!node_insert(n, after)) {
        node_free(n);
        return NULL;
    }
    return n;
}

bool mapdb_answer(struct space *from, word_t fpage, const struct tcb *faulter, word_t item) {
    return map_page(from, fpage & ~PAGE_MASK, faulter->space, item & ~PAGE_MASK, fpage,
                    faulter->kmsg);
}

word_t mapdb_map(struct space *from, word_t from_va, struct space *to, word_t to_va,
                 enum page_size limit, word_t rights, bool grant) {
    if (limit == SIZE_4K && !grant &&
        map_page(from, from_va, to, to_va, rights, to == expected.space ? expected.fault : NULL)) {
        return size_log2(SIZE_4K);
    }
    while (limit != SIZE_4K && ((from_va | to_va) & size_mask(limit)) != 0) {
        limit--;
    }
    if (!from->is_sigma0 && ptab_gap(from, from_va) != 0) {
        return ptab_gap(from, from_va);
    }
    for (;;) {
        struct source s = {.size = limit, .rights = rights & NODE_RIGHTS};
        if (!find_source(from, from_va, &s)) {
            return size_log2(s.size);
        }
        while (s.size != SIZE_4K && (has_reserved(to, to_va, s.size) ||
                                     (s.node == NULL && !frame_is_uniform(s.pa, s.size)))) {
            s.size--;
        }
        if ((s.rights & (L4_Readable | L4_eXecutable)) == 0 || space_is_reserved(to, to_va) ||
            (from == to && from_va == to_va)) {
            return size_log2(s.size);
        }

        mapping_t there = ptab_get(to, to_va);
        while (s.size != SIZE_4K && s.size > mapping_size(there) &&
               !ptab_is_empty(to, to_va, s.size) && has_same_frames(to, to_va, s.pa, s.size)) {
            s.size--;
        }
        if (there != 0 && mapping_frame(there) == s.pa) {
            s.size = smaller(s.size, mapping_size(there));
            bool done = map_again(s.node, node_find(to, to_va, there), from_va, to_va, s.size,
                                  s.rights, grant);
            return done ? size_log2(s.size) : 0;
        }
        if (!ptab_is_empty(to, to_va, s.size)) {
            for (word_t at = to_va; at - to_va < size_bytes(s.size);) {
                at = page_behind(at, mapdb_unmap(to, at, s.size, NODE_RIGHTS, true));
            }
            switch_unmap_finish();
            continue; /* that may have taken the source away, or split it */
        }

        if (s.size == SIZE_LARGEST ? PTAB_ROOT > 1 && !ptab_make_above(to, to_va)
                                   : !ptab_make(to, to_va)) {
            return 0;
        }
        if (grant && s.node != NULL) {
            struct node *moving = split_down(s.node, from_va, s.size);
            if (moving == NULL) {
                return 0;
            }
            move_node(moving, to, to_va, s.rights);
            return size_log2(s.size);
        }
        struct node *n = new_node(to, to_va, &s);
        if (n == NULL) {
            return 0;
        }
        ptab_enter(to, to_va, n->pa);
        synonym_start(n);
        start(n);
        return size_log2(s.size);
    }
}

/* ---- faults and attributes ---- */

bool mapdb_activate(struct space *space, word_t va, bool write) {
    mapping_t m = ptab_get(space, va);
    if (m == 0 || (m & (write ? MAPPING_WRITABLE : MAPPING_VALID)) != 0) {
        return false;
    }
    struct node *n = node_find(space, va, m);
    if (n == NULL || (write && (n->va & L4_Writable) == 0)) {
        return false;
    }
    synonym_activate(n, va, write);
    return true;
}

word_t mapdb_set_attribute(struct space *space, word_t va, enum page_size limit, word_t attribute) {
    mapping_t m = ptab_get(space, va);
    enum page_size size = smaller(limit, mapping_size(m));
    word_t pa = mapping_frame(m) & ~size_mask(size);
    struct walk w;
    struct node *n = walk_first(&w, pa, size);
    while (n != NULL) {
        if (node_size(n) > size) {
            if (!node_split(n)) {
                return 0;
            }
            n = walk_first(&w, pa, size);
        } else {
            n = walk_on(&w, n->next);
        }
    }
    FOR_EACH_NODE(each, &w, pa, size) {
        synonym_deactivate(each); /* its lines go; the next access finds the new bits */
    }
    frame_set_attribute(pa, size, attribute);
    switch_unmap_finish();
    return size_log2(size);
}
