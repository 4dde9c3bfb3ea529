/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write buffer: stores on their way to memory.
 *
 * Stores to bufferable pages, and stores to cacheable pages that miss, wait in the buffer while the
 * processor goes on (DM 6.3). Table walks read memory past data cache and buffer (DM 7.1), so a
 * descriptor that waits there is not yet one. A drain, an unbuffered write and an unbuffered read
 * wait until the buffer is empty.
 */
#include "guest.h"

#define SLOW   0x0a000000 /* FRAME_1, bufferable */
#define TABLES 0x0b000000 /* the page tables, bufferable */
#define CACHED 0x0c000000 /* FRAME_2, cacheable */
#define NEW_1  0x0d000000
#define NEW_2  0x0e000000

	.text
	.global	test
test:
	map_section SLOW, FRAME_1 | SECTION | FULL_ACCESS | B
	map_section TABLES, 0xc0000000 | SECTION | FULL_ACCESS | B
	map_section CACHED, FRAME_2 | SECTION | FULL_ACCESS | C | B
	ldr	r1, =SLOW
	ldr	r2, =((l1_table - 0xc0000000) + TABLES + (NEW_1 >> 20) * 4)
	ldr	r3, =(FRAME_2 | SECTION | FULL_ACCESS | C | B)
	ldr	r4, =NEW_1
	ldr	r5, [r1]		/* TLB entries, so that the stores follow at once */
	ldr	r5, [r2]

	/* Four stores are on their way, the descriptor after them: the walk does not see it. */
	str	r3, [r1]
	str	r3, [r1, #0x20]
	str	r3, [r1, #0x40]
	str	r3, [r1, #0x60]
	str	r3, [r2]
	try	ldr	r5, [r4]
	expect	r11, TRANSLATION_SECTION, 1
	drain
	try	ldr	r5, [r4]
	expect	r11, NO_FAULT, 2

	/* A store through an unbuffered mapping needs no drain. */
	ldr	r1, =SLOW
	ldr	r2, =(l1_table + TRUTH + (NEW_2 >> 20) * 4)
	ldr	r4, =NEW_2
	str	r3, [r1]
	str	r3, [r1, #0x20]
	str	r3, [r1, #0x40]
	str	r3, [r2]
	try	ldr	r5, [r4]
	expect	r11, NO_FAULT, 3

	/* An unbuffered read comes after every buffered store. */
	ldr	r2, =TRUTH_1
	mov	r5, #55
	str	r3, [r1]
	str	r3, [r1, #0x20]
	str	r5, [r1, #0x40]
	ldr	r6, [r2, #0x40]
	expect	r6, 55, 4

	/* A store that misses the cache goes to memory and brings in no line... */
	ldr	r1, =CACHED
	counter	r3, COUNTER_dcache_write_misses
	mov	r5, #66
	str	r5, [r1, #0x100]
	counter	r4, COUNTER_dcache_write_misses
	sub	r4, r4, r3
	expect	r4, 1, 5
	drain
	peek	r5, TRUTH_2 + 0x100
	expect	r5, 66, 6
	poke	(TRUTH_2 + 0x100), 67
	ldr	r5, [r1, #0x100]
	expect	r5, 67, 7

	/* From then on a store there hits. */
	counter	r3, COUNTER_dcache_write_misses
	mov	r5, #69
	str	r5, [r1, #0x104]
	strb	r5, [r1, #0x108]
	counter	r4, COUNTER_dcache_write_misses
	sub	r4, r4, r3
	expect	r4, 0, 12

	/* Stores to a line that stays away all miss, each with its own part of memory... */
	poke	(TRUTH_2 + 0x308), 0x11223344
	counter	r3, COUNTER_dcache_write_misses
	add	r2, r1, #0x300
	str	r5, [r2, #0x04]
	strb	r5, [r2, #0x09]
	strh	r5, [r2, #0x0a]
	counter	r4, COUNTER_dcache_write_misses
	sub	r4, r4, r3
	expect	r4, 3, 13
	drain
	peek	r5, TRUTH_2 + 0x304
	expect	r5, 69, 14
	peek	r5, TRUTH_2 + 0x308
	expect	r5, 0x00454544, 15

	/* ... until it is mapped to another one. */
	mov	r5, #70
	str	r5, [r1, #0x304]
	map_section CACHED, FRAME_1 | SECTION | FULL_ACCESS | C | B
	ldr	r1, =CACHED
	invalidate_dtlb_entry r1
	mov	r5, #71
	str	r5, [r1, #0x304]
	drain
	peek	r5, TRUTH_2 + 0x304
	expect	r5, 70, 16
	peek	r5, TRUTH_1 + 0x304
	expect	r5, 71, 17
	map_section CACHED, FRAME_2 | SECTION | FULL_ACCESS | C | B
	ldr	r1, =CACHED
	invalidate_dtlb_entry r1

	/* ... and a fill that follows it at once has its data, after whatever waits before it. */
	ldr	r4, =SLOW
	mov	r5, #68
	str	r5, [r4]
	str	r5, [r4, #0x20]
	str	r5, [r4, #0x40]
	str	r5, [r1, #0x204]
	ldr	r5, [r1, #0x204]
	expect	r5, 68, 8

	/* Parts of a word keep the rest of it. */
	poke	(TRUTH_1 + 0x80), 0x11223344
	mov	r5, #0xaa
	strb	r5, [r4, #0x81]
	strh	r5, [r4, #0x82]
	drain
	peek	r5, TRUTH_1 + 0x80
	expect	r5, 0x00aaaa44, 9

	/* Switched off, nothing waits in it. */
	set_control CONTROL_ON & ~CONTROL_WRITEBUFFER
	counter	r3, COUNTER_buffered_writes
	str	r5, [r4]
	counter	r5, COUNTER_buffered_writes
	sub	r5, r5, r3
	expect	r5, 0, 10
	set_control CONTROL_ON
	counter	r3, COUNTER_buffered_writes
	str	r5, [r4]
	counter	r5, COUNTER_buffered_writes
	sub	r5, r5, r3
	expect	r5, 1, 11
	mov	pc, lr
