/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Homonym: one virtual address that means two physical ones, one after the other.
 *
 * Neither the TLB (DM 7.1) nor the data cache (DM 6.2) looks at memory again while it has an
 * entry: a new descriptor takes effect when the TLB entry is gone, and new data are seen when the
 * line is gone as well.
 */
#include "guest.h"

#define PLACE 0x0a000000

	.text
	.global	test
test:
	map_section PLACE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, 1
	poke	TRUTH_2, 2
	ldr	r4, =PLACE
	ldr	r1, [r4]
	expect	r1, 1, 1

	/* The descriptor has changed, and nothing has noticed. */
	map_section PLACE, FRAME_2 | SECTION | FULL_ACCESS | C | B
	ldr	r1, [r4]
	expect	r1, 1, 2

	/* Without the line, the stale TLB entry still leads to the old frame. */
	poke	TRUTH_1, 11
	invalidate_dline r4
	ldr	r1, [r4]
	expect	r1, 11, 3

	/* Without the TLB entry, the line, which is of the old frame, still hits. */
	invalidate_dtlb_entry r4
	ldr	r1, [r4]
	expect	r1, 11, 4

	/* Without both, the new frame is there. */
	invalidate_dline r4
	ldr	r1, [r4]
	expect	r1, 2, 5

	/* Once more, with the operations on everything. */
	map_section PLACE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	invalidate_dcache
	ldr	r1, [r4]
	expect	r1, 2, 6
	invalidate_dtlb
	invalidate_dcache
	ldr	r1, [r4]
	expect	r1, 11, 7
	mov	pc, lr
