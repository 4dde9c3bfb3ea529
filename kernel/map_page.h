/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short way of the mapping database: one page of 4 KB to where nothing is, as most page faults
 * are answered. In a header for speed: mapdb.c alone includes it, and has it inline twice.
 */
#ifndef MAP_PAGE_H
#define MAP_PAGE_H

#include "node.h"
#include "ptab_entry.h"
#include "switch.h"
#include "synonym.h"

/* Of the nodes in this list that have `pa` and are synonyms of (space, va): may one be active, or
 * be written? `all`: the same of all of them. */
static word_t others_state(const struct node *list, word_t pa, const struct space *space, word_t va,
                           word_t *all) {
    word_t state = 0;
    for (; list != NULL; list = list->next) {
        *all |= list->pa;
        if (node_is_valid(list) &&
            switch_synonym(list->space, node_va(list) + (pa - node_pa(list)), space, va)) {
            state |= list->pa & (MAPPING_VALID | MAPPING_WRITABLE);
        }
    }
    return state;
}

/* As others_state(), for a page of RAM and nodes of any size. What is noted of the frame is set
 * right. */
static word_t frame_others(word_t pa, const struct space *space, word_t va) {
    word_t frame = (pa - SDRAM_PA) / PAGE_SIZE;
    const struct ram_section *section = ram_section_of(pa);
    word_t all = 0, larger = 0;
    word_t state = others_state(ram_small[frame], pa, space, va, &all);
    state |= others_state(section->nodes, pa, space, va, &larger);
    state |= others_state(section->middle[middle_of(pa)], pa, space, va, &larger);
    if ((all & MAPPING_WRITABLE) == 0) {
        frame_state[frame] &= FRAME_ATTRIBUTE;
    }
    return state;
}

/* The node of what `space` has at `va`; it is noted for the next time. NULL: it has nothing. */
static struct node *find_and_note(struct space *space, word_t va) {
    mapping_t m = ptab_get(space, va);
    struct node *n = m == 0 ? NULL : node_find(space, va, m);
    if (n != NULL && node_size(n) == SIZE_4K) {
        *entry_node(entry_at(space, va)) = n;
    }
    return n;
}

/*
 * The way of most page faults: 4 KB of RAM with the default attribute, from what `from` has to
 * where nothing is. False: not so, or no memory. It does what mapdb_map would do, with each thing
 * looked at once, and published; but reads no node beside the parent unless it must. What page
 * tables hold is read from memory, past the caches, and a node mostly too.
 *
 * `fault`: tag and address of the target's page fault, which the page is mapped for; or NULL.
 */
static inline __attribute__((always_inline)) bool map_page(struct space *from, word_t from_va,
                                                           struct space *to, word_t to_va,
                                                           word_t rights, const word_t *fault) {
    pte_t *source = entry_at(from, from_va);
    struct node *parent = source == NULL ? NULL : *entry_node(source);
    if (unlikely(parent == NULL)) {
        parent = find_and_note(from, from_va);
        if (parent == NULL) {
            return false;
        }
    }
    pte_t *entry = ptab_fault_slot.entry;
    if (ptab_fault_slot.space != to || ptab_fault_slot.va != to_va) {
        entry = entry_at(to, to_va);
        if (entry == NULL || *entry != 0) {
            return false;
        }
    }
    bool same_size = node_size(parent) == SIZE_4K;
    word_t pa = node_pa(parent);
    if (unlikely(!same_size)) {
        pa += from_va & size_mask(node_size(parent)); /* is that of a page */
    }
    word_t frame = (pa - SDRAM_PA) / PAGE_SIZE;
    rights &= parent->va & NODE_RIGHTS;
    if (frame >= SDRAM_SIZE / PAGE_SIZE || (rights & (L4_Readable | L4_eXecutable)) == 0 ||
        from->is_sigma0 || space_is_reserved(to, to_va)) {
        return false;
    }
    word_t state = frame_state[frame];
    struct ram_section *section = ram_section_of(pa);
    if (unlikely((state & FRAME_ATTRIBUTE) != 0)) {
        return false;
    }
    struct node *n = node_alloc();
    if (unlikely(n == NULL)) {
        return false;
    }
    /* A parent that is active and a synonym is enough to know that this is not to be written yet,
     * and that nobody may write is noted of the frame; so mostly this can be read at once. */
    bool write = (rights & L4_Writable) != 0;
    bool active = true;
    if (likely((state | section->larger) == 0 &&
               (!write || (node_is_valid(parent) && switch_synonym(from, from_va, to, to_va))))) {
        write = false;
    } else {
        word_t others = frame_others(pa, to, to_va);
        write = write && (others & MAPPING_VALID) == 0;
        active = (others & MAPPING_WRITABLE) == 0;
    }
    pte_t value = entry_of_frame(pa) | ENTRY_INACTIVE;
    word_t mapping = pa | SIZE_4K;
    if (likely(active)) {
        value = entry_of_frame(pa) | ENTRY_READABLE;
        mapping |= MAPPING_CACHED | MAPPING_VALID;
        if (write) {
            value |= ENTRY_WRITABLE;
            mapping |= MAPPING_WRITABLE;
            frame_state[frame] |= FRAME_MAYBE_WRITABLE;
        }
        switch_map(to, to_va, PAGE_SIZE, write, false);
    }
    entry_fill(to, entry, value);
    section->smaller++;
    entry_publish(); /* before the node, which is likely to go through the write buffer */
    /* First in its list, or after its parent there. */
    struct node **place = likely(same_size) ? &parent->next : &ram_small[frame];
    struct node *next = *place;
    n->space = to;
    n->va = to_va | rights;
    n->pa = mapping;
    n->parent = parent;
    n->next = next;
    n->link = place;
    if (next != NULL) {
        next->link = &n->next;
    }
    *place = n;
    *entry_node(entry) = n;
    if (fault != NULL && (fault[1] ^ to_va) <= PAGE_MASK) {
        bool writes = (fault[0] & L4_Writable << 16) != 0;
        if (unlikely(writes ? !write && (rights & L4_Writable) != 0 : !active)) {
            synonym_activate(n, to_va, writes);
        }
    }
    return true;
}

#endif
