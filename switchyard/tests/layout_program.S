// SPDX-License-Identifier: Apache-2.0
// A program for the layout tool's tests: all ways to go from block to block that compilers for ARMv4
// use, with parts that are hardly ever executed. start(x) gives a number that depends on all of them.

	.syntax unified
	.arm
	.text
	.space	64			// places in the copies are others

	.global	start
	.type	start, %function
start:
	.fnstart
	.save	{r4, r5, r6, lr}
	push	{r4, r5, r6, lr}
	mov	r4, r0
	cmp	r4, #100
	bhi	.Lrare			// cold in the middle
.Lback:
3:	and	r0, r4, #7		// patched at boot, if this were a kernel
	bl	.Lpicked		// by a label that is not its symbol
	mov	r5, r0
	mov	r0, r4
	bl	summed
	eor	r5, r5, r0
	ldr	r3, =pointers
	and	r1, r4, #1
	ldr	r3, [r3, r1, lsl #2]
	mov	r0, r5
	mov	lr, pc			// a call as on ARMv4
	mov	pc, r3
	mov	r5, r0
	mov	r0, r4
	bl	computed
	add	r5, r5, r0
	mov	r0, r4
	bl	maintain
	eor	r5, r5, r0
	ldr	r3, =number
	ldr	r2, =0x12345678
1:	ldr	r3, [r3]		// may fault
	add	r0, r3, r5
	eor	r0, r0, r2
	pop	{r4, r5, r6, pc}
.Lrare:
	ldr	r2, =0x0badcafe
	ldr	r3, =number
2:	ldr	r3, [r3]
	add	r4, r2, r3, lsr #3
	bl	.Ltwice			// set by the assembler (layout_test.py)
	eor	r4, r4, r0
	b	.Lback
	.ltorg
	.fnend
	.size	start, . - start

	.type	picked, %function
picked:					// by a table
.Lpicked:
	.fnstart
	cmp	r0, #5
	ldrls	pc, [pc, r0, lsl #2]
	b	.Lnone
	.word	.Lzero, .Lone, .Ltwo, .Lthree, .Lzero, .Ltwo
.Lzero:	ldr	r0, =0x1111
	mov	pc, lr
.Lone:	ldr	r0, =0x22222222
	b	.Lout
.Ltwo:	mvn	r0, #0
	mov	pc, lr
.Lthree: ldr	r0, =0x33330000
.Lout:	add	r0, r0, #9
	mov	pc, lr
.Lnone:	ldr	r0, =0x44444444
	b	.Lout
	.ltorg
	.fnend
	.size	picked, . - picked

	.type	summed, %function
summed:					// a loop, a return under a condition, a call to what is after
	.fnstart
	.save	{r4, lr}
	push	{r4, lr}
	mov	r4, #0
	and	r1, r0, #15
.Lloop:
	add	r4, r4, r1
	cmp	r1, #9
	beq	.Lnine
.Lafter:
	subs	r1, r1, #1
	bpl	.Lloop
	cmp	r4, #50
	movhi	r0, r4
	pophi	{r4, pc}
	mov	r0, r4
	bl	twice
	pop	{r4, pc}
.Lnine:
	add	r4, r4, #77
	b	.Lafter
	.fnend
	.size	summed, . - summed

	.space	64			// what a compiler's cold halves would be

	.type	twice, %function
twice:
.Ltwice:
	.fnstart
	lsls	r0, r0, #1
	movne	pc, lr
	ldr	r0, =0x5555
	mov	pc, lr
	.ltorg
	.fnend
	.size	twice, . - twice

	.type	other, %function
other:
	.fnstart
	tst	r0, #1
	addne	r0, r0, #3
	bne	twice			// ends in another function
	b	elsewhere
	.fnend
	.size	other, . - other

	.global	elsewhere
	.type	elsewhere, %function
elsewhere:
	.fnstart
	rsb	r0, r0, #12
	mov	pc, lr
	.fnend
	.size	elsewhere, . - elsewhere

	.type	computed, %function
computed:				// cannot be taken apart
	.fnstart
	and	r1, r0, #3
	add	pc, pc, r1, lsl #2
	nop
	add	r0, r0, #1
	add	r0, r0, #2
	add	r0, r0, #4
	add	r0, r0, #8
	mov	pc, lr
	.fnend
	.size	computed, . - computed

	.type	maintain, %function
maintain:				// may rely on the line that it lies in
	.fnstart
	mov	r1, #0
	cmp	r0, r0
	mcrne	p15, 0, r1, c7, c10, 4	// drain the write buffer, under a condition that never holds
	mov	pc, lr
	.fnend
	.size	maintain, . - maintain

	.data
	.balign	4
pointers:
	.word	twice, other
number:
	.word	0x76543210

	.section __ex_table, "a"
	.word	1b, 2b
	.word	2b, 1b

	.section .pv_table, "a"
	.word	3b - .
