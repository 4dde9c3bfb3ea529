/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a page is remapped, its TLB entry invalidated, its line not. A store hits the line
 * of the old frame; what it wrote is read by another address of the new frame, which cannot find it,
 * and by the old frame, once the line is written back there.
 */
#include "guest.h"

#define PAGE  0x0a000000

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	ldr	r4, =PAGE
	ldr	r1, [r4]
	mov	r1, #3
	.global	dirties_old_frame
dirties_old_frame:
	str	r1, [r4, #4]
	map_section PAGE, FRAME_2 | SECTION | FULL_ACCESS | C | B
	invalidate_tlbs
	mov	r1, #7
	.global	hits_wrong_line
hits_wrong_line:
	str	r1, [r4]
	.global	reads_new_frame
reads_new_frame:
	peek	r1, TRUTH_2
	expect	r1, 0, 1
	clean_dline r4
	drain
	.global	reads_old_frame
reads_old_frame:
	peek	r1, TRUTH_1
	expect	r1, 7, 2
	mov	pc, lr
