/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables of the guest (ARM ARM B3.3), the vector page, CP15. Tables are written through an
 * uncached mapping, since table walks read memory.
 */
#include "guest.h"

#define LEVEL1    ((volatile u32 *)(uintptr_t)TABLES)
#define LEVEL2(n) ((volatile u32 *)(uintptr_t)(TABLES + 0x4000u + (n) * 0x400u))
enum { TABLE_LOW, TABLE_HIGH, TABLE_PAGES };

extern const u32 vectors_start[], vectors_end[];

u32 window_attributes;

u32 section(u32 pa, u32 domain, u32 ap, u32 attributes) {
    /* Bit 4 should be one before ARMv6 (B3.3.3, implementation defined). */
    return (pa & 0xfff00000u) | ap << 10 | domain << 5 | 0x10u | attributes | 2u;
}

u32 large_page(u32 pa, u32 aps, u32 attributes) {
    return (pa & 0xffff0000u) | aps << 4 | attributes | 1u;
}

u32 small_page(u32 pa, u32 aps, u32 attributes) {
    return (pa & 0xfffff000u) | aps << 4 | attributes | 2u;
}

static u32 table(unsigned n, u32 domain) {
    return (u32)(uintptr_t)LEVEL2(n) | domain << 5 | 0x10u | 1u;
}

void set_section(u32 va, u32 descriptor) {
    LEVEL1[va >> 20] = descriptor;
}

void set_pages(u32 domain) {
    for (unsigned i = 0; i < 256; i++) {
        LEVEL2(TABLE_PAGES)[i] = 0;
    }
    set_section(PAGES_VA, table(TABLE_PAGES, domain));
}

void set_page(u32 va, u32 descriptor) {
    LEVEL2(TABLE_PAGES)[va >> 12 & 255] = descriptor;
}

void set_large(u32 va, u32 descriptor) {
    for (u32 i = 0; i < 16; i++) { /* the entry stands once for each 4 KB */
        set_page((va & 0xffff0000u) + i * 0x1000u, descriptor);
    }
}

u32 get_control(void) {
    u32 control;
    __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(control));
    return control;
}

static void write_control(u32 control) {
    __asm__ volatile("mcr p15, 0, %0, c1, c0, 0\n\tmov r0, r0\n\tmov r0, r0\n\tmov r0, r0"
                     :
                     : "r"(control)
                     : "memory");
}

void set_control(u32 set) {
    u32 mask = CONTROL_A | CONTROL_S | CONTROL_R | CONTROL_V;
    write_control((get_control() & ~mask) | set);
    /* Permissions may be remembered beside translations (DM 7): start afresh. */
    sync();
}

void set_dacr(u32 dacr) {
    __asm__ volatile("mcr p15, 0, %0, c3, c0, 0" : : "r"(dacr) : "memory");
}

void set_pid(u32 pid) {
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 0\n\tmov r0, r0\n\tmov r0, r0\n\tmov r0, r0"
                     :
                     : "r"(pid)
                     : "memory");
}

extern void flush_caches(void);

void sync(void) {
    if (get_control() & 4u) {
        flush_caches();
    }
    __asm__ volatile("mcr p15, 0, %0, c8, c7, 0" : : "r"(0) : "memory");
}

static void map_image(u32 attributes) {
    set_section(IMAGE, section(IMAGE, 0, 1, attributes));
    set_section(ARENA, section(ARENA, 1, 3, attributes));
    set_section(0xe0000000u, section(0xe0000000u, 0, 1, CACHED)); /* zeros, for flush_caches */
}

void memory_init(void) {
    volatile u32 *vectors = (volatile u32 *)(uintptr_t)VECTORS;
    for (unsigned i = 0; i < 4096; i++) {
        LEVEL1[i] = 0;
    }
    for (unsigned i = 0; i < 256; i++) {
        LEVEL2(TABLE_LOW)[i] = 0;
        LEVEL2(TABLE_HIGH)[i] = 0;
    }
    for (unsigned i = 0; i < (unsigned)(vectors_end - vectors_start); i++) {
        vectors[i] = vectors_start[i];
    }
    map_image(0);
    set_section(TABLES, section(TABLES, 0, 1, 0));
    set_section(ALIAS, section(ARENA, 0, 1, 0));
    set_section(ALIAS_OF(TARGET_PA), section(TARGET_PA, 0, 1, 0));
    set_section(0x50000000u, section(0x50000000u, 0, 1, 0)); /* probe */
    set_section(0x80000000u, section(0x80000000u, 0, 1, 0)); /* UARTs */
    set_section(0x90000000u, section(0x90000000u, 0, 1, 0)); /* timer, interrupt controller */
    set_section(0, table(TABLE_LOW, 0));
    LEVEL2(TABLE_LOW)[0] = small_page(VECTORS, ALL(1), 0);
    set_section(0xfff00000u, table(TABLE_HIGH, 0));
    LEVEL2(TABLE_HIGH)[0xf0] = small_page(VECTORS, ALL(1), 0);
    __asm__ volatile("mcr p15, 0, %0, c2, c0, 0" : : "r"(TABLES) : "memory");
    set_dacr(DACR_BASE);
    sync();
    write_control(get_control() | 1u);
    /* launch: msr cpsr_fsxc, r1; ldmia r0, {r0-r7, pc} */
    ((volatile u32 *)(uintptr_t)ALIAS_OF(LAUNCH))[0] = 0xe12ff001u;
    ((volatile u32 *)(uintptr_t)ALIAS_OF(LAUNCH))[1] = 0xe89080ffu;
}

void memory_cached(void) {
    map_image(CACHED);
    window_attributes = CACHED;
    sync();
    __asm__ volatile("mcr p15, 0, %0, c7, c7, 0" : : "r"(0) : "memory"); /* both caches */
    write_control(get_control() | 0x1000u | 0x8u |
                  0x4u); /* instruction cache, write buffer, data */
}
