/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that is drawn from a seed: a tree of processes, the memory that they map and share, and
 * rounds in which they hand the turn to each other and use it. The same seed is the same program,
 * with the same data, on every kernel.
 */
#ifndef LINUX_USER_RANDOM_H
#define LINUX_USER_RANDOM_H

#include <stdbool.h>

#include "draw.h"
#include "test.h"

enum { MOST_PROCESSES = 18, MOST_AREAS = 8, MOST_STEPS = 36, MOST_OPS = 5, MOST_ROUNDS = 4000 };
/* Of what is shared each process writes every so-manieth word, its own: more than there are
 * processes. */
enum { LANES = 32 };

/* Ends the process with all its threads. */
__attribute__((noreturn)) static inline void leave(int status) {
    syscall(__NR_exit_group, status);
    _exit(status);
}

/* ---- the plan ---- */

enum kind { ANONYMOUS, MAPPED_FILE, SEGMENT, HEAP, GROWING };
enum place { ANYWHERE, HINTED, FIXED };

/* A piece of memory. */
struct area {
    enum kind kind;
    enum place place;
    bool shared;
    unsigned int at; /* what is hinted or fixed */
    unsigned int pages;
    unsigned int maker;   /* the process that maps it, */
    unsigned int after;   /* when it has forked so many children, which are without it */
    unsigned int renewed; /* bits: heirs that unmap it and map one of their own */
    unsigned int joined;  /* bits: processes that are no heirs, and map the file or segment too */
};

enum action {
    TOUCH,   /* reads or writes an area */
    STATIC,  /* the program's own data */
    STACK,   /* the stack, so many pages deep */
    COMPUTE, /* nothing but the processor */
    CALLS,   /* short system calls */
    THREAD,  /* as TOUCH, by another thread */
    FILES,   /* pwrite() and pread() of an area's file */
    SIGNALS, /* a signal to itself */
    PROTECT, /* mprotect(): read-only, and back */
    RENEW,   /* munmap() and mmap() */
    RESIZE,  /* mremap(): larger, and small again */
    GROW,    /* brk(): more heap, and less again */
    DISCARD, /* madvise(MADV_DONTNEED) */
    FORK,    /* a child that reads the area, and ends */
    EXECUTE, /* another program, run to its end */
    ACTIONS
};

/* What a process does in a turn. */
struct op {
    enum action action;
    unsigned int area;
    unsigned int pages;  /* of the area, from its beginning */
    unsigned int words;  /* of each page */
    unsigned int every;  /* in one of so many turns */
    unsigned int amount; /* of computing, of system calls */
    bool reads, writes;
};

/* What a process is told its turn by. */
enum inbox { PIPE, FIFO, SOCKET, FUTEX, INBOXES };
/* Where messages are composed. */
enum buffer { IN_DATA, ON_STACK, MAPPED, BUFFERS };

struct process {
    unsigned int parent; /* its number is lower */
    enum inbox inbox;
    struct op ops[MOST_OPS];
    unsigned int op_count;
};

struct plan {
    unsigned int seed;
    struct process processes[MOST_PROCESSES];
    struct area areas[MOST_AREAS];
    unsigned char steps[MOST_STEPS]; /* whose turn it is, in a round; first of all the root's */
    unsigned int process_count, area_count, step_count;
    bool
        together; /* in the first turn the root has all others work at a time, and waits for them */
    unsigned int payload; /* bytes of a message beyond its head */
    enum buffer buffer;
    unsigned int rounds, warmup; /* counted; before these */
};

/* The seed's program. */
void plan_draw(struct plan *plan, unsigned int seed);
/* Its shape, in a line for each process and area. */
void plan_show(const struct plan *plan);
/* Whether a process has an area from its parent, or as the one that makes it. */
bool plan_inherits(const struct plan *plan, unsigned int process, unsigned int area);
/* How many children of a process have lower numbers than `below`. */
unsigned int plan_children(const struct plan *plan, unsigned int process, unsigned int below);

/* ---- memory: random_memory.c ---- */

/* Files and segments, which exist before the first process is forked; and their end. */
void memory_prepare(const struct plan *plan);
void memory_end(const struct plan *plan);
/* Maps an area for this process. */
void memory_map(const struct plan *plan, unsigned int area);
void memory_unmap(const struct plan *plan, unsigned int area);
/* What an op does to the memory of process `own`, and the sum of what it found with what was found
 * before. Where others work at the same time (`alone` is false), words of others are left alone. */
uint32_t memory_do(const struct plan *plan, const struct op *op, unsigned int own, bool alone,
                   uint32_t sum);
/* Of this process's mappings, those that are not where the plan has them. */
unsigned int memory_displaced(void);

/* ---- turns: random_turns.c ---- */

struct message {
    uint32_t what, step, from, sum;
};
enum { YOUR_TURN = 1, WORK, DONE, ROUND, END_ALL };

/* All channels, before the first process is forked. */
void turns_open(const struct plan *plan);
void turn_send(const struct plan *plan, unsigned int to, struct message message);
/* The next message to process `own`; its sum is with that of the payload. */
struct message turn_receive(const struct plan *plan, unsigned int own);

#endif
