/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted faults: a dirty line is invalidated, by its address and with the whole cache.
 */
#include "guest.h"

#define PAGE 0x0a000000

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	ldr	r4, =PAGE
	ldr	r1, [r4]
	mov	r1, #1
	.global	written, drops_line, reads_line
written:
	str	r1, [r4]
drops_line:
	invalidate_dline r4
reads_line:
	ldr	r1, [r4]
	expect	r1, 0, 1

	mov	r1, #2
	str	r1, [r4]
	/* Nothing else may be lost. */
	add	r3, r4, #4096
	ldr	r1, [r3]
	.global	drops_all, reads_all
drops_all:
	invalidate_dcache
reads_all:
	ldr	r1, [r4]
	expect	r1, 0, 2
	mov	pc, lr
