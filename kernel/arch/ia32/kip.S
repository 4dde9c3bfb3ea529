/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that every space sees as its KIP: data, written once at boot by kip.c, then the
 * system-call stubs. A stub tells the kernel by EBX which call it is and by EBP where the program's
 * stack is; the kernel goes on at KIP_RETURN. So a stub returns as it was called, and the
 * processor's stack of return addresses stays right. Calls that need EBX and EBP for
 * arguments come by INT.
 */
#include "offsets.h"
#include "segments.h"

#include <l4/syscall_list.h>

    .section .kip, "awx"
    .global kip_page
kip_page:
    .space  KIP_RETURN
    ret

    .macro  stub name
    .balign 16
    .global kip_stub_\name
kip_stub_\name:
    .ifc \name, exchange_registers
    int     $VECTOR_EXREGS
    ret
    .else
    .ifc \name, memory_control
    int     $VECTOR_MEMORY
    ret
    .else
    movl    $.Lsyscall_\name, %ebx
    movl    %esp, %ebp
    sysenter
    .endif
    .endif
    .endm

#define STUB(name, Name, number, word) stub name;
    L4_SYSTEM_CALLS(STUB)
    .balign 4096
