/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted fault: a domain left open. A kernel makes itself manager of a program's domain to reach
 * its memory and returns to user mode without taking that back: the program then reads what its
 * permissions forbid.
 */
#include "guest.h"

#define PAGE 0x0a000000

	.text
	.global	test
test:
	/* AP = 1: no user access. */
	map_section PAGE, FRAME_1 | SECTION | 0x400 | DOMAIN(2)
	set_dacr 0x31			/* manager of domain 2, client of domain 0 */
	ldr	r5, =PAGE
	mov	r4, lr
	mrs	r3, cpsr
	bic	r2, r3, #0x1f
	orr	r2, r2, #0x10		/* user mode; start.S's SWI handler brings it back */
	msr	cpsr_c, r2
	ldr	r1, [r5]
	mov	r0, #0
	str	r0, [r8, #PROBE_EXIT]
1:	b	1b
