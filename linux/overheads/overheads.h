/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The overheads of context switches and interrupts inside Linux, after David, Carlyle and Campbell,
 * "Context Switch Overheads for Linux on ARM Platforms" (2007), called CSO below.
 *
 * This is built-in code of ours, linked to the very objects of which the unmodified kernel is made
 * (rules.mk). It runs before the first process, if the command line has `overheads.what=`.
 */
#ifndef OVERHEADS_H
#define OVERHEADS_H

#include <linux/compiler.h>
#include <linux/types.h>

#define MAX_SLICES 128u

/*
 * How far a task is, and where it is to be interrupted. Tasks report every few hundred bytes of
 * their work; that costs the same however often they are interrupted.
 */
struct pace {
    unsigned done, next; /* in the task's units */
    unsigned slice;
    unsigned at[MAX_SLICES + 1]; /* where each slice ends; the last one never does */
    unsigned total;
    void (*due)(void); /* called between two slices */
};

static inline void progress(struct pace *pace, unsigned units) {
    pace->done += units;
    if (unlikely(pace->done >= pace->next)) {
        pace->next = pace->at[++pace->slice];
        pace->due();
    }
}

/* One of the four programs that are interrupted. */
struct task {
    const char *name;
    unsigned full; /* units of a run of 3 to 4 seconds at 120 MHz (CSO 3.1) */
    /* Data as they are in the beginning; `pages` moves them, so that runs differ. */
    void (*prepare)(unsigned pages);
    void (*run)(struct pace *pace);
    u32 (*result)(void); /* of the last run: the same however often it was interrupted */
};

extern const struct task tasks[];
const struct task *task_named(const char *name);
int tasks_allocate(void);           /* 0, or an error of Linux */
void data_text(u8 *data, u32 size); /* bench/tasks/data.c */
bool aes_prepare(void);             /* false if it does not encrypt as FIPS 197 has it */
void aes_block(u8 *out, const u8 *in);

/* Where cycles are counted: regions of interest with a probe (include/probe.h), else times. */
#define PARTS         3u /* of a point: two tasks, and the switches between them */
#define PART_SWITCH   2u
#define REGION_SWITCH 250u /* switches with nothing in the caches */
#define REGION_IRQ    251u /* interrupts with all in the caches */
#define REGION_COLD   252u /* interrupts with nothing in them, which CSO did not measure */
#define REGIONS       253u

int marks_open(bool probe);
void mark(unsigned region); /* 0: none; ends the one before */
void marks_show(void);      /* times, where there is no probe to keep them */
void marks_exit(bool good) __noreturn;

void marks_empty(void); /* caches and TLBs, by the probe if there is one */

/* Nothing in caches and TLBs, write buffer empty. */
void cold(void);

/* Points: `regions` is the number of the first part. False when something is not as it should. */
bool switches_prepare(const struct task *a, const struct task *b);
bool switches_measure(unsigned count, unsigned scale, unsigned run, unsigned regions);
bool switches_direct(void);
bool interrupts_prepare(const struct task *task);
bool interrupts_measure(unsigned count, unsigned scale, unsigned run, unsigned region);
bool interrupts_direct(void);

/* Both need no interrupt but theirs: what the controller had enabled, to be given back. */
int controller_open(void);
void controller_mask(void);
void controller_restore(void);

void pace_set(struct pace *pace, unsigned units, unsigned slices, void (*due)(void));
unsigned units_of(const struct task *task, unsigned scale);
/* Before a point: data as in the beginning; runs differ in where they are, and in the state of the
 * caches' pseudo-random replacement. */
void vary(unsigned run);

#endif
