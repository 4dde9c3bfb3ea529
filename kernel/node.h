/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database from inside: nodes, and the lists that they are in. Only mapdb.c,
 * node.c, split.c and synonym.c include this.
 *
 * One node is one page in one space, of the size that it has in the page table. It is in the list
 * of its size of the frame where it begins: each page of each size in RAM has such a list (other
 * frames are devices, mapped by 4 KB only). A node knows its parent, which is at least as large.
 * In a list a parent comes before its children. So whoever goes through the lists of a piece of
 * memory, large nodes first (struct walk), meets all its nodes, parents before children.
 */
#ifndef NODE_H
#define NODE_H

#include "ptab.h"
#include "spaces.h"
#include "switch.h"

struct node {
    struct space *space;
    word_t va; /* page address | NODE_* */
    word_t pa; /* as mapping_t: frame | size, attributes, state; what the page table says */
    struct node *parent; /* NULL: from sigma0, or sigma0's own */
    struct node *next;
    struct node **link; /* what points to this node */
    word_t unused[2];   /* a cache line */
};

#define NODE_RIGHTS (L4_FullyAccessible) /* what the space was given: r 4, w 2, x 1 */
#define NODE_MARK   ((word_t)8)          /* by split.c and mapdb.c, while they go through lists */
#define NODE_MOVED  ((word_t)16)         /* by synonym.c: has been in a conflict as a whole */

static inline word_t node_va(const struct node *n) {
    return n->va & ~PAGE_MASK;
}

static inline word_t node_pa(const struct node *n) {
    return n->pa & ~PAGE_MASK;
}

static inline enum page_size node_size(const struct node *n) {
    return mapping_size(n->pa);
}

static inline bool node_is_valid(const struct node *n) {
    return (n->pa & MAPPING_VALID) != 0;
}

static inline bool node_is_writable(const struct node *n) {
    return (n->pa & MAPPING_WRITABLE) != 0;
}

static inline bool node_is_marked(const struct node *n) {
    return n != NULL && (n->va & NODE_MARK) != 0;
}

/* As switch_unmap wants it. */
static inline word_t node_caches(const struct node *n) {
    return (n->pa & MAPPING_CACHEABLE) == 0 ? 0
           : (n->va & L4_eXecutable) != 0   ? CACHED_DATA | CACHED_CODE
                                            : CACHED_DATA;
}

static inline bool is_ram(word_t pa) {
    return pa - SDRAM_PA < SDRAM_SIZE;
}

/* As much of RAM as one entry of a page directory maps. The counts save a look into lists that are
 * empty. */
struct ram_section {
    struct node *nodes;
    word_t larger;  /* nodes in it of more than 4 KB */
    word_t smaller; /* of 4 KB */
    word_t special; /* frames with an attribute other than the default */
    struct node *middle[MIDDLES];
} __attribute__((aligned(128)));

extern struct ram_section ram_sections[];
extern struct node *ram_small[];

static inline struct ram_section *ram_section_of(word_t pa) {
    return &ram_sections[(pa - SDRAM_PA) >> SECTION_LOG2];
}

/*
 * What is known of each frame, a byte: the attribute that MemoryControl gave it (attribute.h),
 * and whether a node of the frame's own list may be writable. (Not set: none is. So whoever comes
 * to read need not ask each of them.)
 */
#define FRAME_ATTRIBUTE      0x07u
#define FRAME_MAYBE_WRITABLE 0x80u
extern uint8_t frame_state[];

/* The node is writable from now on. */
static inline void node_note_writable(const struct node *n) {
    if (is_ram(n->pa) && node_size(n) == SIZE_4K) {
        frame_state[(n->pa - SDRAM_PA) / PAGE_SIZE] |= FRAME_MAYBE_WRITABLE;
    }
}

/* Not initialised, in no list. NULL: no memory. A few that are free are kept at hand, by address:
 * then neither taking nor giving back one touches it. */
#define NODES_AT_HAND 16u
extern struct nodes_at_hand {
    word_t count;
    struct node *node[NODES_AT_HAND];
} nodes_at_hand;
struct node *node_alloc_more(void);
void node_free_more(struct node *n);

static inline struct node *node_alloc(void) {
    return likely(nodes_at_hand.count != 0) ? nodes_at_hand.node[--nodes_at_hand.count]
                                            : node_alloc_more();
}

static inline void node_free(struct node *n) {
    if (likely(nodes_at_hand.count != NODES_AT_HAND)) {
        nodes_at_hand.node[nodes_at_hand.count++] = n;
    } else {
        node_free_more(n);
    }
}

/* Puts the node into its list, after `after`, which is in the same, or first (NULL). False: no
 * memory; only for the first node of a device's frame. */
bool node_insert(struct node *n, struct node *after);
void node_remove(struct node *n);

/* The node of the page that is mapped (`m`, not 0) at `va`; NULL: the kernel's own page there. */
struct node *node_find(const struct space *space, word_t va, mapping_t m);

/* Of RAM or of a device's frame that has nodes: how it is mapped by its attribute (attribute.h). */
word_t frame_attributes(word_t pa);
void frame_set_attribute(word_t pa, enum page_size size, word_t attribute);

/* Have all frames of the page the same attribute? */
bool frame_is_uniform(word_t pa, enum page_size size);

/* All nodes that have some of the page `size` at `pa`. */
struct walk {
    struct node **at, **end; /* lists still to come of this size */
    struct node **next_at[2], **next_end[2];
};
struct node *walk_first(struct walk *w, word_t pa, enum page_size size);
struct node *walk_list(struct walk *w);

/* `n` may have been freed if `next` was read before. */
static inline struct node *walk_on(struct walk *w, struct node *next) {
    return next != NULL ? next : walk_list(w);
}

#define FOR_EACH_NODE(n, w, pa, size)                                                              \
    for (struct node *n = walk_first(w, pa, size); (n) != NULL; (n) = walk_on(w, (n)->next))

#endif
