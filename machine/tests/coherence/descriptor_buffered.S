/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a page-table write that is in the write buffer when the table is walked. The write
 * before it has the bus, and a read goes before writes that have not begun.
 */
#include "guest.h"

#define PAGE 0x0a000000
/* The page table by a bufferable address that is not cached. */
#define TABLES 0x0c000000

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS
	map_section TABLES, 0xc0000000 | SECTION | FULL_ACCESS | B
	ldr	r4, =(TABLES - 0xc0000000 + l1_table + (PAGE >> 20) * 4)
	ldr	r5, =PAGE
	ldr	r0, [r4]
	ldr	r0, =(FRAME_2 | SECTION | FULL_ACCESS)
	b	1f
	.balign	32
	.global	changes_descriptor, walks
1:	str	r0, [r4, #64]
changes_descriptor:
	str	r0, [r4]
walks:
	ldr	r1, [r5]
	drain
	ldr	r1, [r5, #4]
	mov	pc, lr
