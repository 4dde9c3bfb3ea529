/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task: an address space with a thread in it, made from an ELF image.
 *
 * The thread that calls task_create becomes the task's pager: it must answer the page faults that
 * arrive as messages, with task_fault. Code and data are copies in frames of the task's own; all
 * lies in the low 32 MB, the kernel's areas included, and in one megabyte as long as it fits.
 *
 * Where all programs share one address space, the program lies where its frames are (in a row),
 * moved there by the relocations in its ELF file; its areas are in a megabyte chosen by thread
 * number.
 */
#ifndef COMMON_TASK_H
#define COMMON_TASK_H

#include <l4/message.h>

#define TASK_PAGES       72
#define TASK_AREAS       0x000f0000u
#define TASK_KIP         TASK_AREAS
#define TASK_MAX_THREADS 8
#define TASK_UTCBS_LOG2  (L4_UTCB_LOG2_SIZE + 3u) /* of eight */
#define TASK_UTCBS_SIZE  ((L4_Word_t)1 << TASK_UTCBS_LOG2)
#define TASK_UTCBS       (TASK_AREAS + TASK_UTCBS_SIZE)

/* In one address space: areas of up to 256 tasks, clear of RAM and devices, each in a page of the
 * largest size (MACHINE_APART_*). */
#define TASK_APART 256u

struct task_page {
    L4_Word_t va;
    uint8_t *frame;
    L4_Word_t rights;
};

struct task {
    L4_ThreadId_t id;
    L4_Word_t utcbs; /* the UTCB area */
    L4_Word_t moved; /* from where it is linked to where it runs */
    unsigned num_pages;
    struct task_page pages[TASK_PAGES];
};

/*
 * A new space and its first thread `id`, which runs at the image's entry once task_start is done.
 * The kernel's areas (the KIP's page, UTCBs as far after it as they are long) begin at `areas`,
 * TASK_AREAS by default, if spaces are apart.
 */
bool task_create(struct task *task, L4_ThreadId_t id, const void *elf, L4_Word_t areas);

/* Likewise, with each part in a megabyte of its own choosing. The program runs at `code`, a page's
 * address, moved there by its relocations; 0: where it is linked. */
struct task_layout {
    L4_Word_t code, kip, utcbs;
};
bool task_create_at(struct task *task, L4_ThreadId_t id, const void *elf,
                    const struct task_layout *layout);

/* Does the kernel keep spaces apart? */
bool task_protected(void);

/* Lets the first thread go; only its pager can. */
bool task_start(struct task *task, const void *elf);

/* A second or later thread of the space, UTCB number `n`; waits for its pager's start message. */
bool task_add_thread(struct task *task, L4_ThreadId_t id, unsigned n, L4_ThreadId_t pager);

/* Deletes the thread, its space with it, and gives the frames back. */
void task_destroy(struct task *task);

/* Gives the task `frame` (NULL: a new one) at `va`, from its next fault on; returns the frame. */
uint8_t *task_add_page(struct task *task, L4_Word_t va, uint8_t *frame, L4_Word_t rights);

/* Revokes the page at `va` from the task and from whoever had it from us; returns its frame. */
uint8_t *task_remove_page(struct task *task, L4_Word_t va);

/* The task's page at `va`, NULL if it has none. */
struct task_page *task_page_at(struct task *task, L4_Word_t va);

/*
 * Loads the answer to a page fault message into the message registers; false = the task may not
 * do that, and nothing has been loaded.
 */
bool task_fault(struct task *task, L4_MsgTag_t tag, L4_Word_t address);

#endif
