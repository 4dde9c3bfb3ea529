/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data aborts in each addressing mode: the base register is restored (the SA-1110 implements the
 * base restored abort model, ARM ARM A2.6.5), the destination unchanged, FAR the address that
 * aborted. Loaded registers of an LDM that aborts are UNPREDICTABLE (A4.1.20) and not shown.
 */
#include "guest.h"

#define PAGE 0x5000u /* of PAGES_VA: this page is invalid, its neighbours are not */
enum { RD = 1, RN = 5, RM = 6 };

static void signs(int up, int by_register) {
    text(up ? "+" : "-");
    text(by_register ? "register" : "imm");
}

static const char *indexing(int p, int w) {
    static const char *const names[4] = {" post ", " user ", " offset ", " pre "};
    return names[p * 2 + w];
}

/* The address comes out as PAGES_VA + PAGE + 0x44 where the access has an offset. */
static void set_base(struct run *run, int p, int up, u32 offset) {
    u32 address = PAGES_VA + PAGE + 0x44;
    run->word[RN] = !p ? address : up ? address - offset : address + offset;
    run->word[RM] = offset;
}

static void singles(u32 mode) {
    struct run run;

    for (int code = 0; code < 64; code++) {
        int load = code & 1, byte = code >> 1 & 1, up = code >> 2 & 1, by_register = code >> 3 & 1;
        int p = code >> 4 & 1, w = code >> 5 & 1;

        prepare(&run, mode);
        set_base(&run, p, up, 0x24);
        add(&run, single(load, byte, p, up, w, RD, RN, by_register, by_register ? RM : 0x24));
        go(&run);
        text("abort ");
        text(mode_name(mode));
        text(load ? " ldr" : " str");
        text(byte ? "b" : "");
        text(indexing(p, w));
        signs(up, by_register);
        show(&run);
    }
}

static void halves(u32 mode) {
    static const char *const names[4] = {" strh", " ldrh", " ldrsb", " ldrsh"};
    struct run run;

    for (int code = 0; code < 64; code++) {
        int kind = code & 3, up = code >> 2 & 1, by_register = code >> 3 & 1;
        int p = code >> 4 & 1, w = code >> 5 & 1;

        if (!p && w) {
            continue; /* no such form */
        }
        prepare(&run, mode);
        set_base(&run, p, up, 0x24);
        add(&run, half(kind > 0, kind ? kind : 1, p, up, w, RD, RN, by_register,
                       by_register ? RM : 0x24));
        go(&run);
        text("abort ");
        text(mode_name(mode));
        text(names[kind]);
        text(indexing(p, w));
        signs(up, by_register);
        show(&run);
    }
}

static void swaps(u32 mode) {
    struct run run;

    for (int byte = 0; byte < 2; byte++) {
        prepare(&run, mode);
        set_base(&run, 0, 1, 0);
        add(&run, swap(byte, RD, 2, RN));
        go(&run);
        text("abort ");
        text(mode_name(mode));
        text(byte ? " swpb" : " swp");
        show(&run);
    }
}

/* Bases such that the first, or only a later, word of four lies in the invalid page. */
static const u32 block_bases[] = {PAGE + 0x80,   PAGE,          PAGE + 8,
                                  PAGE + 0x1000, PAGE + 0x1008, PAGE - 8};

static void blocks(u32 mode) {
    static const char *const ways[4] = {"da", "ia", "db", "ib"};
    /* Plain, user bank, with pc, with pc and CPSR. Four registers each. */
    static const u32 lists[4] = {0x4206, 0x4206, 0xc202, 0xc202};
    static const char *const kinds[4] = {"", " ^", " pc", " pc^"};
    struct run run;

    for (int code = 0; code < 64; code++) {
        int load = code & 1, w = code >> 1 & 1, way = code >> 2 & 3, kind = code >> 4 & 3;
        int user = kind & 1;

        if ((kind == 1 && w) || (!load && kind == 3)) {
            continue; /* UNPREDICTABLE, and no such form */
        }
        for (unsigned i = 0; i < sizeof(block_bases) / sizeof(block_bases[0]); i++) {
            prepare(&run, mode);
            run.word[RN] = PAGES_VA + block_bases[i];
            add(&run, block(load, way >> 1, way & 1, user, w, RN, lists[kind]));
            if (load) {
                for (unsigned r = 1; r < 15; r++) {
                    if (lists[kind] >> r & 1) {
                        run.ignore |= 1ull << r | 1ull << reg_word(mode, r);
                    }
                }
            }
            /* Where all four words lie beside the invalid page a jump might go to nowhere. */
            go(&run);
            text("abort ");
            text(mode_name(mode));
            text(load ? " ldm" : " stm");
            text(ways[way]);
            text(w ? "!" : "");
            text(kinds[kind]);
            text(" at ");
            hex(block_bases[i], 4);
            show(&run);
        }
    }
}

void abort_cases(void) {
    volatile u32 *target = (volatile u32 *)(uintptr_t)ALIAS_OF(TARGET_PA);

    /* What an LDM that does not abort loads into pc: the SWI that ends cases. */
    for (unsigned i = 0; i < 0x7000 / 4; i++) {
        target[i] = RETURN;
    }
    set_pages(2);
    set_page(PAGES_VA + PAGE - 0x1000, small_page(TARGET_PA + PAGE - 0x1000, ALL(3), 0));
    set_page(PAGES_VA + PAGE + 0x1000, small_page(TARGET_PA + PAGE + 0x1000, ALL(3), 0));
    set_dacr(DACR_BASE | DOMAIN(2, CLIENT));
    singles(USR);
    singles(SVC);
    halves(USR);
    halves(FIQ);
    swaps(USR);
    swaps(ABT);
    blocks(IRQ);
    blocks(FIQ);
    set_dacr(DACR_BASE);
}
