/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted faults: memory is written past a dirty line, which is written back over it later. Once by
 * a line of another address of the same frame, once by one whose address has been unmapped.
 */
#include "guest.h"

#define ONE 0x0a000000
#define TWO 0x0b000000

	.text
	.global	test
test:
	map_section ONE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	map_section TWO, FRAME_2 | SECTION | FULL_ACCESS | C | B
	ldr	r4, =ONE
	ldr	r5, =TWO
	ldr	r1, [r4]
	ldr	r1, [r5]
	mov	r1, #1
	.global	dirties_one, dirties_two
dirties_one:
	str	r1, [r4, #4]
dirties_two:
	str	r1, [r5, #4]

	/* Newer data, in the same half of each line. */
	poke	TRUTH_1, 2
	poke	TRUTH_2, 3
	map_section TWO, 0
	invalidate_tlbs
	clean_dcache
	.global	reads_one, reads_two
reads_one:
	peek	r1, TRUTH_1
	expect	r1, 0, 1
reads_two:
	peek	r1, TRUTH_2
	expect	r1, 0, 2
	mov	pc, lr
