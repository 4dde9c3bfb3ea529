/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page that each program has at HOST_STUB: the emulation library of the paper. A system call, INT 80h, is
 * reflected to it by the kernel (software_interrupt.h); it puts the registers into the shared page, sends an empty
 * message to the server and loads the registers that are there when the answer comes. stub_capture does the same
 * for a thread that the server has stopped somewhere: the server knows the address.
 *
 * A program with thread-local storage has a segment of its own in GS (own_segment.h), which the kernel loads
 * whenever the thread goes on.
 *
 * In the shared page: stack pointer, instruction pointer, error code of another INT, base of the segment; then what
 * PUSHA and PUSHF leave, at the end of 64 bytes. Further on what is to be done with the floating-point unit, and its
 * registers, to be saved and to be loaded.
 */
#include <binding.h>

#include "shared_fpu.h"

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
#define SHARED_FPU  (HOST_SHARED + HOST_FPU)
#define SHARED_SAVED (HOST_SHARED + HOST_FPU_SAVED)
#define SHARED_LOADED (HOST_SHARED + HOST_FPU_LOADED)
#define NO_WORDS   0x00010000 /* tags: labels 1 and 2 */
#define OTHER_INT  0x00020000
#define INT_SIZE   2
#define CODE_OF_CALL (0x80 * 8 + 2)


/* The registers of the program go into the shared page. */
	.macro	save
	movl	%esp, SHARED_SP
	movl	$SHARED_TOP, %esp
	pushfl
	pushal
	.endm

	.section .rodata
	.balign 4096
	.global host_stub, host_stub_server, host_stub_ipc, host_stub_start, host_stub_capture
	.global host_stub_again, host_stub_answered, host_stub_own, host_stub_fpu
host_stub:
	/* The thread's first instructions: it names the handlers, then it is at the server's disposal. */
host_stub_start:
	movl	AT(host_stub_server), %eax
	movl	%eax, HOST_UTCB + L4_UTCB_EXCEPTION_HANDLER
	movl	$AT(system_call), HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
	movl	$1, HOST_UTCB + L4_IA32_UTCB_FIRST_FPU_USE
	jmp	host_stub_capture

	/* Registers of the floating-point unit come into the shared page, out of it, or both. (An exception that is
	 * pending in the unit would be raised by FRSTOR.) */
host_stub_fpu:
	movl	$0, HOST_UTCB + L4_IA32_UTCB_FIRST_FPU_USE
	testl	$HOST_FPU_SAVE, SHARED_FPU
	jz	1f
	fnsave	SHARED_SAVED
1:	testl	$HOST_FPU_LOAD, SHARED_FPU
	jz	host_stub_capture
	fninit
	frstor	SHARED_LOADED
	jmp	host_stub_capture

	/* It gets its segment, or another base for it: by an INT, which it must not handle itself. */
host_stub_own:
	movl	$0, HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
	movl	SHARED_BASE, %ecx
	movl	$1, %eax
	int	$L4_IA32_OWN_CALL
	movl	$AT(system_call), HOST_UTCB + L4_IA32_UTCB_INT_HANDLER
host_stub_capture:
	save
	jmp	host_stub_again

	/* An INT that is no system call: an exception, which the server answers by other registers. */
other:
	movl	%ecx, SHARED_IP
	movl	%esi, SHARED_CODE
	movl	$OTHER_INT, %esi
	jmp	send

	.balign 16
system_call:
	save
	movl	HOST_UTCB + L4_IA32_UTCB_INT_IP, %ecx
	movl	HOST_UTCB + L4_IA32_UTCB_INT_CODE, %esi
	cmpl	$CODE_OF_CALL, %esi
	jne	other
	addl	$INT_SIZE, %ecx
	movl	%ecx, SHARED_IP
host_stub_again:
	movl	$NO_WORDS, %esi
send:
	movl	AT(host_stub_server), %eax
	movl	%eax, %edx
	xorl	%ecx, %ecx
	movl	$HOST_UTCB, %edi
	cld
	call	*AT(host_stub_ipc)
	/* The answer has come (task.c knows: what is behind this). */
host_stub_answered:
	popal
	popfl
	movl	SHARED_SP, %esp
	jmp	*SHARED_IP

	.balign 4
host_stub_server:
	.long	0
host_stub_ipc:
	.long	0
	.balign 4096
