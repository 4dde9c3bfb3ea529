/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot loader's command line, from the Multiboot information (0.6.96, 3.3) to the boot
 * information of L4 (bootinfo_record.h).
 */
#include "bootinfo.h"

#include "bootinfo_record.h"
#include "cpu.h"
#include "ptab.h"
#include "string.h"

#define HAS_COMMAND_LINE (1u << 2)

struct multiboot_info {
    uint32_t flags, memory_lower, memory_upper, boot_device, command_line;
};

static bool is_in_memory(uint32_t pa) {
    return pa != 0 && pa - SDRAM_PA < SDRAM_SIZE - PAGE_SIZE;
}

/* Loaders put the image's name before what the user said; a program finds its words anywhere. */
static const char *find_command_line(uint32_t pa) {
    const struct multiboot_info *info = (const struct multiboot_info *)pa;
    return is_in_memory(pa) && (info->flags & HAS_COMMAND_LINE) != 0 &&
                   is_in_memory(info->command_line)
               ? (const char *)info->command_line
               : NULL;
}

uint32_t bootinfo_init_line(uint32_t info) {
    const char *line = find_command_line(info);
    uint32_t result = 0;
    if (line != NULL) {
        bootinfo_write((struct bootinfo_record *)BOOTINFO_PA, line);
        result = BOOTINFO_PA;
    }
    memset(ptab_kernel_directory, 0, SDRAM_SIZE >> SECTION_LOG2 << 2);
    cpu_set_directory(BOOT_DIRECTORY_PA);
    return result;
}
