/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of the mapping database, and the attributes of frames.
 */
#include "node.h"

#include "attribute.h"
#include "kmem.h"

/* The nodes of a frame that is not in SDRAM (devices). */
struct device_frame {
    word_t pa;
    struct node *nodes;
    struct device_frame *next;
    word_t attribute; /* ATTRIBUTE_DEFAULT and others */
};

static struct kmem_cache node_cache = {.size = sizeof(struct node), .dirty = true};
static struct kmem_cache device_cache = {.size = sizeof(struct device_frame)};
_Static_assert(sizeof(struct node) == 8 * sizeof(word_t) &&
                   sizeof(struct device_frame) == 4 * sizeof(word_t),
               "cache sizes");

struct ram_section ram_sections[SDRAM_SIZE >> SECTION_LOG2];
struct node *ram_small[SDRAM_SIZE / PAGE_SIZE];
uint8_t frame_state[SDRAM_SIZE / PAGE_SIZE];
_Static_assert(ATTRIBUTE_LAST <= FRAME_ATTRIBUTE && ATTRIBUTE_DEFAULT == 0, "attributes");
_Static_assert((SDRAM_PA & SECTION_MASK) == 0 && (SDRAM_SIZE & SECTION_MASK) == 0,
               "sections of RAM");

#define DEVICE_BUCKETS 32u
static struct device_frame *device_frames[DEVICE_BUCKETS];

static struct device_frame *find_device(word_t pa) {
    struct device_frame *f = device_frames[pa / PAGE_SIZE % DEVICE_BUCKETS];
    while (f != NULL && f->pa != pa) {
        f = f->next;
    }
    return f;
}

static struct device_frame *make_device(word_t pa) {
    struct device_frame *f = find_device(pa);
    if (f != NULL) {
        return f;
    }
    f = kmem_cache_alloc(&device_cache);
    if (f != NULL) {
        struct device_frame **bucket = &device_frames[pa / PAGE_SIZE % DEVICE_BUCKETS];
        f->pa = pa;
        f->next = *bucket;
        *bucket = f;
    }
    return f;
}

/* A device frame without nodes needs no anchor; its attribute goes back to the default. */
static void free_device(word_t pa) {
    struct device_frame **at = &device_frames[pa / PAGE_SIZE % DEVICE_BUCKETS];
    while ((*at)->pa != pa) {
        at = &(*at)->next;
    }
    struct device_frame *f = *at;
    if (f->nodes == NULL) {
        *at = f->next;
        kmem_cache_free(&device_cache, f);
    }
}

struct nodes_at_hand nodes_at_hand;

/* None is at hand: half of what there can be, as far as there is memory. */
struct node *node_alloc_more(void) {
    struct node *n = kmem_cache_alloc(&node_cache);
    while (n != NULL && nodes_at_hand.count < NODES_AT_HAND / 2) {
        nodes_at_hand.node[nodes_at_hand.count++] = n;
        n = kmem_cache_alloc(&node_cache);
    }
    return n != NULL || nodes_at_hand.count == 0 ? n : node_alloc();
}

static void give_back(word_t left) {
    while (nodes_at_hand.count > left) {
        kmem_cache_free(&node_cache, nodes_at_hand.node[--nodes_at_hand.count]);
    }
}

/* As many are at hand as can be. */
void node_free_more(struct node *n) {
    give_back(NODES_AT_HAND / 2);
    node_free(n);
}

void mapdb_give_back(void) {
    give_back(0);
}

/* The list for nodes of this size that begin at `pa`; NULL: a device frame that has none. */
static struct node **list_of(word_t pa, enum page_size size) {
    if (likely(is_ram(pa))) {
        if (likely(size == SIZE_4K)) {
            return &ram_small[(pa - SDRAM_PA) / PAGE_SIZE];
        }
        struct ram_section *s = ram_section_of(pa);
        return size == SIZE_LARGEST ? &s->nodes : &s->middle[middle_of(pa)];
    }
    struct device_frame *f = find_device(pa);
    return f == NULL ? NULL : &f->nodes;
}

static void count_node(const struct node *n, word_t by) {
    if (likely(is_ram(n->pa))) {
        struct ram_section *s = ram_section_of(n->pa);
        *(node_size(n) == SIZE_4K ? &s->smaller : &s->larger) += by;
    }
}

bool node_insert(struct node *n, struct node *after) {
    struct node **place;
    if (after != NULL) {
        place = &after->next;
    } else if (is_ram(n->pa)) {
        place = list_of(node_pa(n), node_size(n));
    } else {
        struct device_frame *f = make_device(node_pa(n));
        if (f == NULL) {
            return false;
        }
        place = &f->nodes;
    }
    n->next = *place;
    n->link = place;
    if (n->next != NULL) {
        n->next->link = &n->next;
    }
    *place = n;
    count_node(n, 1);
    if (node_is_writable(n)) {
        node_note_writable(n);
    }
    return true;
}

void node_remove(struct node *n) {
    *n->link = n->next;
    if (n->next != NULL) {
        n->next->link = n->link;
    }
    count_node(n, ~(word_t)0);
    if (!is_ram(n->pa)) {
        free_device(node_pa(n));
    }
}

struct node *node_find(const struct space *space, word_t va, mapping_t m) {
    enum page_size size = mapping_size(m);
    struct node **list = list_of(mapping_frame(m) & ~size_mask(size), size);
    struct node *n = list == NULL ? NULL : *list;
    va &= ~size_mask(size);
    while (n != NULL && (n->space != space || node_va(n) != va)) {
        n = n->next;
    }
    return n;
}

/* ---- attributes ---- */

static word_t attribute_of(word_t pa) {
    if (likely(is_ram(pa))) {
        return frame_state[(pa - SDRAM_PA) / PAGE_SIZE] & FRAME_ATTRIBUTE;
    }
    const struct device_frame *f = find_device(pa);
    return f == NULL ? ATTRIBUTE_DEFAULT : f->attribute;
}

/* By default RAM is cached and everything else is a device, whose registers are always accessed
 * themselves. */
word_t frame_attributes(word_t pa) {
#define RETURN_MAPPING(attribute, mapping)                                                         \
    case attribute:                                                                                \
        return mapping;

    switch (attribute_of(pa)) {
        ATTRIBUTE_MAPPINGS(RETURN_MAPPING)
    default:
        return is_ram(pa) ? MAPPING_CACHED : 0;
    }
}

void frame_set_attribute(word_t pa, enum page_size size, word_t attribute) {
    if (!is_ram(pa)) {
        find_device(pa)->attribute = attribute;
        return;
    }
    struct ram_section *s = ram_section_of(pa);
    uint8_t *at = &frame_state[(pa - SDRAM_PA) / PAGE_SIZE];
    for (word_t i = 0; i < size_bytes(size) / PAGE_SIZE; i++) {
        s->special += (word_t)(attribute != ATTRIBUTE_DEFAULT) -
                      (word_t)((at[i] & FRAME_ATTRIBUTE) != ATTRIBUTE_DEFAULT);
        at[i] = (uint8_t)((at[i] & ~FRAME_ATTRIBUTE) | attribute);
    }
}

bool frame_is_uniform(word_t pa, enum page_size size) {
    if (ram_section_of(pa)->special == 0) {
        return true;
    }
    const uint8_t *at = &frame_state[(pa - SDRAM_PA) / PAGE_SIZE];
    for (word_t i = 1; i < size_bytes(size) / PAGE_SIZE; i++) {
        if (((at[i] ^ at[0]) & FRAME_ATTRIBUTE) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- all nodes of a piece of memory ---- */

struct node *walk_list(struct walk *w) {
    for (;;) {
        while (w->at != w->end) {
            struct node *first = *w->at++;
            if (first != NULL) {
                return first;
            }
        }
        if (w->next_at[0] == NULL) {
            return NULL;
        }
        w->at = w->next_at[0];
        w->end = w->next_end[0];
        w->next_at[0] = w->next_at[1];
        w->next_end[0] = w->next_end[1];
        w->next_at[1] = NULL;
    }
}

struct node *walk_first(struct walk *w, word_t pa, enum page_size size) {
    word_t pages = size_bytes(size) / PAGE_SIZE;
    if (!is_ram(pa)) {
        struct device_frame *f = find_device(pa);
        w->at = w->end = NULL;
        w->next_at[0] = NULL;
        return f == NULL ? NULL : f->nodes;
    }
    struct ram_section *s = ram_section_of(pa);
    unsigned i = 0;
    w->next_at[0] = w->next_at[1] = NULL;
    if (s->larger != 0) {
        w->next_at[i] = &s->middle[middle_of(pa)];
        w->next_end[i] = w->next_at[i] + (size == SIZE_LARGEST ? MIDDLES : 1);
        i++;
    }
    if (s->smaller != 0) {
        w->next_at[i] = &ram_small[(pa - SDRAM_PA) / PAGE_SIZE];
        w->next_end[i] = w->next_at[i] + pages;
    }
    w->at = w->end = NULL;
    return s->nodes != NULL ? s->nodes : walk_list(w);
}
