/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synonyms: which nodes of a frame are active (mapdb.h has the rule).
 *
 * Pages of different sizes may share a frame. Nodes that disagree do it about the page that is
 * accessed, and not about the megabyte around it; so the larger one is split until they are alike.
 * Where both are of one size, the page moves as a whole, for it may have been filled by one to be
 * used by the other. If both go on writing it, it is split.
 */
#include "synonym.h"

#include "events.h"
#include "split.h"
#include "switch.h"

/* Writes the node's state to the page table as well. */
static void set_state(struct node *n, word_t state) {
    n->pa = (n->pa & ~(PAGE_MASK & ~MAPPING_SIZE)) | state;
    if (node_is_writable(n)) {
        node_note_writable(n);
    }
    ptab_change(n->space, node_va(n), n->pa);
    ptab_publish();
}

static word_t active(const struct node *n, bool write) {
    return frame_attributes(node_pa(n)) | MAPPING_VALID | (write ? MAPPING_WRITABLE : 0);
}

void synonym_deactivate(struct node *n) {
    if (node_is_valid(n)) {
        word_t cached = node_caches(n);
        set_state(n, 0);
        switch_unmap(n->space, node_va(n), size_bytes(node_size(n)), UNMAP_GONE, cached);
    }
}

void synonym_make_read_only(struct node *n) {
    if (node_is_writable(n)) {
        set_state(n, active(n, false));
        switch_unmap(n->space, node_va(n), size_bytes(node_size(n)), UNMAP_READ_ONLY,
                     node_caches(n));
    }
}

/* Both have some frame, by two mva. */
bool synonym_of(const struct node *a, const struct node *b) {
    word_t pa = node_pa(a) > node_pa(b) ? node_pa(a) : node_pa(b);
    return switch_synonym(a->space, node_va(a) + (pa - node_pa(a)), b->space,
                          node_va(b) + (pa - node_pa(b)));
}

/* Must `other` change before `n` can be accessed so? */
static bool conflicts(const struct node *other, const struct node *n, bool write) {
    return other != n && (write ? node_is_valid(other) : node_is_writable(other)) &&
           synonym_of(other, n);
}

/* The one to split before the conflict is settled, or NULL. */
static struct node *too_large(struct node *other, struct node *n, bool write) {
    if (node_size(other) != node_size(n)) {
        return node_size(other) > node_size(n) ? other : n;
    }
    bool again = ((n->va | other->va) & NODE_MOVED) != 0;
    return write && again && node_size(n) != SIZE_4K ? n : NULL;
}

/*
 * Splits until no conflict is between pages of different sizes, or about writing large ones.
 * Without memory for that they stay as large as they are, and move as a whole. Returns the node of
 * `va` then.
 */
static struct node *settle_sizes(struct node *n, word_t va, bool write, bool *split) {
    struct space *space = n->space;
    struct walk w;
    for (;;) {
        struct node *large = NULL;
        FOR_EACH_NODE(other, &w, node_pa(n), node_size(n)) {
            if (conflicts(other, n, write)) {
                large = too_large(other, n, write);
                if (large != NULL) {
                    break;
                }
            }
        }
        if (large == NULL || !node_split(large)) {
            return n;
        }
        *split = true;
        n = node_find(space, va, ptab_get(space, va));
    }
}

void synonym_activate(struct node *n, word_t va, bool write) {
    bool cached = (frame_attributes(node_pa(n)) & MAPPING_CACHEABLE) != 0;
    if (cached) {
        bool moved = false;
        struct walk w;
        n = settle_sizes(n, va, write, &moved);
        FOR_EACH_NODE(other, &w, node_pa(n), node_size(n)) {
            if (conflicts(other, n, write)) {
                if (write) {
                    synonym_deactivate(other);
                    other->va |= NODE_MOVED;
                    n->va |= NODE_MOVED;
                } else {
                    synonym_make_read_only(other);
                }
                moved = true;
            }
        }
        if (moved) {
            switch_unmap_finish();
            count_event(EVENT_SYNONYM_MOVED);
        }
    }
    bool was_valid = node_is_valid(n);
    set_state(n, active(n, write));
    switch_map(n->space, node_va(n), size_bytes(node_size(n)), write && cached, was_valid);
}

/*
 * Awake at once as far as nobody else has to change for it, so that most pages never fault for
 * this; else inactive until its first access shows who is to have it. What is got to be passed on
 * waits for its first access too: a large page, where that costs one fault for all of it, and what
 * comes from sigma0. (If the access has faulted already, ipc.c activates the page at once.)
 */
void synonym_start(struct node *n) {
    struct walk w;
    bool write = (n->va & L4_Writable) != 0;
    word_t state = active(n, write);
    if (node_size(n) != SIZE_4K || n->parent == NULL) {
        return;
    }
    if ((state & MAPPING_CACHEABLE) != 0) {
        FOR_EACH_NODE(other, &w, node_pa(n), SIZE_4K) {
            if (conflicts(other, n, false)) {
                return;
            }
            if (write && conflicts(other, n, true)) {
                write = false;
                state &= ~MAPPING_WRITABLE;
            }
        }
    }
    set_state(n, state);
    switch_map(n->space, node_va(n), PAGE_SIZE, write && (state & MAPPING_CACHEABLE) != 0, false);
}
