/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw.h. The stubs of Ipc and Lipc keep ra, sp, gp and tp, others all but their results and t0.
 */
#include <binding.h>
#include <l4/syscall_list.h>

#define FRAME 112 /* ra, s0 to s11, one word more */

    .macro  function name
    .global \name
    .type   \name, %function
    .balign 64
\name:
    .endm

    .macro  stub name
    function raw_stub_\name
    lla     a0, l4_syscalls + (.Lkip_\name - L4_KIP_SYSTEM_CALLS) * 2
    ld      a0, (a0)
    ret
    .endm

    .macro  callee_saved op
    \op     ra, 0(sp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \op     s\n, 8 + 8 * \n(sp)
    .endr
    .endm

    /* Answers with the words that came, for ever. */
    .macro  echo from
    addi    sp, sp, -16
    sd      a0, (sp)
    li      a0, 0                       # first nothing is sent
1:  li      a1, \from
    li      a2, 0
    ld      t1, (sp)
    jalr    t1
    li      t1, ~0xfc0
    and     a3, a3, t1                  # no typed items back
    j       1b
    .endm

    .text
    stub    ipc
    stub    lipc
    stub    thread_switch
    stub    system_clock

    function raw_call
    addi    sp, sp, -FRAME
    callee_saved sd
    mv      t1, a2
    mv      a3, a1
    mv      a1, a0
    li      a2, 0                       # both timeouts never
    ld      a4, L4_UTCB_MR + 8(tp)
    ld      a5, L4_UTCB_MR + 16(tp)
    ld      a6, L4_UTCB_MR + 24(tp)
    ld      a7, L4_UTCB_MR + 32(tp)
    jalr    t1
    mv      a0, a3
    callee_saved ld
    addi    sp, sp, FRAME
    ret

    function raw_syscall
    mv      t1, a1
    jr      t1

    function raw_echo
    echo    -1                          # from any

    function raw_local_echo
    echo    ~0x3f                       # from any local thread

    function raw_yield
    mv      s0, a0
    mv      s1, a1
1:  mv      a0, s0
    jalr    s1
    j       1b

    function raw_pager
    addi    sp, sp, -16
    sd      a0, (sp)
    sd      a1, 8(sp)
    li      a0, 0
1:  li      a1, -1
    li      a2, 0
    ld      t1, 8(sp)
    jalr    t1
    li      a3, 2 << 6                  # one map item: send base (the fault's page), fpage
    srli    a4, a4, 12
    slli    a4, a4, 12
    ori     a4, a4, 8
    ld      a5, (sp)
    li      t1, 0xf000
    and     t1, t1, a4
    add     a5, a5, t1
    j       1b
