/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No fault: a page is remapped, code replaced, a frame seen at two addresses, each with what the
 * processor demands; and stale state is left behind that nobody uses.
 */
#include "guest.h"

#define PAGE  0x0a000000
#define OTHER 0x0b000000

	.text
	.global	test
test:
	mov	r12, lr
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	map_section OTHER, FRAME_1 | SECTION | FULL_ACCESS | C | B
	ldr	r4, =PAGE
	ldr	r5, =OTHER

	/* Synonym: clean the one, invalidate the other. */
	ldr	r1, [r5]
	ldr	r1, [r4]
	mov	r1, #1
	str	r1, [r4]
	clean_dline r4
	drain
	invalidate_dline r5
	ldr	r1, [r5]
	expect	r1, 1, 1

	/* Remap: clean, invalidate, change the descriptor, invalidate the TLB. */
	str	r1, [r4, #4]
	clean_dline r4
	invalidate_dline r4
	drain
	map_section PAGE, FRAME_2 | SECTION | FULL_ACCESS | C | B
	invalidate_tlbs
	poke	TRUTH_2, 5
	ldr	r1, [r4]
	expect	r1, 5, 2

	/* Code: write, clean, drain, invalidate the instruction cache. */
	adr	r2, returns
	ldr	r1, [r2]
	ldr	r1, [r2]
	str	r1, [r4, #32]
	add	r6, r4, #32
	clean_dline r6
	drain
	invalidate_icache
	mov	lr, pc
	mov	pc, r6

	/* Stale and never used again: a line of FRAME_1 at OTHER, older than memory. */
	poke	TRUTH_1, 9
	mov	pc, r12
returns:
	mov	pc, lr
