/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of main.c, each called as p4_NAME(times, from): EBP counts the turns, ESI is `from`. The
 * other registers are free.
 */
#include "../os/bare_ia32.h"
#include "p4.h"

/* A shift register of 32 bits, taps 32, 22, 2, 1 (Galois): no bit comes again for long. */
#define TAPS 0x80200003

    .macro  begin name
    .text
    .p2align 6
    .global p4_\name
p4_\name:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    movl    20(%esp), %ebp
    movl    24(%esp), %esi
    .endm

    .macro  turn
    .p2align 4
1:
    .endm

    .macro  end
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret
    .endm

    .macro  finish
    decl    %ebp
    jnz     1b
    end
    .endm

    /* A step that is `times` times the same. */
    .macro  simple name, times, step:vararg
    begin   \name
    xorl    %eax, %eax
    turn
    .rept   \times
    \step
    .endr
    finish
    .endm

    begin   empty
    turn
    finish

    /* ---- instructions, everything in registers and in the first cache ---- */

    begin   add
    turn
    .rept   UNROLLED / 6
    addl    $1, %eax
    addl    $1, %ebx
    addl    $1, %ecx
    addl    $1, %edx
    addl    $1, %edi
    addl    $1, %esi
    .endr
    finish

    simple  add_dependent,  UNROLLED, addl %ebx, %eax
    simple  load,           UNROLLED, movl (%esi), %eax
    simple  store,          UNROLLED, movl %eax, (%esi)

    /* A branch by the lowest bit of a shift register, which stays 0 where it begins so. */
    .macro  branch name, seed
    begin   \name
    movl    $\seed, %eax
    turn
    shrl    $1, %eax
    sbbl    %edx, %edx
    andl    $TAPS, %edx
    xorl    %edx, %eax
    testl   $1, %eax
    jz      2f
    nop
2:
    finish
    .endm
    branch  branch_predictable, 0
    branch  branch_random, 1

    simple  lock_xadd,      1, lock xaddl %eax, (%esi)
    simple  rdtsc,          1, rdtsc
    begin   cpuid
    turn
    xorl    %eax, %eax
    cpuid
    finish

    /* ---- ports, the TLBs and caches ---- */

    simple  in_80,          1, inb $0x80, %al
    simple  in_61,          1, inb $0x61, %al
    simple  invlpg,         1, invlpg (%esi)
    simple  wbinvd,         1, wbinvd

    .macro  with_cr3 name
    begin   \name
    movl    %cr3, %eax
    turn
    movl    %eax, %cr3
    finish
    .endm
    with_cr3 cr3_load
    with_cr3 cr3_load_global

    begin   toggle_pge
    movl    %cr4, %eax
    movl    %eax, %edx
    xorl    $CR4_PGE, %edx
    turn
    movl    %edx, %cr4
    movl    %eax, %cr4
    finish

    /* `from` is code that begins with this instruction; half a page further there is none. */
    begin   self_modifying
    turn
    movb    $0x90, (%esi)
    call    *%esi
    finish
    begin   store_and_call
    turn
    movb    $0x90, 2048(%esi)
    call    *%esi
    finish

    /* ---- segment registers ---- */

    .macro  segment name, selector
    begin   load_\name
    movl    $\selector, %eax
    turn
    .rept   16
    movl    %eax, %\name
    .endr
    finish
    .endm
    segment ds, BARE_USER_DATA
    segment es, BARE_USER_DATA
    segment fs, BARE_USER_DATA
    segment gs, BARE_USER_DATA
    segment ss, BARE_KERNEL_DATA

    /* What a switch between small spaces does: it writes the descriptors of the next program's code
     * and data, and loads ES, FS and GS. (A data segment at 0 for both: nothing goes through it.) */
    begin   switch_segments
    movl    $0x0000ffff, %ebx
    movl    $0x00cff300, %edx
    movl    $SELECTOR(SEGMENT), %ecx
    movl    $SELECTOR(SEGMENT + 1), %edi
    turn
    movl    %ebx, bare_gdt + SEGMENT * 8
    movl    %edx, bare_gdt + SEGMENT * 8 + 4
    movl    %ebx, bare_gdt + SEGMENT * 8 + 8
    movl    %edx, bare_gdt + SEGMENT * 8 + 12
    movl    %edi, %es
    movl    %edi, %fs
    movl    %ecx, %gs
    decl    %ebp
    jnz     1b
    movl    $BARE_USER_DATA, %eax
    movl    %eax, %es
    movl    %eax, %fs
    movl    %eax, %gs
    end

    /* ---- memory ---- */

    begin   chase
    turn
    .rept   CHAIN
    movl    (%esi), %esi
    .endr
    finish

    .macro  chases name, before:vararg
    begin   \name
    movl    p4_count, %edi
    movl    %cr3, %eax
    turn
    \before
    movl    %edi, %edx
2:  movl    (%esi), %esi
    decl    %edx
    jnz     2b
    finish
    .endm
    chases  chase_again
    chases  cr3_chase, movl %eax, %cr3

    .macro  calls name, before:vararg
    begin   \name
    movl    %cr3, %eax
    turn
    \before
    call    *%esi
    finish
    .endm
    calls   call
    calls   cr3_call, movl %eax, %cr3

    begin   store_through
    movl    p4_count, %edi
    decl    %edi
    xorl    %edx, %edx
    turn
    leal    (%esi, %edx), %ecx
    .set    at, 0
    .rept   STORES
    movl    %eax, at(%ecx)
    .set    at, at + 4
    .endr
    addl    $64, %edx
    andl    %edi, %edx
    finish

    .bss
    .p2align 2
    .global p4_count
p4_count:
    .space  4
