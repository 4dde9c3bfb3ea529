/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the guests of this folder measure: between two reads of the probe's cycle counter, twice over
 * so that the second time finds code, TLBs and (but for what the case sets up itself) data where it
 * needs them. The sample is the time between the reads, less what two reads without anything
 * between them take.
 *
 *	begin	name		the name is the one in golden.json
 *	...			set-up, not measured
 *	start
 *	...			measured: not r4, r5, r6, r8
 *	stop
 */
#include "guest.h"

/* The second read itself: 1 issue cycle and 10 of a device (machines/sa1110.toml). */
#define SECOND_READ 11

.macro begin name
	mov	r4, #2
\name:
.endm
.macro start
	ldr	r5, [r8, #PROBE_CYCLES]
.endm
/* `name` again, for the way back. */
.macro stop name
	ldr	r6, [r8, #PROBE_CYCLES]
	subs	r4, r4, #1
	bne	\name
	sub	r6, r6, r5
	sub	r6, r6, #SECOND_READ
	str	r6, [r8, #PROBE_SAMPLE]
.endm

/* Literals of the cases before, out of the way of the code. */
.macro literals
	b	77f
	.ltorg
77:
.endm

/* 3 * n cycles in which nothing touches memory: 1 for the move, 3 for each turn but the last
 * (compare-and-subtract 1, taken branch 2), which has 2. Changes r0. */
.macro pass_time n
	mov	r0, #\n
78:	subs	r0, r0, #1
	bne	78b
.endm

/* Test addresses: cached sections on the two frames. */
#define CACHED 0x0a000000
#define OTHER  0x0b000000
