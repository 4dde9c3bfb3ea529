/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synonym: one physical address at two virtual ones.
 *
 * The data cache is indexed and tagged by virtual address (DM 6.2), so each address has a line of
 * its own, and neither sees what is written through the other until the one is cleaned and the
 * other invalidated. Keeping them apart is the system's business (DM 7.4).
 */
#include "guest.h"

#define ONE 0x0a000000
#define TWO 0x0b000000

	.text
	.global	test
test:
	map_section ONE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	map_section TWO, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, 1
	ldr	r4, =ONE
	ldr	r5, =TWO
	ldr	r1, [r4]
	expect	r1, 1, 1
	ldr	r1, [r5]
	expect	r1, 1, 2

	/* A write that hits stays in the one line. */
	mov	r1, #2
	str	r1, [r4]
	ldr	r1, [r4]
	expect	r1, 2, 3
	ldr	r1, [r5]
	expect	r1, 1, 4
	peek	r1, TRUTH_1
	expect	r1, 1, 5

	/* Cleaning brings it to memory, not to the other line. */
	clean_dline r4
	drain
	peek	r1, TRUTH_1
	expect	r1, 2, 6
	ldr	r1, [r5]
	expect	r1, 1, 7

	/* A cleaned line stays valid; the invalidated one is read again. */
	poke	TRUTH_1, 3
	ldr	r1, [r4]
	expect	r1, 2, 8
	invalidate_dline r5
	ldr	r1, [r5]
	expect	r1, 3, 9

	/* Invalidating a dirty line loses what was written. */
	mov	r1, #4
	str	r1, [r4]
	invalidate_dline r4
	ldr	r1, [r4]
	expect	r1, 3, 10
	mov	pc, lr
