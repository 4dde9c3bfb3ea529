/* SPDX-License-Identifier: GPL-2.0-only */
/* The server begins: a stack, no memory of before, the kernel, then Linux. */
	.section .text.start, "ax", %progbits
	.global _start
_start:
	cld
	movl	$stack_top, %esp
	movl	$__bss_start, %edi
	movl	$_end, %ecx
	subl	%edi, %ecx
	shrl	$2, %ecx
	xorl	%eax, %eax
	rep stosl
	call	l4_startup
	call	host_start
	call	linux_start
1:	jmp	1b

	.data
	.balign 16
	.space	16384
stack_top:
