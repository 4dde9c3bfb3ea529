/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boot information of L4 X.2 ("generic boot info"): what the loader leaves for the root task.
 *
 * KIP BootInfo holds the address of an L4_BootInfo_t in ordinary memory that the root task gets
 * from sigma0 like any other page. Its records here: one L4_Boot_SimpleExec_t that describes the
 * root task, for the sake of its command line.
 */
#ifndef L4_BOOTINFO_H
#define L4_BOOTINFO_H

#include <l4/types.h>

#define L4_BOOTINFO_MAGIC      0x14b0021du
#define L4_BOOTINFO_VERSION    1
#define L4_BootInfo_Module     0x0001
#define L4_BootInfo_SimpleExec 0x0002

typedef struct {
    L4_Word_t magic;
    L4_Word_t version;
    L4_Word_t size;        /* of everything: header, records, strings */
    L4_Word_t first_entry; /* offset from this structure */
    L4_Word_t num_entries;
    L4_Word_t reserved[3];
} L4_BootInfo_t;

/* How each record begins. */
typedef struct {
    L4_Word_t type;
    L4_Word_t version;
    L4_Word_t offset_next; /* from the start of this record */
} L4_BootRec_t;

typedef struct {
    L4_Word_t pstart;
    L4_Word_t vstart;
    L4_Word_t size;
} L4_Boot_Segment_t;

typedef struct {
    L4_BootRec_t rec;
    L4_Boot_Segment_t text;
    L4_Boot_Segment_t data;
    L4_Boot_Segment_t bss;
    L4_Word_t initial_ip;
    L4_Word_t flags;
    L4_Word_t label;
    L4_Word_t cmdline_offset; /* from the start of this record; 0 = none */
} L4_Boot_SimpleExec_t;

_Static_assert(sizeof(L4_BootInfo_t) == 32, "bootinfo header");
_Static_assert(offsetof(L4_Boot_SimpleExec_t, cmdline_offset) == 60, "bootinfo simple exec");

/* The command line in the first SimpleExec record; NULL where there is none. */
L4_INLINE const char *L4_BootInfo_CommandLine(const void *bootinfo) {
    const L4_BootInfo_t *info = bootinfo;
    if (info == NULL || info->magic != L4_BOOTINFO_MAGIC) {
        return NULL;
    }
    uintptr_t record = (uintptr_t)info + info->first_entry;
    for (L4_Word_t i = 0; i < info->num_entries; i++) {
        const L4_Boot_SimpleExec_t *e = (const L4_Boot_SimpleExec_t *)record;
        if (e->rec.type == L4_BootInfo_SimpleExec && e->cmdline_offset != 0) {
            return (const char *)(record + e->cmdline_offset);
        }
        record += e->rec.offset_next;
    }
    return NULL;
}

#endif
