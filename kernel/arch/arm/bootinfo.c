/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot loader's command line, from ARM Linux tags (the loader's r2) to the boot information of
 * L4 (l4/bootinfo.h), in the last frame of memory, which is the root task's to map.
 */
#include "bootinfo.h"

#include "cpu.h"
#include "ptab.h"
#include "string.h"

#include <l4/bootinfo.h>

#define BOOTINFO_PA (SDRAM_PA + SDRAM_SIZE - PAGE_SIZE)

/* Tags: size in words, kind, values (Linux, "Booting ARM Linux", section 4). */
#define TAG_NONE    0u
#define TAG_CORE    0x54410001u
#define TAG_CMDLINE 0x54410009u

/* Tags are taken from the kernel's own first megabyte only, where it is mapped. */
#define TAGS_MOST 0x1000u

struct record {
    L4_BootInfo_t info;
    L4_Boot_SimpleExec_t exec;
    char command_line[1024];
};
_Static_assert(sizeof(struct record) <= PAGE_SIZE, "fits into the frame");

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
        struct record *r = (struct record *)(BOOT_WINDOW_VA + (BOOTINFO_PA & 0xfffff));
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
    /* The kernel does not reach the frame any more: it is the program's, under other mva. */
    ptab_kernel_directory[BOOT_WINDOW_VA >> 20] = 0;
    ptab_publish();
    cpu_invalidate_tlbs();
    return result;
}
