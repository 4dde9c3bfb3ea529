/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted faults: a descriptor is written past a dirty line, which is written back over it between
 * two walks; and one is changed without an invalidation. No TLB is invalidated and no descriptor
 * stored before the wrong translation is used: only the walks since then show it.
 */
#include "guest.h"

#define PAGE   0x0a000000
#define PAGES  0x0b000000
#define OTHERS 0x10000000
#define COUNT  40 /* more than the TLB has places */
#define MB     0x100000

#define OLD (FRAME_2 | SECTION | FULL_ACCESS)

	.text
	.global	test
test:
	mov	r12, lr
	ldr	r7, =(l1_table + TRUTH + (OTHERS >> 20) * 4)
	ldr	r0, =(FRAME_1 | SECTION | FULL_ACCESS)
	mov	r1, #COUNT
1:	str	r0, [r7], #4
	subs	r1, r1, #1
	bne	1b
	ldr	r4, =PAGE
	ldr	r5, =(l1_table + (PAGE >> 20) * 4)
	ldr	r0, [r5]
	ldr	r0, =OLD
	str	r0, [r5]
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS
	ldr	r1, [r4]
	ldr	r1, [r4]
	clean_dline r5
	drain
	ldr	r3, =OTHERS
	mov	r2, #COUNT
	bl	use_others
	.global	walks_again
walks_again:
	ldr	r1, [r4]

	/* A section is walked where pages were, and one of these is still in the TLB: which of the two is
	 * used depends on their places, tried with 1 to 40 others before. */
	ldr	r4, =PAGES
	ldr	r5, =(l1_table + (PAGES >> 20) * 4)
	poke	TRUTH_1 + 0x400, (FRAME_1 | SMALL_PAGE | ALL_SUBPAGES)
	poke	TRUTH_1 + 0x404, (FRAME_1 | SMALL_PAGE | ALL_SUBPAGES)
	ldr	r0, [r5]
	mov	r11, #1
2:	ldr	r0, =OLD
	str	r0, [r5]
	map_section PAGES, FRAME_1 + 0x400 | TABLE
	invalidate_dtlb
	ldr	r3, =OTHERS
	mov	r2, r11
	bl	use_others
	ldr	r1, [r4]
	ldr	r1, [r4]
	clean_dline r5
	drain
	add	r6, r4, #0x1000
	.global	walks_section, uses_section
walks_section:
	ldr	r1, [r6]
	ldr	r3, =OTHERS
	ldr	r1, [r3]
uses_section:
	ldr	r1, [r4]
	add	r11, r11, #1
	cmp	r11, #COUNT
	bls	2b

	/* A page, then a section, then the page again, and the TLB has both. The page's entry is older and
	 * replaced first, after some number of others: then the section's is used. */
	ldr	r4, =PAGES
	add	r6, r4, #0x1000
	mov	r11, #1
3:	map_section PAGES, FRAME_1 + 0x400 | TABLE
	invalidate_dtlb
	ldr	r1, [r4]
	map_section PAGES, OLD
	ldr	r1, [r6]
	map_section PAGES, FRAME_1 + 0x400 | TABLE
	ldr	r1, [r4]
	ldr	r1, [r4]
	ldr	r3, =OTHERS
	mov	r2, r11
	bl	use_others
	.global	uses_older
uses_older:
	ldr	r1, [r4]
	add	r11, r11, #1
	cmp	r11, #COUNT
	bls	3b
	mov	pc, r12

/* Reads through r2 translations, of the sections from r3 on. */
use_others:
	ldr	r1, [r3]
	add	r3, r3, #MB
	subs	r2, r2, #1
	bne	use_others
	mov	pc, lr
