/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Issue cycles and result delays of each group of instructions (DM 4.2, table of instruction
 * timings). All code and data are in the caches. golden.json derives each number.
 */
#include "timing.h"

	.text
	.global	test
test:
	mov	r12, lr
	map_section CACHED, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	(TRUTH_1 + 4), 0x80808080
	ldr	r9, =CACHED
	ldr	r1, [r9]
	mov	r2, #2
	mov	r3, #3

	begin	nothing
	start
	stop	nothing

	begin	data_processing
	start
	add	r0, r1, r2
	sub	r1, r2, r3
	eor	r0, r3, r2
	mov	r1, r3
	stop	data_processing

	begin	data_processing_chain
	start
	add	r0, r2, r3
	add	r0, r0, r3, lsl #2
	add	r0, r0, r0
	movs	r0, r0
	stop	data_processing_chain

	begin	shift_by_register
	start
	mov	r0, r3, lsl r2
	add	r0, r0, r3, lsr r2
	stop	shift_by_register

	begin	condition_fails
	movs	r0, #0
	start
	addne	r1, r2, r3
	ldrne	r1, [r9]
	bne	.
	stop	condition_fails

	begin	load
	start
	ldr	r0, [r9]
	stop	load

	begin	load_then_other
	start
	ldr	r0, [r9]
	add	r1, r2, r3
	add	r0, r0, r2
	stop	load_then_other

	begin	load_use
	start
	ldr	r0, [r9]
	add	r1, r0, r2
	stop	load_use

	begin	load_use_as_address
	ldr	r0, =CACHED
	str	r0, [r9, #8]
	start
	ldr	r0, [r9, #8]
	ldr	r1, [r0]
	add	r1, r1, r2
	stop	load_use_as_address

	begin	load_byte_use
	start
	ldrb	r0, [r9, #4]
	add	r1, r0, r2
	stop	load_byte_use

	begin	load_halfword_use
	start
	ldrh	r0, [r9, #4]
	add	r1, r0, r2
	stop	load_halfword_use

	begin	load_signed_byte_use
	start
	ldrsb	r0, [r9, #4]
	add	r1, r0, r2
	stop	load_signed_byte_use

	begin	load_signed_halfword_use
	start
	ldrsh	r0, [r9, #4]
	add	r1, r0, r2
	stop	load_signed_halfword_use

	begin	load_base_use
	mov	r1, r9
	start
	ldr	r0, [r1], #4
	add	r1, r1, #4
	stop	load_base_use

	begin	store
	start
	str	r3, [r9]
	strb	r3, [r9]
	strh	r3, [r9]
	stop	store

	literals

	/* The multiplier is the second source: 12 bits of it a cycle, until the rest is sign. */
	begin	multiply
	start
	mul	r0, r3, r2
	stop	multiply

	begin	multiply_use_12_bits
	ldr	r7, =0x7ff
	start
	mul	r0, r3, r7
	add	r1, r0, r2
	stop	multiply_use_12_bits

	begin	multiply_use_12_bits_negative
	mvn	r7, #1
	start
	mul	r0, r3, r7
	add	r1, r0, r2
	stop	multiply_use_12_bits_negative

	begin	multiply_use_24_bits
	ldr	r7, =0x800
	start
	mul	r0, r3, r7
	add	r1, r0, r2
	stop	multiply_use_24_bits

	begin	multiply_use_32_bits
	ldr	r7, =0x800000
	start
	mul	r0, r3, r7
	add	r1, r0, r2
	stop	multiply_use_32_bits

	begin	multiply_twice
	ldr	r7, =0x7fffffff
	start
	mul	r0, r3, r7
	mul	r1, r3, r2
	stop	multiply_twice

	begin	multiply_accumulate_use
	mov	r7, #5
	start
	mla	r0, r3, r7, r2
	add	r1, r0, r2
	stop	multiply_accumulate_use

	begin	multiply_long
	start
	umull	r0, r1, r3, r2
	stop	multiply_long

	begin	multiply_long_use_12_bits
	start
	umull	r0, r1, r3, r2
	add	r1, r0, r2
	stop	multiply_long_use_12_bits

	begin	multiply_long_use_32_bits
	ldr	r7, =0x7fffffff
	start
	smull	r0, r1, r3, r7
	add	r0, r1, r2
	stop	multiply_long_use_32_bits

	literals

	begin	load_multiple_1
	start
	ldmia	r9, {r0}
	stop	load_multiple_1

	begin	load_multiple_2
	start
	ldmia	r9, {r0, r1}
	stop	load_multiple_2

	begin	load_multiple_6
	start
	ldmia	r9, {r0, r1, r7, r10, r11, r14}
	stop	load_multiple_6

	begin	load_multiple_use_last
	start
	ldmia	r9, {r0, r1, r7}
	add	r0, r7, r2
	stop	load_multiple_use_last

	begin	load_multiple_use_first
	start
	ldmia	r9, {r0, r1, r7}
	add	r1, r0, r2
	stop	load_multiple_use_first

	begin	store_multiple_1
	start
	stmia	r9, {r0}
	stop	store_multiple_1

	begin	store_multiple_6
	start
	stmia	r9, {r0, r1, r7, r10, r11, r14}
	stop	store_multiple_6

	begin	branch_not_taken
	movs	r0, #0
	start
	bne	test
	stop	branch_not_taken

	begin	branch_taken
	start
	b	1f
	nop
1:
	stop	branch_taken

	begin	call_and_return
	start
	bl	return
	stop	call_and_return

	begin	load_pc
	adr	r0, 1f
	str	r0, [r9]
	start
	ldr	pc, [r9]
	nop
1:
	stop	load_pc

	begin	load_multiple_pc
	adr	r1, 1f
	stmia	r9, {r0, r1}
	start
	ldmia	r9, {r0, pc}
	nop
1:
	stop	load_multiple_pc

	begin	read_status
	start
	mrs	r0, cpsr
	add	r1, r0, r2
	stop	read_status

	begin	write_status_flags
	mrs	r0, cpsr
	start
	msr	cpsr_f, r0
	stop	write_status_flags

	begin	write_status_control
	mrs	r0, cpsr
	start
	msr	cpsr_c, r0
	stop	write_status_control

	begin	swap
	start
	swp	r0, r2, [r9]
	stop	swap

	begin	swap_use
	start
	swp	r0, r2, [r9]
	add	r1, r0, r2
	stop	swap_use

	begin	read_coprocessor
	start
	mrc	p15, 0, r0, c3, c0, 0
	stop	read_coprocessor

	begin	read_coprocessor_use
	start
	mrc	p15, 0, r0, c3, c0, 0
	add	r1, r0, r2
	stop	read_coprocessor_use

	begin	write_coprocessor
	mrc	p15, 0, r0, c3, c0, 0
	start
	mcr	p15, 0, r0, c3, c0, 0
	stop	write_coprocessor

	begin	software_interrupt
	start
	swi	0
	stop	software_interrupt

	mov	pc, r12

	.balign	32
return:
	mov	pc, lr
