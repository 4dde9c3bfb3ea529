/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of bench/p4 share: loops, level 3, memory in the shapes that are measured. */
#ifndef BENCH_P4_H
#define BENCH_P4_H

/* Of loops.S: how often cheap steps stand in a turn, a line's stores, and the chain's loads. */
#define UNROLLED 96
#define STORES   16
#define CHAIN    8

/* Free vectors. INT 80h's handler returns at once; that of STAMP says when it began. */
#define VECTOR_TIMER 0x20
#define VECTOR_CALL  0x80
#define VECTOR_STAMP 0x81
#define VECTOR_DONE  0x82

/* In bare_gdt: the call gate, and two segments of a program. */
#define GATE        6
#define SEGMENT     7
#define SELECTOR(n) ((n) * 8 + 3)

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* A loop: it goes round `times` times. */
typedef void loop(uint32_t times, const void *from);

/* ---- levels.c, entries.S ---- */

/* Gates, SYSENTER's registers and the interrupt controller, for the loops that change levels. */
void p4_levels(void);

/* Runs a loop at level 3, where it may use ports. */
void p4_at_level_3(loop *body, uint32_t times, const void *from);

/* The last loop with stamps: cycles of all its entries, and of all returns. */
extern uint32_t p4_stamps[2];

/* How many lines the loops below read each time. */
extern uint32_t p4_count;

/* The kernel's entries: p4_levels connects them. */
void p4_sysenter_entry(void);
void p4_return(void);
void p4_return_far(void);
void p4_stamp(void);
void p4_done(void);

/* ---- loops.S ---- */

/* Along a chain of pointers; along p4_count of it, and that after a load of CR3. Calls of code,
 * and these after a load of CR3. */
loop p4_chase, p4_chase_again, p4_cr3_chase, p4_call, p4_cr3_call;

/* Stores a line after the other, over and over through as many bytes as p4_count says. */
loop p4_store_through;

/* ---- memory.c ---- */

/* Maps what is measured. Before all others. */
void memory_map(void);

/* Whether the program's own pages, and the large ones below, are global. Empties the TLBs. */
void memory_global(bool global);

/* By which pages memory is seen: large ones, or a small one for each line or jump. */
enum pages { LARGE, SMALL, SMALL_GLOBAL };

/* A chain through so many lines, in random order; by small pages, a line a page. Its first. */
#define CHAIN_LINES 65536u /* at most */
#define CHAIN_PAGES 1024u
const void *memory_chain(enum pages pages, uint32_t lines);

/* As many jumps, each to the next, a jump a page, and a return at the end: where they begin. */
const void *memory_jumps(enum pages pages, uint32_t jumps);

/* So many instructions of a byte and a µop each, and a return. */
#define STRAIGHT_MOST 65536u
const void *memory_straight(uint32_t uops);

/* A return after an instruction that may be written over. */
const void *memory_written(void);

/* Memory of 4 MB without a meaning. */
void *memory_block(void);
#endif
#endif
