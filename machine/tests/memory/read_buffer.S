/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The read buffer: four entries of 1, 4 or 8 words that software loads ahead of their use (DM 5.2.9,
 * 6.4). It is not coherent with anything: until an entry is flushed or loaded anew it answers with
 * what it has.
 */
#include "guest.h"

#define PLACE 0x0a000000

/* Opcode 2 says what (0 flush all, 1 flush one, 2 load); CRm has the entry in bits 1:0 and, for a
 * load, the words in bits 3:2 (0: 1, 1: 4, 2: 8). */
.macro flush_all
	mcr	p15, 0, r0, c9, c0, 0
.endm

	.text
	.global	test
test:
	map_section PLACE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, 1
	poke	(TRUTH_1 + 12), 2
	poke	(TRUTH_1 + 16), 3
	ldr	r4, =PLACE
	ldr	r5, =TRUTH_1

	/* Entry 0 takes four words; memory changes without its knowledge. */
	mcr	p15, 0, r4, c9, c4, 2
	counter	r3, COUNTER_read_buffer_hits
	mov	r1, #100
	str	r1, [r5]
	str	r1, [r5, #12]
	str	r1, [r5, #16]
	ldr	r1, [r4]
	expect	r1, 1, 1
	ldr	r1, [r4, #12]
	expect	r1, 2, 2
	counter	r1, COUNTER_read_buffer_hits
	sub	r1, r1, r3
	expect	r1, 2, 3

	/* The fifth word is not in it: a line is filled, and from then on the cache answers. */
	ldr	r1, [r4, #16]
	expect	r1, 100, 4
	ldr	r1, [r4]
	expect	r1, 100, 5

	/* One entry is flushed, the others stay. */
	mcr	p15, 0, r0, c9, c0, 1		/* flush entry 0 */
	mcr	p15, 0, r4, c9, c5, 2		/* entry 1: four words */
	add	r2, r4, #0x40
	mcr	p15, 0, r2, c9, c11, 2		/* entry 3: eight words */
	mov	r1, #200
	str	r1, [r5]
	str	r1, [r5, #0x5c]
	invalidate_dline r4
	ldr	r1, [r4]
	expect	r1, 100, 6
	mcr	p15, 0, r0, c9, c1, 1		/* flush entry 1 */
	ldr	r1, [r4]
	expect	r1, 200, 7
	ldr	r1, [r2, #0x1c]
	expect	r1, 0, 8

	/* One word is one word; then everything is flushed. */
	mcr	p15, 0, r4, c9, c2, 2		/* entry 2: one word */
	mov	r1, #44
	str	r1, [r5]
	str	r1, [r5, #4]
	invalidate_dline r4
	ldr	r1, [r4]
	expect	r1, 200, 9
	flush_all
	ldr	r1, [r2, #0x1c]
	expect	r1, 200, 10
	ldr	r1, [r4]
	expect	r1, 44, 11
	mov	pc, lr
