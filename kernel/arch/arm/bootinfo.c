/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot loader's command line, from ARM Linux tags (the loader's r2) to the boot information of
 * L4 (bootinfo_record.h).
 */
#include "bootinfo.h"

#include "bootinfo_record.h"
#include "cpu.h"
#include "ptab.h"
#include "string.h"

/* Tags: size in words, kind, values (Linux, "Booting ARM Linux", section 4). */
#define TAG_NONE    0u
#define TAG_CORE    0x54410001u
#define TAG_CMDLINE 0x54410009u

/* Tags are taken from the kernel's own first megabyte only, where it is mapped. */
#define TAGS_MOST 0x1000u

static const char *find_command_line(uint32_t tags) {
    if (tags - KERNEL_PA >= TAGS_MOST || (tags & 3) != 0) {
        return NULL;
    }
    const uint32_t *tag = (const uint32_t *)(tags - KERNEL_PA + KERNEL_VA);
    const uint32_t *end = (const uint32_t *)(KERNEL_VA + TAGS_MOST);
    if (tag[1] != TAG_CORE) {
        return NULL;
    }
    while (tag + 2 < end && tag[0] >= 2 && tag[1] != TAG_NONE) {
        if (tag[1] == TAG_CMDLINE) {
            return (const char *)(tag + 2);
        }
        tag += tag[0];
    }
    return NULL;
}

uint32_t bootinfo_init(uint32_t tags) {
    const char *line = find_command_line(tags);
    uint32_t result = 0;
    if (line != NULL) {
        bootinfo_write((struct bootinfo_record *)(BOOT_WINDOW_VA + (BOOTINFO_PA & 0xfffff)), line);
        result = BOOTINFO_PA;
    }
    /* The kernel does not reach the frame any more: it is the program's, under other mva. */
    ptab_kernel_directory[BOOT_WINDOW_VA >> 20] = 0;
    ptab_publish();
    cpu_invalidate_tlbs();
    return result;
}
