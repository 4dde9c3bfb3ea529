/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: who may see which page, and what is in it. It knows pages of 4 KB only, for what an
 * fpage's size or the kernel's page tables are must not make a difference.
 *
 * Space 0 is the root program, which has the pool's frames 1:1 (page = frame); sigma0 is above it.
 * A worker's pages are those of two arenas, which are at the same addresses in every worker.
 */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include <l4/types.h>

#define SPACES      6u   /* with the root */
#define FRAMES      512u /* 2 MB */
#define ARENA_PAGES 512u /* likewise */
#define PAGES       (2 * ARENA_PAGES)

#define ARENA_LOW  0x00400000u
#define ARENA_HIGH 0x80000000u

/* Words of a frame that are looked at, in different cache lines. */
#define MARKS 4u

/* A page of a space: its node, or NULL. */
struct page_node {
    uint16_t frame;
    uint16_t page;
    uint8_t space;
    uint8_t rights;
    struct page_node *parent; /* NULL: from sigma0 */
    struct page_node *next;   /* of the same frame; free ones */
};

extern struct page_node *model_pages[SPACES][PAGES];
extern L4_Word_t model_marks[FRAMES][MARKS];

/* `open`: nothing is protected, every space sees all of the pool, 1:1, whatever was mapped. */
void model_init(bool open);

/* Page `p` of `s` is mapped (or granted) to page `q` of `t`. */
void model_map(unsigned s, unsigned p, unsigned t, unsigned q, L4_Word_t rights, bool grant);

/* Sigma0 gives the root a frame (again). */
void model_give(unsigned frame);

/* Rights are taken from all that came from the page, and from itself if `own`. */
void model_unmap(unsigned s, unsigned p, L4_Word_t rights, bool own);

/* A space ends. */
void model_kill(unsigned s);

/* Would mapping so take away a page before it is mapped itself, because what it replaces is above
 * it? Then the outcome depends on the order of the pages, and the test asks for none. */
bool model_is_ambiguous(unsigned s, unsigned p, unsigned t, unsigned q, unsigned n);

bool model_may(unsigned s, unsigned p, bool write);

/* The frame after a page that may be read. */
unsigned model_frame(unsigned s, unsigned p);
unsigned model_nodes(void);

#endif
