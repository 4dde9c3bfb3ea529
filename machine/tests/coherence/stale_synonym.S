/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted faults: one frame at two addresses. A line is read after the other address's was written
 * back; and after memory was written past it.
 */
#include "guest.h"

#define ONE 0x0a000000
#define TWO 0x0b000000

	.text
	.global	test
test:
	map_section ONE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	map_section TWO, FRAME_1 | SECTION | FULL_ACCESS | C | B
	ldr	r4, =ONE
	ldr	r5, =TWO
	ldr	r1, [r4]
	ldr	r1, [r5]
	mov	r1, #1
	.global	writes_one, reads_dirty, reads_cleaned, reads_past
writes_one:
	str	r1, [r4]
reads_dirty:
	ldr	r1, [r5]
	expect	r1, 0, 1
	clean_dline r4
	drain
reads_cleaned:
	ldr	r1, [r5]
	expect	r1, 0, 2
	poke	TRUTH_1, 5
reads_past:
	ldr	r1, [r5]
	expect	r1, 0, 3
	mov	pc, lr
