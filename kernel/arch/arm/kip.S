/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that every space sees as its KIP: data, written once at boot by kip.c, then the
 * system-call stubs. A stub only says which call it is: r12 is free (l4/arch/arm/binding.h), and
 * a number in a register spares the kernel from reading the SWI instruction through the data
 * cache. Each lies in a cache line of its own, Ipc after Ipc.
 */
#include "offsets.h"

#include <l4/syscall_list.h>

    .section .kip, "aw"
    .global kip_page
kip_page:
    .space  0x800

    .macro  stub name
    .subsection 1 + .Lsyscall_\name     @ in the order of their numbers
    .balign 32
    .global kip_stub_\name
kip_stub_\name:
    .ifc \name, lipc                    @ which one comparison tells from Ipc and all others (ipc_path.S)
    mvn     r12, #~LIPC_MARK
    .else
    mvn     r12, #.Lsyscall_\name
    .endif
    swi     #.Lsyscall_\name
    mov     pc, lr
    .endm

#define STUB(name, Name, number, word) stub name;
    L4_SYSTEM_CALLS(STUB)
    .subsection 1 + L4_SYSTEM_CALL_COUNT
    .balign 4096
