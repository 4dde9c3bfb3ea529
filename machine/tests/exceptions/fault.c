/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of fault, their domains, their order (ARM ARM B3.7; SA-1110 DM 7): what FSR and FAR say.
 */
#include "guest.h"

static void load(const char *name, u32 number, u32 mode, u32 instruction, u32 address) {
    struct run run;

    prepare(&run, mode);
    run.word[5] = address;
    add(&run, instruction);
    go(&run);
    text("fault ");
    text(name);
    text(" ");
    hex(number, 2);
    text(" ");
    text(mode_name(mode));
    show(&run);
}

#define LDR single(1, 0, 1, 1, 0, 1, 5, 0, 0)
#define STR single(0, 0, 1, 1, 0, 1, 5, 0, 0)

/* Every kind in every domain that is not the program's own. */
static void domains(void) {
    for (u32 d = 2; d < 16; d++) {
        for (unsigned access = 0; access < 2; access++) { /* no access, client */
            set_dacr(DACR_BASE | DOMAIN(d, access));
            set_section(SECTION_VA, section(TARGET_PA, d, 0, window_attributes));
            set_pages(d);
            set_page(PAGES_VA + 0x3000, small_page(TARGET_PA, 0, window_attributes));
            set_large(PAGES_VA + 0x10000, large_page(TARGET_PA, 0, window_attributes));
            load(access ? "permission section" : "domain section", d, SVC, LDR, SECTION_VA + 4);
            load(access ? "permission small" : "domain small", d, USR, STR, PAGES_VA + 0x3008);
            load(access ? "permission large" : "domain large", d, SVC, LDR, PAGES_VA + 0x10008);
            if (access) {
                load("translation page", d, USR, STR, PAGES_VA + 0x4010);
            }
        }
    }
    set_dacr(DACR_BASE);
}

static void translation(void) {
    static const u32 addresses[] = {INVALID_VA,  INVALID_VA + 0xffffc, 0x00100000u, 0x01fffffcu,
                                    0x02000000u, 0x7fffffffu & ~3u,    0xdffffffcu};

    for (u32 i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        load("translation load", i, USR, LDR, addresses[i]);
        load("translation store", i, IRQ, STR, addresses[i]);
        load("translation fetch", i, USR, MOV_PC(5), addresses[i]);
        load("translation pc loaded", i, SYS, single(1, 0, 1, 1, 0, 15, 5, 0, 0), addresses[i]);
    }
    for (u32 low = 0; low < 4; low++) {
        load("translation byte", low, USR, single(1, 1, 1, 1, 0, 1, 5, 0, low), INVALID_VA + 0x40);
        load("translation half", low, USR, half(1, 1, 1, 1, 0, 1, 5, 0, low & 2), INVALID_VA);
    }
}

/* The alignment check: always before anything else; also where the access would be allowed. */
static void alignment(void) {
    const struct {
        const char *name;
        u32 instruction;
    } rows[] = {
        {"alignment ldm", block(1, 0, 1, 0, 1, 5, 0x0006)},
        {"alignment stm", block(0, 1, 0, 0, 1, 5, 0x0006)},
        {"alignment ldr", LDR},
        {"alignment str", STR},
        {"alignment ldr!", single(1, 0, 1, 1, 1, 1, 5, 0, 8)},
        {"alignment str post", single(0, 0, 0, 0, 0, 1, 5, 0, 8)},
        {"alignment ldrt", single(1, 0, 0, 1, 1, 1, 5, 0, 8)},
        {"alignment ldrb", single(1, 1, 1, 1, 0, 1, 5, 0, 0)},
        {"alignment strb", single(0, 1, 1, 1, 0, 1, 5, 0, 0)},
        {"alignment ldrh", half(1, 1, 1, 1, 0, 1, 5, 0, 0)},
        {"alignment strh", half(0, 1, 1, 1, 0, 1, 5, 0, 0)},
        {"alignment ldrsh", half(1, 3, 1, 1, 0, 1, 5, 0, 0)},
        {"alignment ldrsb", half(1, 2, 1, 1, 0, 1, 5, 0, 0)},
        {"alignment swp", swap(0, 1, 2, 5)},
        {"alignment swpb", swap(1, 1, 2, 5)},
    };
    static const u32 bases[3] = {SECTION_VA, INVALID_VA, PAGES_VA};

    set_dacr(DACR_BASE | DOMAIN(2, CLIENT) | DOMAIN(3, NO_ACCESS));
    set_pages(3); /* domain fault, if it came to that */
    set_page(PAGES_VA, small_page(TARGET_PA, ALL(3), window_attributes));
    for (unsigned ap = 0; ap < 4; ap += 3) { /* permission fault, and none */
        set_section(SECTION_VA, section(TARGET_PA, 2, ap, window_attributes));
        set_control(CONTROL_A);
        for (unsigned b = 0; b < 3; b++) {
            for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                for (u32 low = 0; low < 4; low++) {
                    load(rows[i].name, b << 4 | low, USR, rows[i].instruction,
                         bases[b] + 0x40 + low);
                }
            }
        }
        set_control(0);
    }
    set_dacr(DACR_BASE);
}

/* Two reasons to fault: domain before permission, and that for sections and pages. */
static void order(void) {
    set_dacr(DACR_BASE | DOMAIN(4, NO_ACCESS));
    set_section(SECTION_VA, section(TARGET_PA, 4, 0, window_attributes));
    set_pages(4);
    set_page(PAGES_VA, small_page(TARGET_PA, 0, window_attributes));
    load("domain before permission", 0, USR, LDR, SECTION_VA);
    load("domain before permission", 1, USR, LDR, PAGES_VA);
    load("translation before domain", 0, USR, LDR, PAGES_VA + 0x1000);
    set_dacr(DACR_BASE | DOMAIN(4, MANAGER));
    load("manager", 0, USR, LDR, SECTION_VA);
    load("manager", 1, USR, STR, PAGES_VA);
    load("manager invalid page", 2, USR, LDR, PAGES_VA + 0x1000);
    set_dacr(DACR_BASE);
}

/* Fetching up to the end of a page, and past it: only what would be executed aborts. */
static void page_end(void) {
    volatile u32 *target = (volatile u32 *)(uintptr_t)ALIAS_OF(TARGET_PA + 0x4000);
    const struct {
        const char *name;
        u32 instruction; /* last word of the page; the next page is invalid */
    } rows[] = {
        {"page end nop", 0xe1a00000u},          {"page end swi", SWI_END},
        {"page end undefined", 0xe7f000f0u},    {"page end load", LDR},
        {"page end branch", 0xeafffffcu}, /* to the SWI two words before */
        {"page end not executed", 0x0afffffcu},
    };

    set_dacr(DACR_BASE | DOMAIN(4, CLIENT));
    set_pages(4);
    set_page(PAGES_VA + 0x4000, small_page(TARGET_PA + 0x4000, ALL(3), window_attributes));
    for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        target[0xff4 / 4] = SWI_END;
        target[0xffc / 4] = rows[i].instruction;
        load(rows[i].name, i, USR, MOV_PC(5), PAGES_VA + 0x4ffc);
        load(rows[i].name, i, FIQ, MOV_PC(5), PAGES_VA + 0x4ffc);
    }
    set_dacr(DACR_BASE);
}

void fault_cases(void) {
    volatile u32 *target = (volatile u32 *)(uintptr_t)ALIAS_OF(TARGET_PA);

    for (unsigned i = 0; i < 0x20000 / 4; i++) {
        target[i] = i * 0x01030507u;
    }
    domains();
    set_section(SECTION_VA, 0);
    translation();
    alignment();
    order();
    page_end();
    set_section(SECTION_VA, 0);
}
