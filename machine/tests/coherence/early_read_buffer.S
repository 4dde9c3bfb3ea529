/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: the read buffer is loaded while the data cache has newer data of the same frame.
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
	mov	r1, #7
	.global	dirties
dirties:
	str	r1, [r4]
	mcr	p15, 0, r5, c9, c4, 2		/* entry 0: four words */
	ldr	r1, [r5]
	expect	r1, 0, 1
	mov	pc, lr
