/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a loop stores over an instruction of the line that it is in, which has been right until
 * then. The instruction cache still has the old one, each time.
 */
#include "guest.h"

#define CHANGED 0xe3a05002 /* mov r5, #2 */
#define STEP    64

	.text
	.global	test
test:
	mov	r12, lr
	ldr	r1, =CHANGED
	adr	r0, old
	add	r0, r0, #STEP
	mov	r4, #0
	b	loop

	.balign	32
	.space	STEP
	/* Behind itself, over itself, before itself. */
loop:
	str	r1, [r0], #-STEP
	.global	old
old:
	mov	r5, #1
	add	r4, r4, r5
	cmp	r4, #3
	bne	loop
	expect	r4, 3, 1
	mov	pc, r12
	.balign	32
	.space	STEP
