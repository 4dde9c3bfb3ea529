/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted faults: code that is not where the processor fetches it from. In a dirty line; in the
 * write buffer; in a frame that has come to an address whose instruction line is of another.
 */
#include "guest.h"

#define CODE 0x0a000000
#define RETURN(n) (0xe3a01000 | (n)) /* mov r1, #n */
#define BACK      0xe1a0f00e         /* mov pc, lr */

	.text
	.global	test
test:
	mov	r12, lr
	map_section CODE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, RETURN(1)
	poke	(TRUTH_1 + 4), BACK
	poke	(TRUTH_1 + 64), RETURN(1)
	poke	(TRUTH_1 + 68), BACK
	poke	TRUTH_2, RETURN(4)
	poke	(TRUTH_2 + 4), BACK
	ldr	r4, =CODE

	/* In a dirty line, when the instruction line is filled. */
	ldr	r1, [r4]
	ldr	r1, =RETURN(2)
	.global	writes_cached
writes_cached:
	str	r1, [r4]
	bl	call
	expect	r1, 1, 1
	clean_dline r4
	drain
	invalidate_icache

	/* In the write buffer: the line of the code is not in the data cache, and the write before has
	 * the bus. */
	add	r5, r4, #64
	ldr	r1, =RETURN(3)
	adr	lr, 1f
	/* The call and what follows are in lines that are there. */
	b	1f
	.balign	32
1:	add	lr, pc, #8
	str	r1, [r5, #128]
	.global	writes_buffered
writes_buffered:
	str	r1, [r5]
	mov	pc, r5
	expect	r1, 1, 2

	/* An instruction line of another frame. */
	bl	call
	expect	r1, 2, 3
	map_section CODE, FRAME_2 | SECTION | FULL_ACCESS | C | B
	invalidate_tlbs
	bl	call
	expect	r1, 2, 4
	mov	pc, r12

call:
	mov	pc, r4
