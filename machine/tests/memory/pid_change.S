/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PID change: addresses below 32 MB move to the slot in the process-ID register.
 *
 * The relocated address is what TLBs and caches see (DM 5.2.13), so two slots live side by side in
 * both, nothing needs to be flushed on a change, and an address reached through its slot is the
 * same as when it is named in full.
 */
#include "guest.h"

#define SLOT(n) ((n) << 25)
#define CODE 0x20
#define RETURN(n) (0xe3a01000 | (n)) /* mov r1, #n */

	.text
	.global	test
test:
	mov	r12, lr
	map_section SLOT(1), FRAME_1 | SECTION | FULL_ACCESS | C | B
	map_section SLOT(2), FRAME_2 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, 1
	poke	TRUTH_2, 2
	poke	(TRUTH_1 + CODE), RETURN(101)
	poke	(TRUTH_2 + CODE), RETURN(102)
	poke	(TRUTH_1 + CODE + 4), 0xe1a0f00e /* mov pc, lr */
	poke	(TRUTH_2 + CODE + 4), 0xe1a0f00e
	mov	r4, #0

	/* Each slot has its own data and code at the same address. */
	set_pid	1
	ldr	r1, [r4]
	expect	r1, 1, 1
	bl	call
	expect	r1, 101, 2
	set_pid	2
	ldr	r1, [r4]
	expect	r1, 2, 3
	bl	call
	expect	r1, 102, 4

	/* Back and forth without a flush and without a walk of the tables. */
	counter	r2, COUNTER_dtlb_misses
	set_pid	1
	mov	r1, #11
	str	r1, [r4]
	set_pid	2
	ldr	r1, [r4]
	expect	r1, 2, 5
	set_pid	1
	ldr	r1, [r4]
	expect	r1, 11, 6
	counter	r1, COUNTER_dtlb_misses
	sub	r1, r1, r2
	expect	r1, 0, 7

	/* In full, from slot 0, it is the same line. */
	set_pid	0
	mov	r4, #SLOT(1)
	ldr	r1, [r4]
	expect	r1, 11, 8
	peek	r1, TRUTH_1
	expect	r1, 1, 9
	mov	r4, #0

	/* Addresses from 32 MB on stay where they are, whatever the slot. */
	set_pid	2
	mov	r4, #SLOT(1)
	ldr	r1, [r4]
	expect	r1, 11, 10

	/* A fault shows the relocated address. */
	set_pid	3
	mov	r4, #0x1200
	try	ldr	r1, [r4, #0x34]
	expect	r11, TRANSLATION_SECTION, 11
	expect	r10, SLOT(3) + 0x1234, 12
	set_pid	0
	mov	pc, r12

call:
	mov	pc, #CODE
