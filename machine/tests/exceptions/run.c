/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running one case and showing what came of it: the exception, CPSR, fault registers, and every
 * register of every mode that is not what it was before.
 */
#include "guest.h"

#define FAR_BEFORE 0x0badfa10u

extern void enter(const u32 *state, const u32 *block, u32 launch);
extern const u32 vectors_start[], vectors_saved[];

const u32 modes[MODE_COUNT] = {USR, FIQ, IRQ, SVC, ABT, UND, SYS};

const char *mode_name(u32 mode) {
    switch (mode & 31u) {
    case USR:
        return "usr";
    case FIQ:
        return "fiq";
    case IRQ:
        return "irq";
    case SVC:
        return "svc";
    case ABT:
        return "abt";
    case UND:
        return "und";
    case SYS:
        return "sys";
    default:
        return "???";
    }
}

unsigned reg_word(u32 mode, unsigned reg) {
    if (reg >= 8 && mode == FIQ) {
        return W_FIQ + reg - 8;
    }
    if (reg >= 13) {
        switch (mode) {
        case SVC:
            return W_SVC + reg - 13;
        case ABT:
            return W_ABT + reg - 13;
        case UND:
            return W_UND + reg - 13;
        case IRQ:
            return W_IRQ + reg - 13;
        default:
            break;
        }
    }
    return reg;
}

unsigned spsr_word(u32 mode) {
    switch (mode) {
    case FIQ:
        return W_SPSR;
    case SVC:
        return W_SPSR + 1;
    case ABT:
        return W_SPSR + 2;
    case UND:
        return W_SPSR + 3;
    case IRQ:
        return W_SPSR + 4;
    default:
        return 0;
    }
}

/* Registers with values of their own; SPSRs that name User mode; interrupts masked. */
void prepare(struct run *run, u32 mode) {
    for (u32 i = 0; i < W_SPSR; i++) {
        run->word[i] = 0x5a000000u | i << 16 | (i * 5 + 1);
    }
    for (u32 i = W_SPSR; i < W_PC; i++) {
        run->word[i] = (i - W_SPSR + 1) << 28 | MASKED | USR;
    }
    run->word[W_PC] = CODE;
    run->word[W_CPSR] = mode | MASKED;
    run->count = 0;
    run->ignore = 0;
}

void add(struct run *run, u32 instruction) {
    run->code[run->count++] = instruction;
}

/* Puts the code in place, with a SWI after it, and runs it until an exception. */
void go(struct run *run) {
    volatile u32 *code = (volatile u32 *)(uintptr_t)ALIAS_OF(CODE);
    volatile u32 *block = (volatile u32 *)(uintptr_t)ALIAS_OF(BLOCK);
    volatile u32 *back = (volatile u32 *)(uintptr_t)ALIAS_OF(RETURN);
    const volatile u32 *saved =
        (const volatile u32 *)(uintptr_t)(VECTORS + 4u * (u32)(vectors_saved - vectors_start));
    u32 *out = (u32 *)&run->out;

    for (unsigned i = 0; i < run->count; i++) {
        code[i] = run->code[i];
    }
    code[run->count] = SWI_END;
    *back = SWI_END;
    for (unsigned i = 0; i < 8; i++) {
        block[i] = run->word[i];
    }
    block[8] = run->word[W_PC];
    sync();
    __asm__ volatile("mcr p15, 0, %0, c5, c0, 0\n\tmcr p15, 0, %1, c6, c0, 0"
                     :
                     : "r"(0), "r"(FAR_BEFORE)
                     : "memory");
    enter(run->word, (const u32 *)(uintptr_t)BLOCK, LAUNCH);
    for (unsigned i = 0; i < RESULT_SIZE / 4; i++) {
        out[i] = saved[i];
    }
    __asm__ volatile("mrc p15, 0, %0, c5, c0, 0\n\tmrc p15, 0, %1, c6, c0, 0"
                     : "=r"(run->out.fsr), "=r"(run->out.far)
                     :
                     : "memory");
}

static const char *const names[W_PC] = {
    "r0",      "r1",      "r2",       "r3",       "r4",       "r5",       "r6",
    "r7",      "r8",      "r9",       "r10",      "r11",      "r12",      "r13",
    "r14",     "r8_fiq",  "r9_fiq",   "r10_fiq",  "r11_fiq",  "r12_fiq",  "r13_fiq",
    "r14_fiq", "r13_svc", "r14_svc",  "r13_abt",  "r14_abt",  "r13_und",  "r14_und",
    "r13_irq", "r14_irq", "spsr_fiq", "spsr_svc", "spsr_abt", "spsr_und", "spsr_irq"};

static void value(u32 word) {
    if (word - CODE < 0x100) {
        text("code+");
        hex(word - CODE, 2);
    } else {
        hex(word, 8);
    }
}

/* The domain of a fault means something unless it is alignment, or a section's translation. */
static u32 shown_fsr(u32 fsr) {
    u32 status = fsr & 15u;
    return status == 1 || status == 3 || status == 5 ? status : fsr & 0xffu;
}

void show(const struct run *run) {
    static const char *const vectors[8] = {"reset",      "undefined", "swi", "prefetch-abort",
                                           "data-abort", "unused",    "irq", "fiq"};
    text(": ");
    text(vectors[run->out.vector & 7]);
    if (run->out.base) {
        text(" vectors=");
        hex(run->out.base, 8);
    }
    text(" cpsr=");
    /* Bit 8, "A", which QEMU sets on aborts, is not ARMv4's. */
    hex(run->out.word[W_CPSR] & ~0x100u, 8);
    if (run->out.fsr) {
        text(" fsr=");
        hex(shown_fsr(run->out.fsr), 2);
    }
    if (run->out.far != FAR_BEFORE) {
        text(" far=");
        hex(run->out.far, 8);
    }
    for (unsigned i = 0; i < W_PC; i++) {
        if (run->out.word[i] != run->word[i] && !(run->ignore >> i & 1)) {
            text(" ");
            text(names[i]);
            text("=");
            value(run->out.word[i]);
        }
    }
    text("\n");
}

u32 single(int load, int byte, int p, int up, int w, u32 rd, u32 rn, int by_register, u32 offset) {
    return 0xe4000000u | (u32)by_register << 25 | (u32)p << 24 | (u32)up << 23 | (u32)byte << 22 |
           (u32)w << 21 | (u32)load << 20 | rn << 16 | rd << 12 | offset;
}

/* kind: 1 unsigned halfword, 2 signed byte, 3 signed halfword */
u32 half(int load, int kind, int p, int up, int w, u32 rd, u32 rn, int by_register, u32 offset) {
    u32 field = by_register ? offset : 1u << 22 | (offset & 0xf0u) << 4 | (offset & 15u);
    return 0xe0000090u | (u32)kind << 5 | (u32)p << 24 | (u32)up << 23 | (u32)w << 21 |
           (u32)load << 20 | rn << 16 | rd << 12 | field;
}

u32 block(int load, int p, int up, int user, int w, u32 rn, u32 list) {
    return 0xe8000000u | (u32)p << 24 | (u32)up << 23 | (u32)user << 22 | (u32)w << 21 |
           (u32)load << 20 | rn << 16 | list;
}

u32 swap(int byte, u32 rd, u32 rm, u32 rn) {
    return 0xe1000090u | (u32)byte << 22 | rn << 16 | rd << 12 | rm;
}
