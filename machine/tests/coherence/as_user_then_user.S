/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a domain left open, for which a program is told apart from its kernel. The kernel reads
 * its own memory by LDRT, rightly; the program to which it returns reads the same word.
 */
#include "guest.h"

#define PAGE 0x0a000000

	.text
	.global	test
test:
	map_section PAGE, FRAME_1 | SECTION | 0x400 | DOMAIN(2)
	set_dacr 0x31			/* manager of domain 2, client of domain 0 */
	ldr	r5, =PAGE
	ldrt	r1, [r5]
	mrs	r3, cpsr
	bic	r2, r3, #0x1f
	orr	r2, r2, #0x10		/* user mode */
	msr	cpsr_c, r2
in_user_mode:
	ldr	r1, [r5]
	mov	r0, #0
	str	r0, [r8, #PROBE_EXIT]
1:	b	1b
