/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No fault: a page is remapped, code replaced, a frame seen at two addresses, each with what the
 * processor demands; and stale state is left that nobody uses.
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

	/* A store multiple across two pages, whose second walk replaces the translation of the first
	 * word when as many others are used in between as the TLB has places: tried with 1 to 40. */
	ldr	r3, =(PAGE + 0x100000)
	ldr	r7, =(l1_table + TRUTH + (PAGE >> 20) * 4 + 4)
	ldr	r0, =(FRAME_1 | SECTION | FULL_ACCESS)
	mov	r1, #41
1:	str	r0, [r7], #4
	subs	r1, r1, #1
	bne	1b
	mov	r11, #1
2:	invalidate_dtlb
	ldr	r1, [r3, #-4]
	add	r5, r3, #0x100000
	mov	r10, r11
3:	ldr	r1, [r5]
	add	r5, r5, #0x100000
	subs	r10, r10, #1
	bne	3b
	sub	r5, r3, #4
	mov	r10, r11
	stmia	r5, {r10, r11}
	ldr	r10, [r5]
	cmp	r10, r11
	movne	r0, #3
	blne	fail
	add	r11, r11, #1
	cmp	r11, #40
	bls	2b

	/* Stale and never used again: a line of FRAME_1 at OTHER, older than memory. */
	poke	TRUTH_1, 9
	mov	pc, r12
returns:
	mov	pc, lr
