/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may do what: every access permission, under every S and R, domain access, kind of mapping and
 * subpage (ARM ARM B3.6 and B3.7). A line is one mapping; its fields are the accesses: k
 * privileged, u user, t privileged as user (LDRT, STRT); r read, w write, s swap, x execute.
 */
#include "guest.h"

#define DOMAIN_TESTED 7u

struct access {
    const char *name;
    u32 mode;
    int load, translate, execute, swap;
};
static const struct access accesses[] = {
    {" kr=", SVC, 1, 0, 0, 0}, {" kw=", SVC, 0, 0, 0, 0}, {" ks=", SVC, 0, 0, 0, 1},
    {" kx=", SVC, 0, 0, 1, 0}, {" ur=", USR, 1, 0, 0, 0}, {" uw=", USR, 0, 0, 0, 0},
    {" us=", USR, 0, 0, 0, 1}, {" ux=", USR, 0, 0, 1, 0}, {" tr=", SVC, 1, 1, 0, 0},
    {" tw=", SVC, 0, 1, 0, 0},
};

static void try(const struct access *access, u32 va) {
    struct run run;

    prepare(&run, access->mode);
    run.word[5] = va;
    run.word[1] = run.word[2] = SWI_END; /* what stands there already, for execution */
    if (access->execute) {
        add(&run, MOV_PC(5));
    } else if (access->swap) {
        add(&run, swap(0, 1, 2, 5));
    } else if (access->translate) {
        add(&run, single(access->load, 0, 0, 1, 1, 1, 5, 0, 0));
    } else {
        add(&run, single(access->load, 0, 1, 1, 0, 1, 5, 0, 0));
    }
    go(&run);
    text(access->name);
    switch (run.out.vector) {
    case V_SWI:
        text("ok");
        break;
    case V_PREFETCH:
        text("abort");
        if (run.out.fsr) {
            hex(run.out.fsr, 2);
        }
        if (run.out.word[W_ABT + 1] != va + 4) {
            text("!lr=");
            hex(run.out.word[W_ABT + 1], 8);
        }
        break;
    case V_DATA:
        hex(run.out.fsr, 2);
        if (run.out.far != va) {
            text("!far=");
            hex(run.out.far, 8);
        }
        break;
    default:
        text("vector");
        hex(run.out.vector, 1);
        break;
    }
}

static void all_accesses(u32 va) {
    for (unsigned i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
        try(&accesses[i], va);
    }
    text("\n");
}

enum kind { SECTION, LARGE, SMALL };
static const char *const kinds[3] = {"section", "large", "small"};

/* Maps a window whose four subpages have `aps`; returns its address. */
static u32 map(enum kind kind, u32 aps) {
    if (kind == SECTION) {
        set_section(SECTION_VA, section(TARGET_PA, DOMAIN_TESTED, aps & 3, window_attributes));
        return SECTION_VA;
    }
    set_pages(DOMAIN_TESTED);
    if (kind == LARGE) {
        set_large(PAGES_VA + 0x10000, large_page(TARGET_PA + 0x10000, aps, window_attributes));
        return PAGES_VA + 0x10000;
    }
    set_page(PAGES_VA + 0x3000, small_page(TARGET_PA + 0x3000, aps, window_attributes));
    return PAGES_VA + 0x3000;
}

static void matrix(void) {
    static const u32 controls[3] = {0, CONTROL_S, CONTROL_R};
    static const char *const control_names[3] = {" s=0 r=0", " s=1 r=0", " s=0 r=1"};
    static const u32 domains[3] = {NO_ACCESS, CLIENT, MANAGER};
    static const char *const domain_names[3] = {" none", " client", " manager"};

    for (unsigned kind = 0; kind < 3; kind++) {
        for (u32 ap = 0; ap < 4; ap++) {
            for (unsigned c = 0; c < 3; c++) {
                for (unsigned d = 0; d < 3; d++) {
                    u32 va = map((enum kind)kind, ALL(ap));
                    set_dacr(DACR_BASE | DOMAIN(DOMAIN_TESTED, domains[d]));
                    set_control(controls[c]);
                    text("permission ");
                    text(kinds[kind]);
                    text(" ap=");
                    hex(ap, 1);
                    text(control_names[c]);
                    text(domain_names[d]);
                    text(":");
                    all_accesses(va + 0x344);
                    set_control(0);
                }
            }
        }
    }
    set_section(SECTION_VA, 0);
}

/* Four permissions in one page; first and last word of each subpage. */
static void subpages(void) {
    static const u32 patterns[] = {0xe4, 0x1b, 0x4e, 0xb1, 0x39, 0xc6};

    set_dacr(DACR_BASE | DOMAIN(DOMAIN_TESTED, CLIENT));
    for (unsigned kind = LARGE; kind <= SMALL; kind++) {
        for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
            u32 va = map((enum kind)kind, patterns[i]);
            u32 size = kind == LARGE ? 0x4000 : 0x400;
            for (u32 offset = 0; offset < 4 * size; offset += size) {
                text("permission subpages ");
                text(kinds[kind]);
                text(" aps=");
                hex(patterns[i], 2);
                text(" +");
                hex(offset, 4);
                text(":");
                all_accesses(va + offset);
                text("permission subpages ");
                text(kinds[kind]);
                text(" aps=");
                hex(patterns[i], 2);
                text(" +");
                hex(offset + size - 4, 4);
                text(":");
                all_accesses(va + offset + size - 4);
            }
        }
    }
    set_dacr(DACR_BASE);
}

void permission_cases(void) {
    volatile u32 *target = (volatile u32 *)(uintptr_t)ALIAS_OF(TARGET_PA);

    for (unsigned i = 0; i < 0x20000 / 4; i++) {
        target[i] = SWI_END;
    }
    matrix();
    subpages();
}
