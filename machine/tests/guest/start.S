/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a test guest up as guest.h says, calls `test`, ends the run with status 0. A failed
 * check ends it with the check's number, an unexpected exception with 200 + its vector. */
#include "guest.h"

	.section .text.start, "ax"
	.global	_start, fail, l1_table, l2_table
_start:
	/* Vectors, while addresses are still physical. */
	adr	r0, vectors
	ldr	r1, =0xc03f0000
	mov	r2, #16
1:	ldr	r3, [r0], #4
	str	r3, [r1], #4
	subs	r2, r2, #1
	bne	1b

	/* The boot loader has zeroed .bss, the tables with it. */
	ldr	r0, =l1_table
	adr	r1, map
2:	ldmia	r1!, {r2, r3}
	cmp	r3, #0
	strne	r3, [r0, r2, lsl #2]
	bne	2b

	mcr	p15, 0, r0, c2, c0, 0	/* translation table base */
	mov	r0, #1			/* client of domain 0 */
	mcr	p15, 0, r0, c3, c0, 0
	mov	r0, #0
	mcr	p15, 0, r0, c13, c0, 0
	invalidate_caches
	invalidate_tlbs
	set_control CONTROL_ON
	mov	r8, #0x50000000
	ldr	sp, =stack_end
	bl	test
	mov	r0, #0
	b	end

/* r0: the number of the check; r6, r7: what was there and what was expected, left as samples. */
fail:
	str	r6, [r8, #PROBE_SAMPLE]
	str	r7, [r8, #PROBE_SAMPLE]
end:
	str	r0, [r8, #PROBE_EXIT]
	b	end

/* Copied to 0xffff0000. */
vectors:
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	.word	unexpected_0, unexpected_1, swi_handler, prefetch_handler
	.word	data_handler, unexpected_5, unexpected_6, unexpected_7

/* Skips the instruction: see `try`. */
data_handler:
	mrc	p15, 0, r11, c5, c0, 0
	mrc	p15, 0, r10, c6, c0, 0
	subs	pc, lr, #4

/* Continues where r9 says. */
prefetch_handler:
	mov	r11, #PREFETCH_ABORT
	movs	pc, r9

swi_handler:
	movs	pc, lr

.irp n, 0, 1, 5, 6, 7
unexpected_\n:
	mov	r0, #(200 + \n)
	b	end
.endr

	.ltorg

/* Index in the first-level table and descriptor. */
#define PLAIN (SECTION | FULL_ACCESS | DOMAIN(0))
map:
	.word	0x500, PROBE_BASE_PA | PLAIN
	.word	0xc00, 0xc0000000 | PLAIN | C | B
	.word	0xd00, 0xc0000000 | PLAIN
	.word	0xd01, 0xc0100000 | PLAIN
	.word	0xd02, 0xc0200000 | PLAIN
	.word	0xd03, 0xc0300000 | PLAIN
	.word	0xe00, 0xe0000000 | PLAIN | C | B
	.word	0xe01, 0xe0100000 | PLAIN | C
	.word	0xfff, 0xc0300000 | PLAIN | C | B
	.word	0, 0

	.bss
	.balign	0x4000
l1_table:
	.space	0x4000
l2_table:
	.space	0x400
	.space	0x400
stack_end:
