/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process-ID register moves addresses below 32 MB into slot 1, and user mode reaches pages
 * there by both addresses: in either order, by data and as code. That is the planted fault. What else
 * uses a slot's own address is right: the kernel, also with a program's rights; a program that has
 * nothing below 32 MB there; another program (after the TLBs were invalidated, in another domain, or
 * when another frame is there); and any program in a slot that is not its own.
 */
#include "guest.h"

#define SLOT_1  (1 << 25)
#define SLOT_2  (2 << 25)
#define PAGE(n) ((n) << 12)
#define USER    (SECTION | FULL_ACCESS)

	.macro	user_mode
	mrs	r3, cpsr
	bic	r3, r3, #0x1f
	orr	r3, r3, #0x10
	msr	cpsr_c, r3
	.endm

	/* Reaches a page below 32 MB, or at its slot's address. */
	.macro	moved page
	mov	r4, #PAGE(\page)
	ldr	r1, [r4]
	.endm
	.macro	in_full page
	ldr	r4, =(SLOT_1 + PAGE(\page))
	ldr	r1, [r4]
	.endm

	.text
	.global	test
	.global	then_in_full, first_in_full, stores_in_full
test:
	map_section SLOT_1, FRAME_1 | USER | C | B | DOMAIN(1)
	map_section SLOT_2, FRAME_2 | USER | C | B | DOMAIN(1)
	/* A system call that stays in supervisor mode. */
	poke	0xd03f0028, stays
	poke	(TRUTH_1 + PAGE(4)), 0xe1a0f00e /* mov pc, lr */
	set_dacr 0x5
	set_pid	1

	user_mode
	moved	1
	ldr	r4, =(SLOT_1 + PAGE(1))
then_in_full:
	ldr	r1, [r4]
	ldr	r4, =(SLOT_1 + PAGE(2))
first_in_full:
	ldr	r1, [r4]
	moved	2
	/* ... which is reported once for each time that it is reached in full. */
	moved	2
	moved	3
	ldr	r4, =(SLOT_1 + PAGE(3) + 0x800)
stores_in_full:
	str	r1, [r4]
	mov	r5, #PAGE(4)
	ldr	r1, [r5]
	ldr	r4, =(SLOT_1 + PAGE(4))
	mov	lr, pc
	mov	pc, r4
	/* Nothing is there below 32 MB, or nothing but that. */
	in_full	5
	moved	6
	moved	7
	moved	8
	moved	9
	moved	10
	swi	0

	/* The kernel. */
	in_full	6
	ldrt	r1, [r4]

	/* Another domain is open, too: another program. */
	set_dacr 0x15
	user_mode
	in_full	7
	swi	0

	/* Another frame is there. */
	set_dacr 0x5
	map_section SLOT_1, FRAME_2 | USER | C | B | DOMAIN(1)
	ldr	r4, =SLOT_1
	invalidate_dtlb_entry r4
	invalidate_caches
	user_mode
	in_full	8
	swi	0
	map_section SLOT_1, FRAME_1 | USER | C | B | DOMAIN(1)
	invalidate_dtlb_entry r4
	invalidate_caches

	/* The slot is not its own. */
	set_pid	2
	user_mode
	in_full	9
	swi	0

	/* A new program, as far as anybody knows. */
	set_pid	1
	invalidate_tlbs
	user_mode
	in_full	10
	mov	r0, #0
	str	r0, [r8, #PROBE_EXIT]
1:	b	1b

stays:
	mov	pc, lr

	.ltorg
