/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exception entry (ARM ARM A2.6): every synchronous exception from every mode, with every state of
 * the interrupt masks, with low and high vectors; and instructions that are undefined here.
 */
#include "guest.h"

enum kind { UNDEFINED, SOFTWARE, PREFETCH, DATA, DATA_STORE, KINDS };
static const char *const kind_names[KINDS] = {"undefined", "swi", "fetch", "load", "store"};

static void one(struct run *run, u32 mode, u32 masks, u32 flags, enum kind kind) {
    prepare(run, mode);
    run->word[W_CPSR] = mode | masks | flags;
    run->word[5] = INVALID_VA + 0x104;
    switch (kind) {
    case UNDEFINED:
        add(run, 0xe7f000f0u);
        break;
    case SOFTWARE:
        add(run, 0xe1a00000u);
        add(run, 0xef123456u);
        break;
    case PREFETCH:
        add(run, MOV_PC(5));
        break;
    case DATA:
        add(run, single(1, 0, 1, 1, 0, 1, 5, 0, 0));
        break;
    default:
        add(run, single(0, 0, 1, 1, 0, 1, 5, 0, 0));
        break;
    }
    go(run);
}

static void all_kinds(const char *group) {
    static const u32 masks[4] = {0, BIT_I, BIT_F, MASKED};
    struct run run;

    for (unsigned m = 0; m < MODE_COUNT; m++) {
        for (unsigned i = 0; i < 4; i++) {
            for (unsigned kind = 0; kind < KINDS; kind++) {
                u32 flags = ((m * 4 + i + kind) & 15u) << 28;
                one(&run, modes[m], masks[i], flags, (enum kind)kind);
                text(group);
                text(kind_names[kind]);
                text(" ");
                text(mode_name(modes[m]));
                text(masks[i] & BIT_I ? " I" : " -");
                text(masks[i] & BIT_F ? "F" : "-");
                show(&run);
            }
        }
    }
}

struct named {
    const char *name;
    u32 word;
};

/*
 * ARMv4 has no coprocessors but p15, no Thumb, nothing of ARMv5. p15 is not for User mode. (p14:
 * not its register 0, which QEMU has for debuggers on every processor.)
 */
static const struct named undefined[] = {
    {"bx r0", 0xe12fff10u},   {"blx r0", 0xe12fff30u},  {"clz r1,r0", 0xe16f1f10u},
    {"bkpt", 0xe1200070u},    {"qadd", 0xe1010052u},    {"smlabb", 0xe1010283u},
    {"ldrd", 0xe1c520d0u},    {"strd", 0xe1c520f0u},    {"umaal", 0xe0410392u},
    {"movw", 0xe3001234u},    {"strex", 0xe1851f92u},   {"undefined space", 0xe6000010u},
    {"cdp p0", 0xee000000u},  {"mrc p1", 0xee111110u},  {"mcr p10", 0xee011a10u},
    {"ldc p2", 0xed951200u},  {"stc p11", 0xed851b00u}, {"mrc p14", 0xee331ef4u},
    {"mrrc p3", 0xec510302u}, {"mcr p14", 0xee001e10u},
};
static const struct named user_only[] = {
    {"mrc p15 id", 0xee101f10u},      {"mrc p15 control", 0xee111f10u},
    {"mcr p15 control", 0xee011f10u}, {"mcr p15 ttb", 0xee021f10u},
    {"mcr p15 dacr", 0xee031f10u},    {"mcr p15 tlb", 0xee081f17u},
    {"mcr p15 cache", 0xee071f17u},   {"mcr p15 pid", 0xee0d1f10u},
};

static void refused(const char *group, u32 mode, const struct named *row) {
    struct run run;

    prepare(&run, mode);
    run.word[5] = SCRATCH;
    add(&run, row->word);
    go(&run);
    text(group);
    text(row->name);
    text(" ");
    text(mode_name(mode));
    show(&run);
}

/* Conditions that fail: nothing happens. */
static void not_executed(void) {
    static const struct named rows[] = {
        {"undefined", 0x07f000f0u}, {"swi", 0x0f000000u},    {"cdp", 0x0e000000u},
        {"load", 0x05951000u},      {"mov pc", 0x01a0f005u},
    };
    struct run run;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        prepare(&run, IRQ);
        run.word[5] = INVALID_VA;
        add(&run, rows[i].word); /* EQ, and Z is clear */
        go(&run);
        text("entry not executed ");
        text(rows[i].name);
        show(&run);
    }
}

void entry_cases(void) {
    all_kinds("entry ");
    set_control(CONTROL_V);
    all_kinds("entry high ");
    set_control(0);
    for (unsigned m = 0; m < MODE_COUNT; m++) {
        for (unsigned i = 0; i < sizeof(undefined) / sizeof(undefined[0]); i++) {
            refused("entry refused ", modes[m], &undefined[i]);
        }
    }
    for (unsigned i = 0; i < sizeof(user_only) / sizeof(user_only[0]); i++) {
        refused("entry refused ", USR, &user_only[i]);
    }
    not_executed();
}
