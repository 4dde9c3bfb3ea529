/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database: splitting nodes.
 */
#include "split.h"

#include "events.h"
#include "switch.h"

/* The node that is part of `whole`'s page, at `pa`, after the split. */
static struct node *part_of(const struct node *whole, word_t pa) {
    enum page_size size = node_size(whole) - 1;
    word_t va = node_va(whole) + (pa - node_pa(whole)) / size_bytes(size) * size_bytes(size);
    return node_find(whole->space, va, (pa & ~PAGE_MASK) | size);
}

/* Of tables the first word of each leads to the next. */
static void free_spare(struct node *nodes, word_t *tables) {
    while (nodes != NULL) {
        struct node *next = nodes->next;
        node_free(nodes);
        nodes = next;
    }
    while (tables != NULL) {
        word_t *next = (word_t *)tables[0];
        ptab_free_spare(tables);
        tables = next;
    }
}

/* What splitting the marked nodes of n's list takes: PARTS nodes each, and tables for the largest.
 */
static bool get_spare(const struct node *n, struct node **nodes, word_t **tables) {
    *nodes = NULL;
    *tables = NULL;
    for (; n != NULL; n = n->next) {
        if (!node_is_marked(n)) {
            continue;
        }
        for (word_t i = 0; i < PARTS; i++) {
            struct node *spare = node_alloc();
            if (spare == NULL) {
                return false;
            }
            spare->next = *nodes;
            *nodes = spare;
        }
        if (node_size(n) == SIZE_LARGEST) {
            word_t *table = ptab_alloc_table();
            if (table == NULL) {
                return false;
            }
            table[0] = (word_t)*tables;
            *tables = table;
        }
    }
    return true;
}

/* Hardware and nodes; the old node stays in its list for now. */
static void split_one(struct node *n, struct node **nodes, word_t **tables) {
    enum page_size size = node_size(n);
    word_t step = size_bytes(size - 1);
    word_t *table = NULL;
    if (size == SIZE_LARGEST) {
        table = *tables;
        *tables = (word_t *)table[0];
    }
    ptab_split(n->space, node_va(n), size, table);
    ptab_publish();
    if (node_is_valid(n)) {
        switch_unmap(n->space, node_va(n), size_bytes(size), UNMAP_READ_ONLY, 0);
    }
    for (word_t i = 0; i < PARTS; i++) {
        struct node *part = *nodes;
        *nodes = part->next;
        bool with_parent = node_is_marked(n->parent);
        *part = (struct node){.space = n->space,
                              .va = (n->va & ~(NODE_MARK | NODE_MOVED)) + i * step,
                              .pa = n->pa - 1 + i * step, /* the next smaller size */
                              .parent = n->parent};
        if (with_parent) {
            part->parent = part_of(n->parent, node_pa(part));
        }
        (void)node_insert(part, with_parent ? part->parent : NULL); /* RAM: cannot fail */
    }
}

/*
 * Parts go first in their lists, or right after their parents; so parents are before children
 * again, also those smaller children that were there before.
 */
bool node_split(struct node *n) {
    enum page_size size = node_size(n);
    word_t pa = node_pa(n);
    struct node *nodes;
    word_t *tables;
    for (struct node *m = n; m != NULL; m = m->next) {
        if (m == n || node_is_marked(m->parent)) {
            m->va |= NODE_MARK;
        }
    }
    if (!get_spare(n, &nodes, &tables)) {
        for (; n != NULL; n = n->next) {
            n->va &= ~NODE_MARK;
        }
        free_spare(nodes, tables);
        return false;
    }
    for (struct node *m = n; m != NULL; m = m->next) {
        if (node_is_marked(m)) {
            count_event(EVENT_PAGE_SPLIT);
            split_one(m, &nodes, &tables);
        }
    }
    struct walk w;
    FOR_EACH_NODE(m, &w, pa, size) {
        if (node_size(m) < size && node_is_marked(m->parent)) {
            m->parent = part_of(m->parent, node_pa(m));
        }
    }
    while (n != NULL) {
        struct node *next = n->next;
        if (node_is_marked(n)) {
            node_remove(n);
            node_free(n);
        }
        n = next;
    }
    return true;
}
