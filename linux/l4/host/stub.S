/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page that each program has at HOST_STUB: the emulation library of the paper. A system call, INT 80h, is
 * reflected to it by the kernel (software_interrupt.h); it puts the registers into the shared page, sends an empty
 * message to the server and loads the registers that are there when the answer comes. stub_capture does the same
 * for a thread that the server has stopped somewhere: the server knows the address.
 *
 * A program with thread-local storage has a segment of its own in GS (own_segment.h). The server's answer finds
 * the kernel's segment there, so such a thread has a second part of the stub, which loads its selector again.
 *
 * In the shared page: stack pointer, instruction pointer, error code of another INT, base of the segment; then what
 * PUSHA and PUSHF leave, at the end of 64 bytes.
 */
#include <binding.h>

#define HOST_KIP    0x2000
#define HOST_UTCB   0x3000
#define HOST_STUB   0x4000
#define HOST_SHARED 0x5000

#define AT(label)  (HOST_STUB + (label - host_stub))
#define SHARED_SP  HOST_SHARED
#define SHARED_IP  (HOST_SHARED + 4)
#define SHARED_TOP (HOST_SHARED + 64)
#define SHARED_CODE (HOST_SHARED + 8)
#define SHARED_BASE (HOST_SHARED + 12)
#define NO_WORDS   0x00010000 /* tags: labels 1 and 2 */
#define OTHER_INT  0x00020000
#define INT_SIZE   2
#define CODE_OF_CALL (0x80 * 8 + 2)


/* The registers of the program go into the shared page, and come from there. */
	.macro	save
	movl	%esp, SHARED_SP
	movl	$SHARED_TOP, %esp
	pushfl
	pushal
	.endm

	.macro	load
	popal
	popfl
	movl	SHARED_SP, %esp
	jmp	*SHARED_IP
	.endm

/* An INT, which is a system call, or goes to `other` with its code in ESI and its address in ECX. */
	.macro	save_call other
	save
	movl	HOST_UTCB + L4_IA32_UTCB_INT_IP, %ecx
	movl	HOST_UTCB + L4_IA32_UTCB_INT_CODE, %esi
	cmpl	$CODE_OF_CALL, %esi
	jne	\other
	addl	$INT_SIZE, %ecx
	movl	%ecx, SHARED_IP
	.endm

/* The words of a message to the server but its tag. */
	.macro	to_server
	movl	AT(host_stub_server), %eax
	movl	%eax, %edx
	xorl	%ecx, %ecx
	.endm

/* An exception there: the server answers by other registers. */
	.macro	save_other
	movl	%ecx, SHARED_IP
	movl	%esi, SHARED_CODE
	to_server
	movl	$OTHER_INT, %esi
	.endm

/* The call, by the tag in ESI. */
	.macro	send
	movl	$HOST_UTCB, %edi
	cld
	call	*AT(host_stub_ipc)
	.endm

	.section .rodata
	.balign 4096
	.global host_stub, host_stub_server, host_stub_ipc, host_stub_start, host_stub_capture
	.global host_stub_again, host_stub_answered
	.global host_stub_own, host_stub_own_capture, host_stub_own_again, host_stub_own_answered
host_stub:
	/* The thread's first instructions: it names the handlers, then it is at the server's disposal. */
host_stub_start:
	movl	AT(host_stub_server), %eax
	movl	%eax, HOST_UTCB + L4_UTCB_EXCEPTION_HANDLER
	movl	$AT(system_call), HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
host_stub_capture:
	save
	jmp	host_stub_again
other:
	save_other
	jmp	1f
	.balign 16
system_call:
	save_call other
host_stub_again:
	to_server
	movl	$NO_WORDS, %esi
1:	send
host_stub_answered:
	load

	/* The second part: the thread gets its segment, or another base for it. */
	.balign 16
host_stub_own:
	movl	$0, HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
	movl	SHARED_BASE, %ecx
	movl	$1, %eax
	int	$L4_IA32_OWN_CALL
	movl	$AT(own_call), HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
host_stub_own_capture:
	save
	jmp	host_stub_own_again
own_other:
	save_other
	jmp	2f
	.balign 16
own_call:
	save_call own_other
host_stub_own_again:
	to_server
	movl	$NO_WORDS, %esi
2:	send
host_stub_own_answered:
	movl	$L4_IA32_OWN_SELECTOR, %eax
	movl	%eax, %gs
	load

	.balign 4
host_stub_server:
	.long	0
host_stub_ipc:
	.long	0
	.balign 4096
