/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stale instruction line: code that is written after it has been executed.
 *
 * The instruction cache does not look at the data cache nor at writes to memory (DM 6.1): new
 * code is executed when it is in memory (data line cleaned, write buffer drained) and the
 * instruction cache has been invalidated.
 */
#include "guest.h"

#define CODE 0x0a000000
#define RETURN(n) (0xe3a01000 | (n)) /* mov r1, #n */

	.text
	.global	test
test:
	mov	r12, lr
	map_section CODE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, RETURN(1)
	poke	(TRUTH_1 + 4), 0xe1a0f00e /* mov pc, lr */
	ldr	r4, =CODE

	bl	call
	expect	r1, 1, 1

	/* Memory has changed; the line has not. */
	poke	TRUTH_1, RETURN(2)
	bl	call
	expect	r1, 1, 2
	invalidate_icache
	bl	call
	expect	r1, 2, 3

	/* New code in the data cache is not in memory. */
	ldr	r1, [r4]
	ldr	r1, =RETURN(3)
	str	r1, [r4]
	invalidate_icache
	bl	call
	expect	r1, 2, 4

	/* In memory, it is not yet in the instruction cache. */
	clean_dline r4
	drain
	bl	call
	expect	r1, 2, 5
	invalidate_icache
	bl	call
	expect	r1, 3, 6
	mov	pc, r12

call:
	mov	pc, r4
