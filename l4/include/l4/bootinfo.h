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
#define L4_BootInfo_EFITables  0x0101
#define L4_BootInfo_Multiboot  0x0102

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
    L4_Word_t type, version, offset_next;
    L4_Word_t start;
    L4_Word_t size;
    L4_Word_t cmdline_offset; /* from the start of this record; 0 = none */
} L4_Boot_Module_t;

typedef struct {
    L4_Word_t type, version, offset_next;
    L4_Word_t text_pstart, text_vstart, text_size;
    L4_Word_t data_pstart, data_vstart, data_size;
    L4_Word_t bss_pstart, bss_vstart, bss_size;
    L4_Word_t initial_ip;
    L4_Word_t flags;
    L4_Word_t label;
    L4_Word_t cmdline_offset; /* likewise */
} L4_Boot_SimpleExec_t;

typedef struct {
    L4_Word_t type, version, offset_next;
    L4_Word_t systab;
    L4_Word_t memmap, memmap_size;
    L4_Word_t memdesc_size, memdesc_version;
} L4_Boot_EFI_t;

typedef struct {
    L4_Word_t type, version, offset_next;
    L4_Word_t address;
} L4_Boot_MBI_t;

L4_STATIC_ASSERT(sizeof(L4_BootInfo_t) == 8 * sizeof(L4_Word_t), "bootinfo header");
L4_STATIC_ASSERT(offsetof(L4_Boot_SimpleExec_t, cmdline_offset) == 15 * sizeof(L4_Word_t),
                 "bootinfo simple exec");

/* ---- the header ---- */

L4_INLINE L4_Bool_t L4_BootInfo_Valid(const void *bootinfo) {
    const L4_BootInfo_t *info = (const L4_BootInfo_t *)bootinfo;
    return info->magic == L4_BOOTINFO_MAGIC && info->version == L4_BOOTINFO_VERSION;
}

L4_INLINE L4_Word_t L4_BootInfo_Size(const void *bootinfo) {
    return ((const L4_BootInfo_t *)bootinfo)->size;
}

L4_INLINE L4_BootRec_t *L4_BootInfo_FirstEntry(const void *bootinfo) {
    return (L4_BootRec_t *)((uintptr_t)bootinfo + ((const L4_BootInfo_t *)bootinfo)->first_entry);
}

L4_INLINE L4_Word_t L4_BootInfo_Entries(const void *bootinfo) {
    return ((const L4_BootInfo_t *)bootinfo)->num_entries;
}

/* ---- records ---- */

L4_INLINE L4_Word_t L4_BootRec_Type(const L4_BootRec_t *record) {
    return record->type;
}

L4_INLINE L4_BootRec_t *L4_BootRec_Next(const L4_BootRec_t *record) {
    return (L4_BootRec_t *)((uintptr_t)record + record->offset_next);
}

L4_INLINE L4_Word_t L4_Module_Start(const L4_BootRec_t *record) {
    return ((const L4_Boot_Module_t *)record)->start;
}

L4_INLINE L4_Word_t L4_Module_Size(const L4_BootRec_t *record) {
    return ((const L4_Boot_Module_t *)record)->size;
}

L4_INLINE char *L4_Module_Cmdline(const L4_BootRec_t *record) {
    L4_Word_t offset = ((const L4_Boot_Module_t *)record)->cmdline_offset;
    return offset != 0 ? (char *)((uintptr_t)record + offset) : NULL;
}

L4_INLINE L4_Word_t L4_SimpleExec_TextVstart(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->text_vstart;
}

L4_INLINE L4_Word_t L4_SimpleExec_TextPstart(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->text_pstart;
}

L4_INLINE L4_Word_t L4_SimpleExec_TextSize(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->text_size;
}

L4_INLINE L4_Word_t L4_SimpleExec_DataVstart(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->data_vstart;
}

L4_INLINE L4_Word_t L4_SimpleExec_DataPstart(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->data_pstart;
}

L4_INLINE L4_Word_t L4_SimpleExec_DataSize(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->data_size;
}

L4_INLINE L4_Word_t L4_SimpleExec_BssVstart(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->bss_vstart;
}

L4_INLINE L4_Word_t L4_SimpleExec_BssPstart(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->bss_pstart;
}

L4_INLINE L4_Word_t L4_SimpleExec_BssSize(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->bss_size;
}

L4_INLINE L4_Word_t L4_SimpleExec_InitialIP(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->initial_ip;
}

L4_INLINE L4_Word_t L4_SimpleExec_Flags(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->flags;
}

L4_INLINE L4_Word_t L4_SimpleExec_Label(const L4_BootRec_t *record) {
    return ((const L4_Boot_SimpleExec_t *)record)->label;
}

L4_INLINE void L4_SimpleExec_Set_Flags(L4_BootRec_t *record, L4_Word_t flags) {
    ((L4_Boot_SimpleExec_t *)record)->flags = flags;
}

L4_INLINE void L4_SimpleExec_Set_Label(L4_BootRec_t *record, L4_Word_t label) {
    ((L4_Boot_SimpleExec_t *)record)->label = label;
}

L4_INLINE char *L4_SimpleExec_Cmdline(const L4_BootRec_t *record) {
    L4_Word_t offset = ((const L4_Boot_SimpleExec_t *)record)->cmdline_offset;
    return offset != 0 ? (char *)((uintptr_t)record + offset) : NULL;
}

L4_INLINE L4_Word_t L4_EFI_Systab(const L4_BootRec_t *record) {
    return ((const L4_Boot_EFI_t *)record)->systab;
}

L4_INLINE L4_Word_t L4_EFI_Memmap(const L4_BootRec_t *record) {
    return ((const L4_Boot_EFI_t *)record)->memmap;
}

L4_INLINE L4_Word_t L4_EFI_MemmapSize(const L4_BootRec_t *record) {
    return ((const L4_Boot_EFI_t *)record)->memmap_size;
}

L4_INLINE L4_Word_t L4_EFI_MemdescSize(const L4_BootRec_t *record) {
    return ((const L4_Boot_EFI_t *)record)->memdesc_size;
}

L4_INLINE L4_Word_t L4_EFI_MemdescVersion(const L4_BootRec_t *record) {
    return ((const L4_Boot_EFI_t *)record)->memdesc_version;
}

L4_INLINE L4_Word_t L4_MBI_Address(const L4_BootRec_t *record) {
    return ((const L4_Boot_MBI_t *)record)->address;
}

/* The command line in the first SimpleExec record, whose address KIP BootInfo is; NULL where there
 * is none. */
L4_INLINE const char *L4_BootInfo_CommandLine(L4_Word_t bootinfo) {
    const void *info = (const void *)(uintptr_t)bootinfo;
    if (bootinfo == 0 || !L4_BootInfo_Valid(info)) {
        return NULL;
    }
    const L4_BootRec_t *record = L4_BootInfo_FirstEntry(info);
    for (L4_Word_t i = 0; i < L4_BootInfo_Entries(info); i++) {
        if (L4_BootRec_Type(record) == L4_BootInfo_SimpleExec &&
            L4_SimpleExec_Cmdline(record) != NULL) {
            return L4_SimpleExec_Cmdline(record);
        }
        record = L4_BootRec_Next(record);
    }
    return NULL;
}

#endif
