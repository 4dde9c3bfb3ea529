/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a store through a translation that is no longer true. The frame that it was meant
 * for has not got it, the one that it went to has.
 */
#include "guest.h"

#define PAGE 0x0a000000

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS
	ldr	r4, =PAGE
	ldr	r1, [r4]
	map_section PAGE, FRAME_2 | SECTION | FULL_ACCESS
	mov	r1, #7
	.global	goes_astray, reads_meant, reads_trampled
goes_astray:
	str	r1, [r4]
reads_meant:
	peek	r1, TRUTH_2
	expect	r1, 0, 1
reads_trampled:
	peek	r1, TRUTH_1
	expect	r1, 7, 2
	mov	pc, lr
