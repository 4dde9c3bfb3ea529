/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a page-table write that stays in the data cache. The table walk reads memory, not
 * the cache (DM 7.4), and finds the old descriptor.
 */
#include "guest.h"

#define PAGE 0x0a000000

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS
	/* Through the cached mapping, into a line that is there: read first, then written. */
	ldr	r4, =(l1_table + (PAGE >> 20) * 4)
	ldr	r0, [r4]
	ldr	r0, =(FRAME_2 | SECTION | FULL_ACCESS)
	str	r0, [r4]
	ldr	r5, =PAGE
	ldr	r1, [r5]
	mov	pc, lr
