/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot loader's modules (Multiboot 0.6.96, 3.3). They lie at the end of memory, so the boot
 * information is in the page before them, not in the last one. Their pages are memory like any
 * other: the root task asks sigma0 for them before it starts others.
 *
 * In a section of its own, after the others: what is measured stays where it was.
 */
#include "bootinfo.h"
#include "bootinfo_record.h"
#include "kdb.h"

#define EXTENSION      __attribute__((section(".extension")))
#define EXTENSION_DATA __attribute__((section(".extension_data")))

#define HAS_COMMAND_LINE (1u << 2)
#define HAS_MODULES      (1u << 3)

static const EXTENSION_DATA char no_line[] = "";
static const EXTENSION_DATA char refused[] =
    "kernel: module %u, %x to %x: expected one after %x and a "
    "line that fits into a page with the others\n";

struct multiboot_info {
    uint32_t flags, memory_lower, memory_upper, boot_device, command_line;
    uint32_t module_count, modules;
};

struct multiboot_module {
    uint32_t start, end, line, reserved;
};

static EXTENSION bool is_in_memory(uint32_t pa) {
    return pa != 0 && pa - SDRAM_PA < SDRAM_SIZE - PAGE_SIZE;
}

static EXTENSION const char *line_at(uint32_t pa) {
    return is_in_memory(pa) ? (const char *)pa : no_line;
}

/* After the kernel, its heap and its programs' beginnings. (Loaders leave alone what the image
 * has.) */
static EXTENSION bool is_module(const struct multiboot_module *m) {
    return m->start > PROGRAM_PA && m->end > m->start && m->end <= SDRAM_PA + SDRAM_SIZE;
}

static EXTENSION struct bootinfo_record *place_record(const struct multiboot_module *modules,
                                                      uint32_t count) {
    uint32_t first = SDRAM_PA + SDRAM_SIZE;
    for (uint32_t i = 0; i < count; i++) {
        if (is_module(&modules[i]) && modules[i].start < first) {
            first = modules[i].start;
        }
    }
    return (struct bootinfo_record *)((first & ~(PAGE_SIZE - 1)) - PAGE_SIZE);
}

static EXTENSION uint32_t write_record(const struct multiboot_info *info) {
    const struct multiboot_module *modules = (const struct multiboot_module *)info->modules;
    struct bootinfo_record *r = place_record(modules, info->module_count);
    bootinfo_write(r, line_at((info->flags & HAS_COMMAND_LINE) != 0 ? info->command_line : 0));
    for (uint32_t i = 0; i < info->module_count; i++) {
        const struct multiboot_module *m = &modules[i];
        if (!is_module(m) ||
            !bootinfo_add_module(r, m->start, m->end - m->start, line_at(m->line))) {
            kdb_printf(refused, i, m->start, m->end, PROGRAM_PA);
        }
    }
    return (uint32_t)r;
}

EXTENSION uint32_t bootinfo_init_modules(uint32_t info) {
    const struct multiboot_info *i = (const struct multiboot_info *)info;
    if (!is_in_memory(info) || (i->flags & HAS_MODULES) == 0 || i->module_count == 0 ||
        !is_in_memory(i->modules)) {
        return bootinfo_init_line(info);
    }
    uint32_t result = write_record(i);
    (void)bootinfo_init_line(0);
    return result;
}
