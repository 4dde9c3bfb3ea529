/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <l4/l4.h>

#define MAX_NODES (SPACES * PAGES)

struct page_node *model_pages[SPACES][PAGES];
L4_Word_t model_marks[FRAMES][MARKS];

static struct page_node nodes[MAX_NODES];
static struct page_node *free_nodes;
static struct page_node *of_frame[FRAMES];
static unsigned used;
static bool is_open;

void model_init(bool open) {
    is_open = open;
    for (unsigned i = 0; i < MAX_NODES; i++) {
        nodes[i].next = free_nodes;
        free_nodes = &nodes[i];
    }
}

static void add(unsigned s, unsigned p, unsigned frame, L4_Word_t rights,
                struct page_node *parent) {
    struct page_node *n = free_nodes;
    free_nodes = n->next;
    *n = (struct page_node){.frame = (uint16_t)frame,
                            .page = (uint16_t)p,
                            .space = (uint8_t)s,
                            .rights = (uint8_t)rights,
                            .parent = parent,
                            .next = of_frame[frame]};
    of_frame[frame] = n;
    model_pages[s][p] = n;
    used++;
}

static void drop(struct page_node *n) {
    struct page_node **at = &of_frame[n->frame];
    while (*at != n) {
        at = &(*at)->next;
    }
    *at = n->next;
    model_pages[n->space][n->page] = NULL;
    n->next = free_nodes;
    free_nodes = n;
    used--;
}

static bool is_below(const struct page_node *n, const struct page_node *above) {
    for (n = n->parent; n != NULL; n = n->parent) {
        if (n == above) {
            return true;
        }
    }
    return false;
}

static void take(struct page_node *n, L4_Word_t rights) {
    n->rights &= (uint8_t)~rights;
    if ((n->rights & (L4_Readable | L4_eXecutable)) == 0) {
        drop(n);
    }
}

static void take_below(const struct page_node *above, L4_Word_t rights) {
    static struct page_node *below[MAX_NODES];
    unsigned count = 0;
    for (struct page_node *n = of_frame[above->frame]; n != NULL; n = n->next) {
        if (is_below(n, above)) {
            below[count++] = n;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        take(below[i], rights);
    }
}

static void revoke(struct page_node *n, L4_Word_t rights, bool own) {
    take_below(n, rights);
    if (own) {
        take(n, rights);
    }
}

void model_unmap(unsigned s, unsigned p, L4_Word_t rights, bool own) {
    if (model_pages[s][p] != NULL) {
        revoke(model_pages[s][p], rights, own);
    }
}

void model_kill(unsigned s) {
    for (unsigned p = 0; p < PAGES; p++) {
        model_unmap(s, p, L4_FullyAccessible, true);
    }
}

void model_give(unsigned frame) {
    if (model_pages[0][frame] == NULL) {
        add(0, frame, frame, L4_FullyAccessible, NULL);
    } else {
        model_pages[0][frame]->rights = L4_FullyAccessible;
    }
}

/* The node leaves its place for another, with what is below it. */
static void move(struct page_node *n, unsigned t, unsigned q, L4_Word_t rights) {
    take_below(n, n->rights & ~rights);
    model_pages[n->space][n->page] = NULL;
    n->space = (uint8_t)t;
    n->page = (uint16_t)q;
    n->rights = (uint8_t)rights;
    model_pages[t][q] = n;
}

void model_map(unsigned s, unsigned p, unsigned t, unsigned q, L4_Word_t rights, bool grant) {
    struct page_node *n = model_pages[s][p];
    if (n == NULL || (s == t && p == q)) {
        return;
    }
    rights &= n->rights;
    if ((rights & (L4_Readable | L4_eXecutable)) == 0) {
        return;
    }
    struct page_node *old = model_pages[t][q];
    if (old != NULL && old->frame == n->frame) {
        if (old->parent != n) {
            return; /* there from elsewhere: stays */
        }
        if (!grant) {
            old->rights |= (uint8_t)rights;
            return;
        }
        /* To its own child, which is in its place from now on. */
        rights |= old->rights;
        for (struct page_node *m = of_frame[n->frame]; m != NULL; m = m->next) {
            if (m->parent == old) {
                m->parent = n;
            }
        }
        drop(old);
        move(n, t, q, rights);
        return;
    }
    if (old != NULL) {
        revoke(old, L4_FullyAccessible, true);
    }
    if (grant) {
        move(n, t, q, rights);
    } else {
        add(t, q, n->frame, rights, n);
    }
}

bool model_is_ambiguous(unsigned s, unsigned p, unsigned t, unsigned q, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        const struct page_node *from = model_pages[s][p + i];
        for (; from != NULL; from = from->parent) {
            if (from->space == t && from->page >= q && from->page < q + n && from->page != q + i) {
                return true;
            }
        }
    }
    return false;
}

bool model_may(unsigned s, unsigned p, bool write) {
    const struct page_node *n = model_pages[s][p];
    if (is_open) {
        return true;
    }
    return n != NULL && (!write || (n->rights & L4_Writable) != 0);
}

unsigned model_frame(unsigned s, unsigned p) {
    return is_open ? p % FRAMES : model_pages[s][p]->frame;
}

unsigned model_nodes(void) {
    return used;
}
