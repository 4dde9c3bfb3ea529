/* SPDX-License-Identifier: Apache-2.0 */
/* Start, with MMU and caches off; the interrupt vector; waiting. */
	.syntax unified
	.arm

	.section .text.start, "ax"
	.globl _start
_start:
	/* The vector of IRQ at 0x18: ldr pc, [pc, #-4], and the handler's address after it. */
	mov	r0, #0x18
	ldr	r1, =0xe51ff004
	ldr	r2, =irq_entry
	stm	r0, {r1, r2}
	msr	cpsr_c, #0xd2
	ldr	sp, =irq_stack_top
	msr	cpsr_c, #0xd3
	ldr	sp, =stack_top
	bl	run
	b	.

	.text
irq_entry:
	sub	lr, lr, #4
	push	{r0-r3, r12, lr}
	bl	handle_irq
	ldm	sp!, {r0-r3, r12, pc}^

	.globl let_interrupts_in
let_interrupts_in:
	msr	cpsr_c, #0x53
	bx	lr

	.globl hold_interrupts_off
hold_interrupts_off:
	msr	cpsr_c, #0xd3
	bx	lr

	/* Sleeps until an interrupt is asserted. */
	.globl wait_for_interrupt
wait_for_interrupt:
	mov	r0, #0
	mcr	p15, 0, r0, c7, c0, 4
	bx	lr
