/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page fault's short way: from the abort to the pager's first instruction after its Ipc, and
 * from its answer back to the instruction that faulted. First every check, then a commit that cannot
 * fail; what does not fit goes through arch/arm/fault.c and ipc.c, and comes to the same. What this rests on
 * is said in ipc_path.S; docs/ipc-path.md counts the cycles of each step.
 *
 * A load or store that finds nothing mapped in a page table that exists is the program's fault,
 * whatever of that table the scheme has loaded: so neither it nor the mapping database is asked. The
 * place is noted (ptab_fault_slot), for the answer is likely to be for it.
 */
#include "layout.h"
#include "path_asm.h"

#define STATUS_ONE     0x1  /* set in all of translation, domain and permission faults ... */
#define STATUS_OTHERS  0xc  /* ... and one of these; neither in alignment's (ARM ARM B3.6.1) */
#define ENTRY_TYPE     0x3  /* of the directory's entry (ptab_entry.h) */
#define ENTRY_TABLE    0x1
#define TABLE_FLAGS    0x3ff
#define UNCACHED       (HEAP_UNCACHED_VA - HEAP_PA)
#define CPSR_THUMB     0x20
#define INSN_GROUP     0x0c000000
#define INSN_LDR_STR   0x04000000
#define INSN_LOAD      0x00100000
#define ITEM_TYPE      0xe /* map, whatever follows; or grant, or a string */
#define ITEM_MAP       0x8
#define FPAGE_SIZE     0x3f0
#define FPAGE_4K       (12 << 4)

    .section .text.paths, "ax"
    .balign 32

/*
 * From entry.S: all registers are saved in r0, the TCB.
 *
 * r8 space, r10 the place in the page table; the message: r3 tag, r4 address, r5 pc.
 */
    .global fault_path_data
fault_path_data:
    mrc     p15, 0, r1, c5, c0, 0       @ status
    mrc     p15, 0, r4, c6, c0, 0       @ address
    ldr     r8, [r0, #TCB_SPACE]
    ldr     r5, [r0, #TCB_PC]
    switch_fault_va r8, r4, r2
    ldr     r2, [r8, #SPACE_TABLE_SECTION]
    ldr     r10, [r8, #SPACE_TABLE]
    teq     r2, r4, lsr #20
    mov     r2, #0x3fc
    bne     .Ldirectory
.Ltable:
    and     r2, r2, r4, lsr #10
    ldr     r2, [r10, r2]!              @ from memory
    /* Nothing is there, the space is not sigma0, the status is as it should be, ARM state. */
    ldrb    r3, [r8, #SPACE_IS_SIGMA0]
    ldr     r9, [r0, #TCB_CPSR]
    mvn     r6, r1
    and     r6, r6, #STATUS_ONE
    and     r9, r9, #CPSR_THUMB
    orr     r2, r2, r3
    orr     r6, r6, r9
    orrs    r2, r2, r6
    bne     .Ldata
    tst     r1, #STATUS_OTHERS
    beq     .Ldata
    mov     r9, r4, lsr #12
    ldr     r12, =ptab_fault_slot
    mov     r9, r9, lsl #12
    stmia   r12, {r8, r9, r10}
    /* Did it mean to read or to write? LDR and STR tell by one bit. */
    mov     r6, #0
    .global fault_path_load
fault_path_load:
    ldr     r6, [r5]                    @ left out if there is no such page (fault_kernel)
    mov     r3, #2
    orr     r3, r3, #PAGEFAULT_TAG & 0xff000000
    and     r2, r6, #INSN_GROUP
    orr     r3, r3, #PAGEFAULT_TAG & 0x00ff0000
    teq     r2, #INSN_LDR_STR
    bne     .Ldata
    tst     r6, #INSN_LOAD
    orrne   r3, r3, #PAGEFAULT_READ
    orreq   r3, r3, #PAGEFAULT_WRITE
    add     r6, r0, #TCB_KMSG
    stmia   r6, {r3, r4, r5}

/* The message to the pager, if it waits for that: r0, r3 to r5. */
.Lsend:
    ldr     r8, [r0, #TCB_UTCB]
    ldr     r11, [r0, #TCB_ID]
    ldr     r8, [r8, #L4_UTCB_PAGER]
    mov     r6, #KIND_PAGEFAULT_ASM
    thread_of r9, r8
    ldr     r2, [r9, #TCB_WAIT_FOR]
    ldr     r7, [r9, #TCB_ID]
    ldr     r10, [r9, #TCB_SCHED]
    ldr     r12, [sp, #HOT_READY_CHECK]
    if_waits_for r2, r11
    teqeq   r7, r8
    sub     r10, r10, r12
    and_ready r10
    bne     .Lwait
.Lto_pager:
    ldr     r12, [r9, #TCB_SPACE]
    teq     r9, r9
    switch_begin r12, r10, lr
    bne     .Lprepare

    /* ---- commit ---- */
    strb    r6, [r0, #TCB_KIND]
    str     r8, [r0, #TCB_WAIT_FOR]
    str     r9, [sp, #HOT_CURRENT]
    str     r12, [sp, #HOT_SPACE]
    str     r9, [r9, #TCB_WAIT_FOR]
    switch_finish r10, lr
    switch_done r12
    mov     r0, r11
    mov     r6, #0                      @ the faulter's registers are its own affair
    mov     r7, #0
    b       ipc_path_leave

.Lprepare:
    stmfd   sp!, {r0, r3}
    ldr     r0, [r0, #TCB_SPACE]
    str     r0, [sp, #8 + HOT_SPACE]
    mov     r0, r12
    bl      switch_prepare
    ldmfd   sp!, {r0, r3}
    b       .Lto_pager

/* Another megabyte than the last time: the directory tells its table, again from memory. */
.Ldirectory:
    cmp     r4, #KERNEL_AREA
    bhs     .Ldata
    ldr     r10, [r8, #SPACE_DIRECTORY]
    mov     r3, r4, lsr #20
    ldr     r10, [r10, r3, lsl #2]
    and     r6, r10, #ENTRY_TYPE
    bic     r10, r10, #TABLE_FLAGS & ~0xff
    bic     r10, r10, #TABLE_FLAGS & 0xff
    teq     r6, #ENTRY_TABLE
    bne     .Ldata
    add     r10, r10, #UNCACHED & 0xff000000
    add     r10, r10, #UNCACHED & 0x00ff0000
    str     r3, [r8, #SPACE_TABLE_SECTION]
    str     r10, [r8, #SPACE_TABLE]
    b       .Ltable

/* From entry.S, likewise. */
    .global fault_path_prefetch
fault_path_prefetch:
    mov     r1, #STATE_READY_ASM
    strb    r1, [r0, #TCB_STATE]
    bl      fault_prefetch
    b       1f

/* (Status and address are another fault's if reading the instruction has faulted.) */
.Ldata:
    mov     r3, #STATE_READY_ASM
    mov     r2, r4
    strb    r3, [r0, #TCB_STATE]
    bl      fault_data
1:  cmp     r0, #FAULT_RESUME_ASM
    blo     kernel_exit
    ldr     r0, [sp, #HOT_CURRENT]
    beq     resume_current
    mov     r1, #STATE_RECEIVING_ASM
    strb    r1, [r0, #TCB_STATE]
    add     r6, r0, #TCB_KMSG
    ldmia   r6, {r3, r4, r5}
    b       .Lsend

.Lwait:
    mov     r2, #STATE_READY_ASM
    strb    r2, [r0, #TCB_STATE]
    bl      fault_send
    b       kernel_exit

/*
 * From ipc_path.S: one typed item of two words and nothing else, r0 to r11 as there. If it is for a
 * thread that waits for just this, and nobody is more important, and who answers then waits for that
 * thread again or for anybody while nobody is in the queue, it maps, and the other goes on.
 */
    .global fault_path_answer
fault_path_answer:
    ldr     r10, [r9, #TCB_WAIT_FOR]
    ldr     r12, [r9, #TCB_ID]
    teq     r10, r11
    ldr     r10, [r9, #TCB_SCHED]
    teqeq   r12, r0
    ldr     r12, [sp, #HOT_READY_CHECK]
    and_for_ever lr, r2
    sub     r10, r10, #KIND_PAGEFAULT_ASM << 16
    sub     r10, r10, r12
    ldr     r12, [r8, #TCB_WAIT_OPEN]
    and_ready r10
    bne     ipc_path_slow
    teq     r1, r0
    teqne   r1, r12
    and     r10, r4, #ITEM_TYPE
    bne     ipc_path_slow
    and     r12, r5, #FPAGE_SIZE
    teq     r10, #ITEM_MAP
    teqeq   r12, #FPAGE_4K
    bne     .Lother
    stmfd   sp!, {r0-r3}
    mov     r1, r5
    mov     r2, r9
    ldr     r0, [r8, #TCB_SPACE]
    mov     r3, r4
    str     r0, [sp, #16 + HOT_SPACE]
    bl      mapdb_answer
    teq     r0, #0
    ldmfd   sp!, {r0-r3}
    beq     .Lother
.Lanswered:
    mov     r2, #0                      @ KIND_USER
    str     r1, [r8, #TCB_WAIT_FOR]
    strb    r2, [r9, #TCB_KIND]
    str     r9, [sp, #HOT_CURRENT]
    str     r9, [r9, #TCB_WAIT_FOR]     @ for nobody (ipc_path.S)
.Lback:
    ldr     r12, [r9, #TCB_SPACE]
    teq     r9, r9
    switch_begin r12, r10, lr
    bne     .Lprepare_back
    str     r12, [sp, #HOT_SPACE]
    switch_finish r10, lr
    switch_done r12
    ldr     r1, [r9, #TCB_UTCB]
    ldr     r0, [r9, #TCB_CPSR]
    mov     r2, #L4_ARM_UTCB_POINTER
    str     r1, [r2]
    switch_exit_hook
    add     lr, r9, #TCB_R0
    msr     spsr_cxsf, r0
    load_user_bank r9
    leave_frame

.Lprepare_back:
    mov     r0, r12
    bl      switch_prepare
    b       .Lback

/* Another size, a grant, memory that is not RAM, ... */
.Lother:
    add     r10, r8, #TCB_R0
    stmia   r10, {r0-r7}
    mov     r0, r8
    mov     r1, r9
    bl      ipc_answer_fault
    teq     r0, #0
    beq     ipc_path_slow_saved
    ldr     r1, [r8, #TCB_R0 + 4]
    b       .Lanswered
