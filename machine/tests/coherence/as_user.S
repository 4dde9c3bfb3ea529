/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing is wrong: a kernel reads and writes its own memory by LDRT and STRT, which have a program's
 * rights, while it is manager of the domain, as Linux up to 4.9 does between set_fs(KERNEL_DS) and
 * set_fs(USER_DS).
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
	ldr	r1, [r5]
	ldrt	r1, [r5]
	ldrbt	r1, [r5]
	strt	r1, [r5]
	strbt	r1, [r5]
	mov	pc, lr
