/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot loader's command line, from the Multiboot information (0.6.96, 3.3) to the boot
 * information of L4 (l4/bootinfo.h), in the last frame of memory, which is the root task's to map.
 */
#include "bootinfo.h"

#include "cpu.h"
#include "ptab.h"
#include "string.h"

#include <l4/bootinfo.h>

#define BOOTINFO_PA (SDRAM_PA + SDRAM_SIZE - PAGE_SIZE)

#define HAS_COMMAND_LINE (1u << 2)

struct told {
    uint32_t flags, memory_lower, memory_upper, boot_device, command_line;
};

struct record {
    L4_BootInfo_t info;
    L4_Boot_SimpleExec_t exec;
    char command_line[1024];
};
_Static_assert(sizeof(struct record) <= PAGE_SIZE, "fits into the frame");

static bool is_in_memory(uint32_t pa) {
    return pa != 0 && pa - SDRAM_PA < SDRAM_SIZE - PAGE_SIZE;
}

/* Loaders put the image's name before what the user said; a program finds its words anywhere. */
static const char *find_command_line(uint32_t told) {
    const struct told *t = (const struct told *)told;
    return is_in_memory(told) && (t->flags & HAS_COMMAND_LINE) != 0 && is_in_memory(t->command_line)
               ? (const char *)t->command_line
               : NULL;
}

uint32_t bootinfo_init(uint32_t told) {
    const char *line = find_command_line(told);
    uint32_t result = 0;
    if (line != NULL) {
        struct record *r = (struct record *)BOOTINFO_PA;
        r->info = (L4_BootInfo_t){.magic = L4_BOOTINFO_MAGIC,
                                  .version = L4_BOOTINFO_VERSION,
                                  .size = sizeof *r,
                                  .first_entry = offsetof(struct record, exec),
                                  .num_entries = 1};
        r->exec = (L4_Boot_SimpleExec_t){.type = L4_BootInfo_SimpleExec,
                                         .version = 1,
                                         .offset_next = sizeof *r - offsetof(struct record, exec),
                                         .cmdline_offset = offsetof(struct record, command_line) -
                                                           offsetof(struct record, exec)};
        uint32_t n = 0;
        while (n + 1 < sizeof r->command_line && line[n] != 0) {
            r->command_line[n] = line[n];
            n++;
        }
        r->command_line[n] = 0;
        result = BOOTINFO_PA;
    }
    memset(ptab_kernel_directory, 0, SDRAM_SIZE >> SECTION_LOG2 << 2);
    cpu_set_directory(BOOT_DIRECTORY_PA);
    return result;
}
