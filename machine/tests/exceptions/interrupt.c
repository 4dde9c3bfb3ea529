/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IRQ and FIQ by the OS timer, routed by the interrupt controller (SA-1110 DM 9.2, 9.4). The
 * interrupt is pending before the case starts, with both masks set; the case opens them by MSR or
 * by a return from an exception, and is interrupted before the next instruction.
 */
#include "guest.h"

#define OSMR(n)   0x90000000u + 4u * (n)
#define OSCR      0x90000010u
#define OSSR      0x90000014u
#define OIER      0x9000001cu
#define ICIP      0x90050000u
#define ICMR      0x90050004u
#define ICLR      0x90050008u
#define ICFP      0x90050010u
#define ICPR      0x90050020u
#define SOURCE(n) (1u << (26 + (n)))

static volatile u32 *reg(u32 address) {
    return (volatile u32 *)(uintptr_t)address;
}

/* Timer match 0 raises IRQ, match 1 FIQ; bits of `which` say which of them. */
static void raise(u32 which) {
    *reg(OSSR) = 15;
    *reg(ICLR) = SOURCE(1);
    *reg(ICMR) = 0;
    *reg(OIER) = which;
    while ((*reg(ICPR) >> 26 & which) != which) {
        /* An emulator that follows the host's clock may be late: then match again. */
        u32 start = *reg(OSCR);
        *reg(OSMR(0)) = start + 400;
        *reg(OSMR(1)) = start + 400;
        while (*reg(OSCR) - start < 800) {
        }
    }
    *reg(ICMR) = which << 26;
}

static void quiet(void) {
    *reg(ICMR) = 0;
    *reg(OIER) = 0;
    *reg(OSSR) = 15;
}

static const char *const names[4] = {"none", "irq", "fiq", "both"};

static void opened(u32 which, u32 mode, u32 masks, unsigned form) {
    static const char *const forms[3] = {" msr", " movs", " ldm^"};
    struct run run;
    u32 pending[2];

    prepare(&run, mode);
    if (form == 0) {
        run.word[1] = mode | masks;
        add(&run, MSR_CPSR_C(1));
    } else {
        run.word[spsr_word(mode)] = 0x90000000u | masks | USR;
        run.word[reg_word(mode, 14)] = RETURN;
        run.word[5] = SCRATCH;
        *(volatile u32 *)(uintptr_t)ALIAS_OF(SCRATCH) = RETURN;
        add(&run, form == 1 ? 0xe1b0f00eu : 0xe8d58000u);
    }
    raise(which);
    pending[0] = *reg(ICIP);
    pending[1] = *reg(ICFP);
    go(&run);
    quiet();
    text("interrupt ");
    text(names[which]);
    text(forms[form]);
    text(masks & BIT_I ? " I" : " -");
    text(masks & BIT_F ? "F " : "- ");
    text(mode_name(mode));
    text(" icip=");
    hex(pending[0], 8);
    text(" icfp=");
    hex(pending[1], 8);
    show(&run);
}

void interrupt_cases(void) {
    static const u32 masks[4] = {0, BIT_I, BIT_F, MASKED};

    for (u32 which = 0; which < 4; which++) {
        for (unsigned m = 1; m < MODE_COUNT; m++) {
            for (unsigned i = 0; i < 4; i++) {
                for (unsigned form = 0; form < 3; form++) {
                    if (form == 0 || spsr_word(modes[m])) {
                        opened(which, modes[m], masks[i], form);
                    }
                }
            }
        }
    }
    set_control(CONTROL_V);
    opened(1, SVC, 0, 0);
    opened(2, SVC, 0, 0);
    set_control(0);
}
