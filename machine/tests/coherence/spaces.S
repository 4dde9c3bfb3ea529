/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel whose spaces have directories of their own, beside the one that is walked, says so to
 * the probe. Planted faults: the domain of another space is open, from the beginning and after a
 * switch that changes nothing else; a TLB entry of another space survives the change of its domain's
 * owner. Each space has one page, and a record with a word, and
 * the pointer to its directory. One thread runs, which changes its space; its record has two words, and
 * the pointer to that.
 */
#include "guest.h"

#define PAGE_A 0x0a000000
#define PAGE_B 0x0b000000
#define PAGE_C 0x0d000000
#define USER   (SECTION | FULL_ACCESS)

	.macro	user_mode
	mrs	r3, cpsr
	bic	r3, r3, #0x1f
	orr	r3, r3, #0x10
	msr	cpsr_c, r3
	.endm

	.macro	point word, to
	ldr	r7, =(\word + TRUTH)
	ldr	r0, =(\to)
	str	r0, [r7]
	.endm

	/* An entry of the directory of a space. */
	.macro	own directory, va, descriptor
	ldr	r7, =(\directory + TRUTH + (\va >> 20) * 4)
	ldr	r0, =(\descriptor)
	str	r0, [r7]
	.endm

	.text
	.global	test
test:
	own	directory_a, PAGE_A, FRAME_1 | USER
	own	directory_b, PAGE_B, FRAME_2 | USER
	own	directory_a, PAGE_C, FRAME_1 | USER
	map_section PAGE_A, FRAME_1 | USER | DOMAIN(1)
	map_section PAGE_B, FRAME_2 | USER | DOMAIN(2)
	map_section PAGE_C, FRAME_1 | USER | DOMAIN(1)
	/* A system call that stays in supervisor mode. */
	poke	0xd03f0028, stays
	ldr	r0, =running
	str	r0, [r8, #PROBE_SPACE_WORD]
	mov	r0, #8
	str	r0, [r8, #PROBE_SPACE_THREAD]
	mov	r0, #4
	str	r0, [r8, #PROBE_SPACE_DIRECTORY]
	mov	r0, #0x40000000
	str	r0, [r8, #PROBE_SPACE_KERNEL]
	ldr	r4, =PAGE_A
	ldr	r5, =PAGE_B
	ldr	r6, =PAGE_C

	/* A runs, with B's domain open as well as its own. */
	point	running, thread
	set_dacr 0x15
	user_mode
	.global	own_page, others_page, others_entry
own_page:
	ldr	r1, [r4]
	ldr	r1, [r6]
others_page:
	ldr	r1, [r5]
	swi	0

	/* A has lost its domain to B, and PAGE_C its entry; the TLB does not know. */
	map_section PAGE_C, 0
	map_section PAGE_B, FRAME_2 | USER | DOMAIN(1)
	invalidate_dtlb_entry r5
	point	thread + 8, space_b
	set_dacr 0x5
	user_mode
	ldr	r1, [r5]
others_entry:
	ldr	r1, [r6]
	ldr	r1, [r5]
	swi	0

	/* A runs again, and the domain that it has lost stays open. */
	point	thread + 8, space_a
	user_mode
	.global	others_page_again
others_page_again:
	ldr	r1, [r5]
	mov	r0, #0
	str	r0, [r8, #PROBE_EXIT]
1:	b	1b

stays:
	mov	pc, lr

	.data
running:
	.word	0
thread:
	.word	0, 0, space_a
space_a:
	.word	0, directory_a
space_b:
	.word	0, directory_b

	.bss
	.balign	0x4000
directory_a:
	.space	0x4000
directory_b:
	.space	0x4000
