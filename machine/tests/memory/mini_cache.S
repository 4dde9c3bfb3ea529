/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mini data cache: pages with C = 1, B = 0 live in 512 bytes of their own, so that a stream
 * through them leaves the main cache alone (DM 6.2, 7.5). It is as much a cache as the main one:
 * whoever cleans the main one has not cleaned it.
 */
#include "guest.h"

#define MINI 0x0a000000
#define MAIN 0x0b000000

	.text
	.global	test
test:
	map_section MINI, FRAME_1 | SECTION | FULL_ACCESS | C
	map_section MAIN, FRAME_2 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, 1
	poke	TRUTH_2, 2
	ldr	r4, =MINI
	ldr	r5, =MAIN
	ldr	r1, [r5]

	/* The read goes to the mini cache only. */
	counter	r1, COUNTER_minicache_read_misses
	counter	r2, COUNTER_dcache_reads
	ldr	r3, [r4]
	counter	r6, COUNTER_minicache_read_misses
	sub	r1, r6, r1
	counter	r6, COUNTER_dcache_reads
	sub	r2, r6, r2
	expect	r1, 1, 1
	expect	r2, 0, 2
	expect	r3, 1, 3

	/* Dirty data stay in it when the main cache is cleaned... */
	mov	r1, #7
	str	r1, [r4]
	clean_dcache
	peek	r1, TRUTH_1
	expect	r1, 1, 4
	/* ... and leave when it is. */
	clean_minicache
	peek	r1, TRUTH_1
	expect	r1, 7, 5

	/* A stream of 4 KB through it evicts nothing from the main cache. */
	ldr	r1, [r5]
	counter	r3, COUNTER_dcache_read_misses
	add	r1, r4, #4096
1:	ldr	r2, [r4], #32
	cmp	r4, r1
	blo	1b
	ldr	r2, [r5]
	counter	r1, COUNTER_dcache_read_misses
	sub	r1, r1, r3
	expect	r1, 0, 6
	expect	r2, 2, 7

	/* Two ways, least recently used: lines 256 bytes apart share a set. */
	ldr	r4, =MINI
	ldr	r1, [r4, #0x010]
	ldr	r1, [r4, #0x110]
	ldr	r1, [r4, #0x010]
	ldr	r1, [r4, #0x210]	/* takes the place of 0x110 */
	counter	r3, COUNTER_minicache_read_misses
	ldr	r1, [r4, #0x010]
	counter	r2, COUNTER_minicache_read_misses
	sub	r1, r2, r3
	expect	r1, 0, 8
	ldr	r1, [r4, #0x110]
	counter	r2, COUNTER_minicache_read_misses
	sub	r1, r2, r3
	expect	r1, 1, 9

	/* Invalidating the data cache invalidates it too; cleaning and invalidating a line reach it. */
	ldr	r1, [r4]
	poke	TRUTH_1, 9
	ldr	r1, [r4]
	expect	r1, 7, 10
	invalidate_dcache
	ldr	r1, [r4]
	expect	r1, 9, 11
	mov	r1, #12
	str	r1, [r4]
	clean_dline r4
	drain
	peek	r1, TRUTH_1
	expect	r1, 12, 12
	poke	TRUTH_1, 13
	invalidate_dline r4
	ldr	r1, [r4]
	expect	r1, 13, 13
	mov	pc, lr
