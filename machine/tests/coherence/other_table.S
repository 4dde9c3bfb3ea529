/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: the translation table base is changed for another space's, whose tables say the
 * same of the page, and the TLB is not invalidated. The program reads through what was translated
 * for the space before. A privileged access does so first, as kernels may.
 */
#include "guest.h"

#define PAGE 0x0a000000
#define COPY 0xc0200000
#define COPY_TRUTH TRUTH_2

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | FULL_ACCESS
	/* User mode fetches below. */
	ldr	r5, =PAGE
	ldr	r1, [r5]
	/* A copy of the tables. */
	ldr	r1, =(l1_table + TRUTH)
	ldr	r2, =COPY_TRUTH
	mov	r3, #0x4000
1:	ldr	r0, [r1], #4
	str	r0, [r2], #4
	subs	r3, r3, #4
	bne	1b
	/* With a program's rights, right before and right after. */
	ldr	r0, =COPY
	ldrt	r1, [r5], #0
	mcr	p15, 0, r0, c2, c0, 0
	.global uses_it_at_once
uses_it_at_once:
	ldrt	r1, [r5], #0
	invalidate_itlb
	ldr	r1, [r5]
	mrs	r3, cpsr
	bic	r2, r3, #0x1f
	orr	r2, r2, #0x10
	msr	cpsr_c, r2
	.global	uses_old_entry
uses_old_entry:
	ldr	r1, [r5]
	mov	r0, #0
	str	r0, [r8, #PROBE_EXIT]
1:	b	1b
