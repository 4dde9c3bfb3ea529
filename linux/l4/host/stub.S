/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page that each program has at HOST_STUB: the emulation library of the paper. A system call, INT 80h, is
 * reflected to it by the kernel (software_interrupt.h); it puts the registers into the shared page, sends an empty
 * message to the server and loads the registers that are there when the answer comes. stub_capture does the same
 * for a thread that the server has stopped somewhere: the server knows the address.
 *
 * In the shared page: stack pointer, instruction pointer, error code of another INT; then what PUSHA and PUSHF leave, at the end of 64 bytes.
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
#define NO_WORDS   0x00010000 /* tags: labels 1 and 2 */
#define OTHER_INT  0x00020000
#define INT_SIZE   2
#define CODE_OF_CALL (0x80 * 8 + 2)

	.section .rodata
	.balign 4096
	.global host_stub, host_stub_server, host_stub_ipc, host_stub_start, host_stub_capture
	.global host_stub_again, host_stub_answered
host_stub:
	/* The thread's first instructions: it names the handlers, then it is at the server's disposal. */
host_stub_start:
	movl	AT(host_stub_server), %eax
	movl	%eax, HOST_UTCB + L4_UTCB_EXCEPTION_HANDLER
	movl	$AT(system_call), HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
host_stub_capture:
	movl	%esp, SHARED_SP
	movl	$SHARED_TOP, %esp
	pushfl
	pushal
	jmp	host_stub_again
	.balign 16
system_call:
	movl	%esp, SHARED_SP
	movl	$SHARED_TOP, %esp
	pushfl
	pushal
	movl	HOST_UTCB + L4_IA32_UTCB_INT_IP, %ecx
	movl	HOST_UTCB + L4_IA32_UTCB_INT_CODE, %esi
	cmpl	$CODE_OF_CALL, %esi
	jne	other
	addl	$INT_SIZE, %ecx
	movl	%ecx, SHARED_IP
host_stub_again:
	movl	AT(host_stub_server), %eax
	movl	%eax, %edx
	xorl	%ecx, %ecx
	movl	$NO_WORDS, %esi
1:	movl	$HOST_UTCB, %edi
	cld
	call	*AT(host_stub_ipc)
host_stub_answered:
	popal
	popfl
	movl	SHARED_SP, %esp
	jmp	*SHARED_IP
	/* Another INT: an exception there. (The server answers it by other registers.) */
other:
	movl	%ecx, SHARED_IP
	movl	%esi, SHARED_CODE
	movl	AT(host_stub_server), %eax
	movl	%eax, %edx
	xorl	%ecx, %ecx
	movl	$OTHER_INT, %esi
	jmp	1b
	.balign 4
host_stub_server:
	.long	0
host_stub_ipc:
	.long	0
	.balign 4096
