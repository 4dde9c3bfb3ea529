/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sub-page permissions: each quarter of a small or large page has its own (DM 7.1; DDI 0100
 * B3.3.4 and B3.4), and what AP = 0 means depends on the control register's S and R bits.
 *
 * User rights are asked for with LDRT and STRT.
 */
#include "guest.h"

#define PLACE 0x0a000000
#define LARGE 0x00010000 /* the large page, from PLACE on */
/* AP = 3, 2, 1, 0 from the lowest quarter on. */
#define STAIRS ((3 << 4) | (2 << 6) | (1 << 8) | (0 << 10))
#define DENIED (PERMISSION_PAGE | FAULT_DOMAIN(3))

/* All four kinds of access to `offset`, each with its fault status. */
.macro rights offset, user_read, user_write, read, write, check
	ldr	r5, =(PLACE + \offset)
	try	ldrt	r1, [r5], #0
	expect	r11, \user_read, \check
	try	strt	r1, [r5], #0
	expect	r11, \user_write, \check + 1
	try	ldr	r1, [r5]
	expect	r11, \read, \check + 2
	try	str	r1, [r5]
	expect	r11, \write, \check + 3
.endm

.macro stairs base, quarter, check
	rights	\base, NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT, \check
	rights	\base + \quarter, NO_FAULT, DENIED, NO_FAULT, NO_FAULT, \check + 4
	rights	\base + 2 * \quarter, DENIED, DENIED, NO_FAULT, NO_FAULT, \check + 8
	rights	\base + 3 * \quarter, DENIED, DENIED, DENIED, DENIED, \check + 12
	/* The last word of a quarter belongs to it, the next one does not. */
	rights	\base + \quarter - 4, NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT, \check + 16
	rights	\base + 3 * \quarter - 4, DENIED, DENIED, NO_FAULT, NO_FAULT, \check + 20
.endm

	.text
	.global	test
test:
	/* A page table with the small page, and the large one in 16 equal entries. */
	ldr	r7, =(l1_table + TRUTH + (PLACE >> 20) * 4)
	ldr	r0, =(l2_table + TABLE + DOMAIN(3))
	str	r0, [r7]
	ldr	r7, =(l2_table + TRUTH)
	ldr	r0, =(FRAME_1 | SMALL_PAGE | STAIRS | C | B)
	str	r0, [r7]
	ldr	r0, =((FRAME_1 + LARGE) | LARGE_PAGE | STAIRS | C | B)
	add	r7, r7, #(LARGE >> 10)
	mov	r1, #16
1:	str	r0, [r7], #4
	subs	r1, r1, #1
	bne	1b
	set_dacr 1 | (1 << 6)

	stairs	0, 0x400, 1
	b	2f
	.ltorg
2:	stairs	LARGE, 0x4000, 31
	b	3f
	.ltorg

	/* Beside the pages there is nothing: a translation fault that knows the domain. */
3:	ldr	r5, =(PLACE + 0x1000)
	try	ldr	r1, [r5]
	expect	r11, TRANSLATION_PAGE | FAULT_DOMAIN(3), 61
	expect	r10, PLACE + 0x1000, 62

	/* S: AP = 0 lets privileged modes read. R: it lets everybody read. */
	set_control CONTROL_ON | CONTROL_SYSTEM
	rights	0xc00, DENIED, DENIED, NO_FAULT, DENIED, 71
	set_control CONTROL_ON | CONTROL_ROM
	rights	0xc00, NO_FAULT, DENIED, NO_FAULT, DENIED, 75
	set_control CONTROL_ON
	rights	0xc00, DENIED, DENIED, DENIED, DENIED, 79

	/* No access to the domain comes before the permissions. */
	set_dacr 1
	ldr	r5, =(PLACE + 0xc00)
	try	ldr	r1, [r5]
	expect	r11, DOMAIN_PAGE | FAULT_DOMAIN(3), 83
	mov	pc, lr
