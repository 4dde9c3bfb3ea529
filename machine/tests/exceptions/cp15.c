/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CP15 registers that read back what was written, and the process ID (SA-1110 DM 5.2): addresses
 * below 32 MB are relocated, for data and for instructions; the vectors too, so these cases use the
 * high ones. FAR holds the relocated address on the SA-1110 and the original one in QEMU: either is
 * shown as the original.
 */
#include "guest.h"

#define PID 0x06000000u
#define LOW 0x00100000u

static void value(const char *name, u32 word) {
    text("cp15 ");
    text(name);
    text(" ");
    hex(word, 8);
    text("\n");
}

static void registers(void) {
    static const u32 bits[] = {CONTROL_A, CONTROL_S, CONTROL_R, CONTROL_V, CONTROL_A | CONTROL_R};
    u32 word;

    __asm__ volatile("mrc p15, 0, %0, c0, c0, 0" : "=r"(word));
    value("id without revision", word & ~15u);
    for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        set_control(bits[i]);
        word = get_control() & (CONTROL_A | CONTROL_S | CONTROL_R | CONTROL_V | 1u);
        set_control(0);
        value("control", word);
    }
    __asm__ volatile("mrc p15, 0, %0, c2, c0, 0" : "=r"(word));
    value("ttb", word);
    set_dacr(0xb1e4d300u | DACR_BASE);
    __asm__ volatile("mrc p15, 0, %0, c3, c0, 0" : "=r"(word));
    value("dacr", word);
    set_dacr(DACR_BASE);
    __asm__ volatile("mcr p15, 0, %1, c5, c0, 0\n\tmrc p15, 0, %0, c5, c0, 0"
                     : "=r"(word)
                     : "r"(0xa7));
    value("fsr", word);
    __asm__ volatile("mcr p15, 0, %1, c6, c0, 0\n\tmrc p15, 0, %0, c6, c0, 0"
                     : "=r"(word)
                     : "r"(0x12345678));
    value("far", word);
    /* mrc p15, 0, pc, c6, c0, 0 sets the flags (ARM ARM A4.1.37). */
    for (u32 flags = 0; flags < 16; flags++) {
        u32 cpsr;
        __asm__ volatile("mcr p15, 0, %1, c6, c0, 0\n\t.word 0xee16ff10\n\tmrs %0, cpsr"
                         : "=r"(cpsr)
                         : "r"(flags << 28 | 0xfffffff)
                         : "cc");
        value("mrc to flags", cpsr >> 28);
    }
}

static void relocated(const char *name, u32 pid, u32 mode, u32 instruction, u32 address) {
    struct run run;

    prepare(&run, mode);
    run.word[5] = address;
    add(&run, instruction);
    set_pid(pid);
    go(&run);
    set_pid(0);
    if (run.out.vector == V_DATA && address < 0x02000000u && (run.out.far & 0xfe000000u) == pid) {
        run.out.far &= 0x01ffffffu;
    }
    text("pid ");
    hex(pid, 8);
    text(" ");
    text(name);
    text(" ");
    hex(address, 8);
    show(&run);
}

static void process_id(void) {
    volatile u32 *target = (volatile u32 *)(uintptr_t)ALIAS_OF(TARGET_PA);
    static const u32 pids[] = {PID, 0x7e000000u, 0x02000000u, 0};
    u32 word;

    for (unsigned i = 0; i < 0x1000 / 4; i++) {
        target[i] = SWI_END;
    }
    set_control(CONTROL_V);
    for (unsigned i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
        set_pid(pids[i]);
        __asm__ volatile("mrc p15, 0, %0, c13, c0, 0" : "=r"(word));
        set_pid(0);
        value("pid", word);
    }
    set_section(PID | LOW, section(TARGET_PA, 1, 3, window_attributes));
    for (unsigned i = 0; i < 4; i += 3) { /* with and without relocation */
        u32 ldr = single(1, 0, 1, 1, 0, 1, 5, 0, 0), str = single(0, 0, 1, 1, 0, 1, 5, 0, 4);

        relocated("load", pids[i], USR, ldr, LOW + 0x340);
        relocated("load", pids[i], USR, ldr, (PID | LOW) + 0x340);
        relocated("store", pids[i], IRQ, str, LOW + 0x340);
        relocated("execute", pids[i], USR, MOV_PC(5), LOW + 0x340);
        relocated("execute", pids[i], SYS, MOV_PC(5), (PID | LOW) + 0x340);
        relocated("load", pids[i], USR, ldr, LOW + 0x100000);
        relocated("store", pids[i], FIQ, str, LOW + 0x100000 - 4);
        relocated("execute", pids[i], USR, MOV_PC(5), LOW + 0x100000);
        relocated("load", pids[i], USR, ldr, 0x01fffffcu);
        relocated("load", pids[i], USR, ldr, 0x02000000u);
        relocated("execute", pids[i], ABT, MOV_PC(5), 0x02000000u);
    }
    set_section(PID | LOW, section(TARGET_PA, 1, 0, window_attributes));
    relocated("denied", PID, USR, single(1, 0, 1, 1, 1, 1, 5, 0, 8), LOW + 0x340 - 8);
    set_section(PID | LOW, 0);
    set_control(0);
}

void cp15_cases(void) {
    registers();
    process_id();
}
