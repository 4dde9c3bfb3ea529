/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page faults that a thread of ours serves: a pager that waits for anybody, for ever, so that
 * message and answer take the short way (arch/arm/fault_path.S). It serves children, in spaces of
 * their own, and workers in its own space; it keeps each message, and answers as the test says.
 */
#ifndef TEST_PAGED_H
#define TEST_PAGED_H

#include "test.h"

/* Here the answers are the test's: at relocated addresses, at others (in no space's own slot), and
 * at the address at which we have the frame. */
#define PAGED_LOW  0x00400000u
#define PAGED_HIGH 0x20400000u
#define PAGED_LOG2 22u
#define PAGED_SIZE (1u << PAGED_LOG2)

/* The first page of a megabyte goes the long way, as there is no page table yet. So this one of
 * each area's first megabyte is the first, where a test is about the short way. */
#define PAGED_TABLE 0xff000u

#define PAGED_SEEN 64u

struct paged_fault {
    L4_Word_t from, label, address, ip;
    L4_Word_t rest[2]; /* message registers that are not the message's, but come with it */
};
extern struct paged_fault paged_seen[PAGED_SEEN];
extern volatile unsigned paged_faults; /* so many */

/* What loads the answer into the message registers: paged_begin sets paged_give_frame. */
extern void (*volatile paged_answer)(const struct paged_fault *fault);

extern struct task *paged_children[2]; /* whose own pages it gives as well */
extern L4_ThreadId_t paged_by;         /* the pager */
extern L4_Word32_t *paged_frame;       /* the usual answer: this, with all rights */
extern L4_Word32_t *paged_second;      /* another frame, where a test wants one */
extern L4_Word_t paged_memory;         /* or what else, as paged_give_block's block */

void paged_item(L4_Word_t base, L4_Word_t kind, L4_Word_t fpage);
L4_Word_t paged_page(const void *at, L4_Word_t rights);
void paged_give_frame(const struct paged_fault *fault);
void paged_give_block(const struct paged_fault *fault);

/* Loads the answer; false: there is none to this message. */
bool paged_serve(L4_MsgTag_t tag, L4_ThreadId_t from);

/* Pagers: one that answers and waits for the next, one that waits for who was answered, one that
 * does both by system calls of their own. */
void paged_pager(void);
void paged_calling_pager(void);
void paged_sending_pager(void);

/* Begins a test: a frame (NULL: there is none), and nothing of ours at those addresses. */
void paged_begin(void);
void paged_end(void);
bool paged_start(void (*body)(void), L4_Word_t priority);

/* A child whose pager that is, and which has all it needs itself; two at a time can get more. */
struct task *paged_child(unsigned n);

/* All of these with paged_pager, the frame's first words being 0x1234, 0x5678. NULL: failed. */
struct task *paged_usual(void);

/* Was the n-th fault the child's, there, and for that? */
bool paged_was(unsigned n, const struct task *child, L4_Word_t address, L4_Word_t access);

#endif
