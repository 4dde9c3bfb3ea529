/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domain denied without a TLB flush.
 *
 * The TLB entry names the domain; what the domain allows is looked up in the domain access control
 * register at each access, also when the cache hits (DM 7.1, 7.4). So a write of that register
 * takes rights away and gives them back at once, and TLBs and caches stay as they are.
 */
#include "guest.h"

#define PLACE 0x0a000000
#define LOCKED 0x0b000000
#define CLIENT(n) (1 << (2 * (n)))
#define MANAGER(n) (3 << (2 * (n)))

	.text
	.global	test
test:
	mov	r12, lr
	map_section PLACE, FRAME_1 | SECTION | FULL_ACCESS | C | B | DOMAIN(1)
	map_section LOCKED, FRAME_2 | SECTION | C | B | DOMAIN(2) /* AP = 0 */
	poke	TRUTH_1, 0xe1a0f00e /* mov pc, lr: code and data */
	poke	TRUTH_2, 2
	ldr	r4, =PLACE
	ldr	r5, =LOCKED

	set_dacr CLIENT(0) | CLIENT(1)
	ldr	r1, [r4]
	expect	r1, 0xe1a0f00e, 1
	adr	r9, returned
	mov	r11, #0
	bl	call
returned:
	expect	r11, NO_FAULT, 2
	try	ldr	r1, [r5]	/* domain 2: brings the vectors into the TLB */
	expect	r11, DOMAIN_SECTION | FAULT_DOMAIN(2), 16
	counter	r2, COUNTER_dtlb_misses

	/* Denied: reads, writes and execution, of a line that all caches hold. */
	set_dacr CLIENT(0)
	mov	r1, #5
	try	ldr	r1, [r4]
	expect	r11, DOMAIN_SECTION | FAULT_DOMAIN(1), 3
	expect	r10, PLACE, 4
	expect	r1, 5, 5
	try	str	r1, [r4]
	expect	r11, DOMAIN_SECTION | FAULT_DOMAIN(1), 6
	adr	r9, denied
	mov	r11, #0
	bl	call
denied:
	expect	r11, PREFETCH_ABORT, 7

	/* The reserved value 2 acts as no access (DDI 0100 B3.5). */
	set_dacr CLIENT(0) | (2 << 2)
	try	ldr	r1, [r4]
	expect	r11, DOMAIN_SECTION | FAULT_DOMAIN(1), 8

	/* Given back: everything is still there. */
	set_dacr CLIENT(0) | CLIENT(1)
	try	ldr	r1, [r4]
	expect	r11, NO_FAULT, 9
	expect	r1, 0xe1a0f00e, 10
	counter	r1, COUNTER_dtlb_misses
	sub	r1, r1, r2
	expect	r1, 0, 11

	/* A client is bound by the permissions, a manager is not. */
	set_dacr CLIENT(0) | CLIENT(2)
	try	ldr	r1, [r5]
	expect	r11, PERMISSION_SECTION | FAULT_DOMAIN(2), 12
	set_dacr CLIENT(0) | MANAGER(2)
	try	ldr	r1, [r5]
	expect	r11, NO_FAULT, 13
	expect	r1, 2, 14
	try	str	r1, [r5]
	expect	r11, NO_FAULT, 15
	set_dacr CLIENT(0)
	mov	pc, r12

call:
	mov	pc, r4
