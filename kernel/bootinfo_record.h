/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot information of L4 (l4/bootinfo.h) with the boot loader's command line and its modules,
 * in the last frame of memory before them, which is the root task's to map. Only an architecture's
 * bootinfo.c includes this.
 */
#ifndef BOOTINFO_RECORD_H
#define BOOTINFO_RECORD_H

#include "kernel.h"
#include "page_sizes.h"

#include <l4/bootinfo.h>

#define BOOTINFO_PA (SDRAM_PA + SDRAM_SIZE - PAGE_SIZE)

struct bootinfo_record {
    L4_BootInfo_t info;
    L4_Boot_SimpleExec_t exec;
    char command_line[1024];
};
_Static_assert(sizeof(struct bootinfo_record) <= PAGE_SIZE, "fits into the frame");

/* A line that is longer is cut. */
static inline void bootinfo_write(struct bootinfo_record *r, const char *line) {
    r->info = (L4_BootInfo_t){.magic = L4_BOOTINFO_MAGIC,
                              .version = L4_BOOTINFO_VERSION,
                              .size = sizeof *r,
                              .first_entry = offsetof(struct bootinfo_record, exec),
                              .num_entries = 1};
    r->exec =
        (L4_Boot_SimpleExec_t){.type = L4_BootInfo_SimpleExec,
                               .version = 1,
                               .offset_next = sizeof *r - offsetof(struct bootinfo_record, exec),
                               .cmdline_offset = offsetof(struct bootinfo_record, command_line) -
                                                 offsetof(struct bootinfo_record, exec)};
    word_t n = 0;
    while (n + 1 < sizeof r->command_line && line[n] != 0) {
        r->command_line[n] = line[n];
        n++;
    }
    r->command_line[n] = 0;
}

/* Adds a module of `size` bytes, which lie at `start`, and its line. False: there is no room for
 * it. */
static inline bool bootinfo_add_module(struct bootinfo_record *r, word_t start, word_t size,
                                       const char *line) {
    word_t length = 0;
    while (line[length] != 0) {
        length++;
    }
    word_t bytes = (sizeof(L4_Boot_Module_t) + length + 1 + 3) & ~3u;
    if (r->info.size + bytes > PAGE_SIZE) {
        return false;
    }
    L4_Boot_Module_t *module = (L4_Boot_Module_t *)((word_t)r + r->info.size);
    *module = (L4_Boot_Module_t){.type = L4_BootInfo_Module,
                                 .version = 1,
                                 .offset_next = bytes,
                                 .start = start,
                                 .size = size,
                                 .cmdline_offset = sizeof *module};
    __builtin_memcpy(module + 1, line, length + 1);
    r->info.size += bytes;
    r->info.num_entries++;
    return true;
}

#endif
