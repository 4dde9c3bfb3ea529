/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: what a guest may tell the simulator, and ask it.
 *
 * One page of 32-bit registers. It exists on the simulator only: whoever uses it first reads
 * PROBE_ID, with an access that survives an abort, and goes without it when the value is another.
 * All accesses are aligned words through an uncached, unbuffered mapping, so that they happen where
 * the program has them. Plain constants: assembly includes this file too, and a test of the
 * simulator compares them with its own.
 */
#ifndef PROBE_H
#define PROBE_H

/* Reserved in the SA-1110's memory map; on the Versatile, PCI memory without a card in it. */
#define PROBE_BASE_PA  0x50000000
#define PROBE_ID_VALUE 0x53594231

#define PROBE_ID             0x00 /* R: PROBE_ID_VALUE */
#define PROBE_CYCLES         0x04 /* R: low half of the cycle count; latches the high half */
#define PROBE_CYCLES_HIGH    0x08 /* R: the latched half */
#define PROBE_PUTC           0x0c /* W: a character for the host's console */
#define PROBE_EXIT           0x10 /* W: end the simulation, value = exit status, 0 is good */
#define PROBE_REGION_BEGIN   0x14 /* W: enter region of interest 0..255 */
#define PROBE_REGION_END     0x18 /* W: leave it */
#define PROBE_STREAM         0x1c /* W: following samples belong to stream 0..255 */
#define PROBE_SAMPLE         0x20 /* W: append a raw sample to that stream */
#define PROBE_EVENT          0x24 /* W: count an event 0..31 of the guest's own */
#define PROBE_COUNTER_SELECT 0x28 /* W: choose a machine counter by number */
#define PROBE_COUNTER        0x2c /* R: its low half, user and kernel together */
/* Of the machine's counters, those that programs here ask for, by number. */
#define PROBE_COUNT_CYCLES                    0
#define PROBE_COUNT_FILL_STALL_CYCLES         22
#define PROBE_COUNT_WALK_STALL_CYCLES         23
#define PROBE_COUNT_WRITE_BUFFER_STALL_CYCLES 24
#define PROBE_COUNT_ICACHE_INVALIDATE_ALL     25
#define PROBE_COUNT_IDLE_CYCLES               53

/*
 * How the coherence checker knows the running space, for kernels whose spaces have page directories
 * of their own, whether or not the processor walks them. Addresses are the kernel's own, mapped
 * alike in every space. Said once, where the kernel's begin last: that makes the others count.
 */
#define PROBE_SPACE_WORD      0x30 /* W: the word that points to the running thread, or is 0 */
#define PROBE_SPACE_DIRECTORY 0x34 /* W: in a space, offset of the pointer to its directory */
#define PROBE_SPACE_KERNEL    0x38 /* W: addresses from here on are the kernel's; not 0 */
#define PROBE_SPACE_THREAD    0x3c /* W: in a thread, offset of the pointer to its space */
/* Where segments move programs to addresses of their own (IA-32): */
#define PROBE_SPACE_SEGMENT 0x40 /* W: in a space, offset of its linear base and size */
#define PROBE_SPACE_SHARED  0x44 /* W: linear addresses from here on are the same in every space */

/*
 * Caches, TLBs and buffers are empty when the next instruction is fetched: what is dirty is in
 * memory. For measuring from a cold start where the processor has no operation for that, as with
 * ideal tags, or the program may not use it. What is locked in a TLB stays.
 */
#define PROBE_EMPTY 0x48 /* W */

#endif
