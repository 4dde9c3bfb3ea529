/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Returns from exceptions by each form, changes of mode by MSR, and the user-bank transfers: which
 * registers and PSRs they touch. Every case ends at a SWI, whose SPSR shows what CPSR had become.
 */
#include "guest.h"

static volatile u32 *scratch(void) {
    return (volatile u32 *)(uintptr_t)ALIAS_OF(SCRATCH);
}

enum form { MOVS, SUBS4, SUBS8, LDM_POP, LDM_BASE, LDM_MANY, FORMS };
static const char *const form_names[FORMS] = {"movs pc,lr",        "subs pc,lr,#4",
                                              "subs pc,lr,#8",     "ldmia sp!,{r0,pc}^",
                                              "ldmdb r5,{r2,pc}^", "ldmib r5!,{r0-r4,r6-r12,pc}^"};

static void returns(void) {
    struct run run;

    for (unsigned m = 0; m < MODE_COUNT; m++) {
        u32 from = modes[m];
        if (!spsr_word(from)) {
            continue;
        }
        for (unsigned t = 0; t < MODE_COUNT; t++) {
            for (unsigned form = 0; form < FORMS; form++) {
                prepare(&run, from);
                for (unsigned i = 0; i < 16; i++) {
                    scratch()[i] = 0xc0de0000u + i;
                }
                run.word[spsr_word(from)] = ((t + form) & 15) << 28 | MASKED | modes[t];
                u32 *lr = &run.word[reg_word(from, 14)];
                switch (form) {
                case MOVS:
                    *lr = RETURN;
                    add(&run, 0xe1b0f00eu);
                    break;
                case SUBS4:
                    *lr = RETURN + 4;
                    add(&run, 0xe25ef004u);
                    break;
                case SUBS8:
                    *lr = RETURN + 8;
                    add(&run, 0xe25ef008u);
                    break;
                case LDM_POP:
                    run.word[reg_word(from, 13)] = SCRATCH;
                    scratch()[1] = RETURN;
                    add(&run, 0xe8fd8001u);
                    break;
                case LDM_BASE:
                    run.word[5] = SCRATCH + 0x20;
                    scratch()[7] = RETURN;
                    add(&run, 0xe9558004u);
                    break;
                default:
                    run.word[5] = SCRATCH - 4;
                    scratch()[12] = RETURN;
                    add(&run, 0xe9f59fdfu);
                    break;
                }
                go(&run);
                text("return ");
                text(form_names[form]);
                text(" ");
                text(mode_name(from));
                text(" to ");
                text(mode_name(modes[t]));
                show(&run);
            }
        }
    }
}

/* MSR of the control field, of all fields, from every mode to every mode; User mode cannot. */
static void mode_changes(void) {
    struct run run;

    for (unsigned m = 0; m < MODE_COUNT; m++) {
        for (unsigned t = 0; t < MODE_COUNT; t++) {
            for (u32 fields = 1; fields < 16; fields += 7) { /* c, f, all */
                prepare(&run, modes[m]);
                run.word[W_CPSR] |= 0x50000000u;
                run.word[1] = 0xa0000000u | (t & 1 ? MASKED : BIT_I) | modes[t];
                run.word[1] |= modes[t] == FIQ ? BIT_F : 0;
                run.word[1] |= BIT_F; /* nothing interrupts here */
                add(&run, 0xe120f001u | fields << 16);
                add(&run, 0xe10f2000u); /* mrs r2, cpsr */
                add(&run, 0xe1a0300du); /* mov r3, sp: of the mode we are in now */
                add(&run, 0xe1a0400eu); /* mov r4, lr */
                go(&run);
                text("mode msr fields=");
                hex(fields, 1);
                text(" ");
                text(mode_name(modes[m]));
                text(" to ");
                text(mode_name(modes[t]));
                show(&run);
            }
        }
        if (spsr_word(modes[m])) {
            for (u32 fields = 1; fields < 16; fields++) {
                prepare(&run, modes[m]);
                run.word[1] = 0xf0000000u | BIT_I | SYS;
                add(&run, 0xe160f001u | fields << 16);
                add(&run, 0xe14f2000u); /* mrs r2, spsr */
                go(&run);
                text("mode msr spsr fields=");
                hex(fields, 1);
                text(" ");
                text(mode_name(modes[m]));
                show(&run);
            }
        }
    }
}

/* LDM and STM of User mode's registers, from every mode that may. */
static void user_bank(void) {
    struct run run;

    for (unsigned m = 0; m < MODE_COUNT; m++) {
        if (!spsr_word(modes[m])) {
            continue;
        }
        for (int load = 0; load < 2; load++) {
            for (unsigned way = 0; way < 4; way++) {
                prepare(&run, modes[m]);
                for (unsigned i = 0; i < 32; i++) {
                    scratch()[i] = 0xc0de0000u + i;
                }
                run.word[5] = SCRATCH + 0x40;
                add(&run, block(load, (int)(way >> 1), (int)(way & 1), 1, 0, 5, 0x7f0a));
                add(&run, 0xe1a00000u); /* no banked register right after a user-bank LDM */
                go(&run);
                text("user bank ");
                text(load ? "ldm " : "stm ");
                hex(way, 1);
                text(" ");
                text(mode_name(modes[m]));
                show(&run);
                text("user bank memory");
                for (unsigned i = 0; i < 32; i++) {
                    text(" ");
                    hex(scratch()[i], 8);
                }
                text("\n");
            }
        }
    }
}

void return_cases(void) {
    returns();
    mode_changes();
    user_bank();
}
