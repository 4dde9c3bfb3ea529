/* SPDX-License-Identifier: Apache-2.0 */
/* The ways into the kernel, open: SYSENTER, interrupts, a call gate, the timer. Sections of SDM
 * vol. 3. */
#include "../os/bare_ia32.h"
#include "p4.h"

/* SYSENTER's registers (4.8.7). */
#define SYSENTER_CS  0x174
#define SYSENTER_ESP 0x175
#define SYSENTER_EIP 0x176

/* The first interrupt controller (Intel 231468): four words of initialisation, and its mask. */
#define PIC               0x20
#define PIC_MASK          0x21
#define ICW1              0x11 /* edges, with a second controller, and ICW4 */
#define ICW3              0x04 /* that one is at input 2 */
#define ICW4              0x03 /* vectors of an 8086; interrupts end by themselves */
#define ALL_BUT_THE_TIMER 0xfe

/* A data segment of all memory, for level 3. */
#define FLAT 0x00cff3000000ffffu

static uint32_t stack[64];

static void write_msr(uint32_t number, uint32_t value) {
    __asm__ volatile("wrmsr" : : "c"(number), "a"(value), "d"(0));
}

void p4_levels(void) {
    write_msr(SYSENTER_CS, BARE_KERNEL_CODE);
    write_msr(SYSENTER_ESP, (uint32_t)(stack + 64));
    write_msr(SYSENTER_EIP, (uint32_t)p4_sysenter_entry);

    bare_gdt[GATE] = bare_gate(BARE_CALL_GATE, p4_return_far, 3);
    bare_gdt[SEGMENT] = bare_gdt[SEGMENT + 1] = FLAT;
    bare_handle(VECTOR_CALL, bare_gate(BARE_INTERRUPT_GATE, p4_return, 3));
    bare_handle(VECTOR_STAMP, bare_gate(BARE_INTERRUPT_GATE, p4_stamp, 3));
    bare_handle(VECTOR_DONE, bare_gate(BARE_INTERRUPT_GATE, p4_done, 3));
    bare_handle(VECTOR_TIMER, bare_gate(BARE_INTERRUPT_GATE, p4_stamp, 0));

    bare_out(PIC, ICW1);
    bare_out(PIC_MASK, VECTOR_TIMER);
    bare_out(PIC_MASK, ICW3);
    bare_out(PIC_MASK, ICW4);
    bare_out(PIC_MASK, ALL_BUT_THE_TIMER);
}
