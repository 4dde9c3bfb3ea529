/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel interface page (KIP): what the kernel tells about itself and the machine.
 *
 * One structure for both sides; offsets are those of the X.2 manual for 32-bit words.
 */
#ifndef L4_KIP_H
#define L4_KIP_H

#include <l4/types.h>

/* Where a server that the boot image brings along starts and lies. */
typedef struct {
    L4_Word_t sp;
    L4_Word_t ip;
    L4_Word_t low;
    L4_Word_t high;
} L4_ServerDesc_t;

typedef struct {
    L4_Word_t magic;       /* 00 */
    L4_Word_t ApiVersion;  /* 04 version 8 | sub-version 8 | 0 16 */
    L4_Word_t ApiFlags;    /* 08 ww 2 (word size) | ee 2 (endianness): both 0 */
    L4_Word_t KernDescPtr; /* 0c offset of an L4_KernelDesc_t */
    L4_Word_t kdebug[4];   /* 10 */
    L4_ServerDesc_t sigma0;
    L4_ServerDesc_t sigma1;
    L4_ServerDesc_t root_server;
    L4_Word_t reserved50;
    L4_Word_t MemoryInfo; /* 54 MemDescPtr 16 | number 16 */
    L4_Word_t reserved58[20];
    L4_Word_t UtcbInfo; /* a8 log2 min area size 6 (<<16) | log2 alignment 6 (<<10) | size/2^a 10 */
    L4_Word_t KipAreaInfo; /* ac log2 size 6 */
    L4_Word_t reservedb0[2];
    L4_Word_t BootInfo;      /* b8 address of an L4_BootRec list header (bootinfo.h), or 0 */
    L4_Word_t ProcDescPtr;   /* bc */
    L4_Word_t ClockInfo;     /* c0 schedule precision 16 | read precision 16, as L4_Time_t */
    L4_Word_t ThreadInfo;    /* c4 user base 12 | system base 12 | log2 of thread numbers 8 */
    L4_Word_t PageInfo;      /* c8 page-size mask / 1024 22 | 0 7 | separate rights rwx 3 */
    L4_Word_t ProcessorInfo; /* cc log2 size 4 | 0 12 | processors - 1 16 */
    L4_Word_t SpaceControl;  /* d0 and on: offsets of the system-call stubs */
    L4_Word_t ThreadControl;
    L4_Word_t ProcessorControl;
    L4_Word_t MemoryControl;
    L4_Word_t Ipc;
    L4_Word_t Lipc;
    L4_Word_t Unmap;
    L4_Word_t ExchangeRegisters;
    L4_Word_t SystemClock;
    L4_Word_t ThreadSwitch;
    L4_Word_t Schedule;
    L4_Word_t reservedfc;
} L4_KernelInterfacePage_t;

#define L4_KIP_AT(field, offset)                                                                   \
    _Static_assert(offsetof(L4_KernelInterfacePage_t, field) == (offset), "KIP: " #field)
L4_KIP_AT(sigma0.ip, L4_KIP_SIGMA0_IP);
L4_KIP_AT(sigma0.high, L4_KIP_SIGMA0_HIGH);
L4_KIP_AT(root_server.sp, L4_KIP_ROOT_SP);
L4_KIP_AT(root_server.ip, L4_KIP_ROOT_IP);
L4_KIP_AT(root_server.low, L4_KIP_ROOT_LOW);
L4_KIP_AT(root_server.high, L4_KIP_ROOT_HIGH);
L4_KIP_AT(MemoryInfo, L4_KIP_MEMORY_INFO);
L4_KIP_AT(UtcbInfo, L4_KIP_UTCB_INFO);
L4_KIP_AT(KipAreaInfo, L4_KIP_KIP_AREA_INFO);
L4_KIP_AT(BootInfo, L4_KIP_BOOT_INFO);
L4_KIP_AT(ProcDescPtr, L4_KIP_PROC_DESC_PTR);
L4_KIP_AT(ClockInfo, L4_KIP_CLOCK_INFO);
L4_KIP_AT(ThreadInfo, L4_KIP_THREAD_INFO);
L4_KIP_AT(PageInfo, L4_KIP_PAGE_INFO);
L4_KIP_AT(ProcessorInfo, L4_KIP_PROCESSOR_INFO);
L4_KIP_AT(SpaceControl, L4_KIP_SC_SPACE_CONTROL);
L4_KIP_AT(ThreadControl, L4_KIP_SC_THREAD_CONTROL);
L4_KIP_AT(ProcessorControl, L4_KIP_SC_PROCESSOR_CONTROL);
L4_KIP_AT(MemoryControl, L4_KIP_SC_MEMORY_CONTROL);
L4_KIP_AT(Ipc, L4_KIP_SC_IPC);
L4_KIP_AT(Lipc, L4_KIP_SC_LIPC);
L4_KIP_AT(Unmap, L4_KIP_SC_UNMAP);
L4_KIP_AT(ExchangeRegisters, L4_KIP_SC_EXCHANGE_REGISTERS);
L4_KIP_AT(SystemClock, L4_KIP_SC_SYSTEM_CLOCK);
L4_KIP_AT(ThreadSwitch, L4_KIP_SC_THREAD_SWITCH);
L4_KIP_AT(Schedule, L4_KIP_SC_SCHEDULE);
#undef L4_KIP_AT

/* KernDescPtr points here; the strings follow: version, then features, empty string last. */
typedef struct {
    L4_Word_t KernelId;      /* id 8 | sub-id 8 | 0 16 */
    L4_Word_t KernelGenDate; /* year-2000 7 | month 4 | day 5 at bits 9, 5, 0 */
    L4_Word_t KernelVer;     /* version 8 | sub-version 8 | sub-sub-version 16 */
    L4_Word_t Supplier;      /* four characters */
    char VersionString[];
} L4_KernelDesc_t;

typedef struct {
    L4_Word_t ExternalFreq; /* kHz */
    L4_Word_t InternalFreq; /* kHz */
    L4_Word_t reserved[2];
} L4_ProcDesc_t;

/* ---- memory descriptors ---- */

/* low / 1024 (22) | v (bit 9) | t 4 | type 4; high / 1024 (22): the last byte's address | 0x3ff */
typedef struct {
    L4_Word_t low;
    L4_Word_t high;
} L4_MemoryDesc_t;

#define L4_UndefinedMemoryType            0x0
#define L4_ConventionalMemoryType         0x1
#define L4_ReservedMemoryType             0x2
#define L4_DedicatedMemoryType            0x3
#define L4_SharedMemoryType               0x4
#define L4_BootLoaderSpecificMemoryType   0xe
#define L4_ArchitectureSpecificMemoryType 0xf

L4_INLINE L4_MemoryDesc_t L4_MakeMemoryDesc(L4_Word_t low, L4_Word_t high, L4_Bool_t is_virtual,
                                            L4_Word_t type) {
    return (L4_MemoryDesc_t){.low = (low & 0xfffffc00) | (is_virtual ? 1u << 9 : 0) | (type & 0xf),
                             .high = high & 0xfffffc00};
}

L4_INLINE L4_Bool_t L4_IsMemoryDescVirtual(const L4_MemoryDesc_t *d) {
    return d->low >> 9 & 1;
}

L4_INLINE L4_Word_t L4_MemoryDescType(const L4_MemoryDesc_t *d) {
    L4_Word_t type = d->low & 0xf;
    return type >= L4_BootLoaderSpecificMemoryType ? d->low & 0xff : type;
}

L4_INLINE L4_Word_t L4_MemoryDescLow(const L4_MemoryDesc_t *d) {
    return d->low & 0xfffffc00;
}

L4_INLINE L4_Word_t L4_MemoryDescHigh(const L4_MemoryDesc_t *d) {
    return d->high | 0x3ff;
}

L4_INLINE L4_Word_t L4_NumMemoryDescriptors(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->MemoryInfo & 0xffff;
}

L4_INLINE L4_MemoryDesc_t *L4_MemoryDesc(const void *kip, L4_Word_t n) {
    const L4_KernelInterfacePage_t *k = kip;
    if (n >= L4_NumMemoryDescriptors(kip)) {
        return NULL;
    }
    return (L4_MemoryDesc_t *)((uintptr_t)kip + (k->MemoryInfo >> 16)) + n;
}

/* ---- the other fields ---- */

#define L4_UTCB_INFO(log2_area, log2_align, multiple)                                              \
    ((L4_Word_t)(log2_area) << 16 | (L4_Word_t)(log2_align) << 10 | (L4_Word_t)(multiple))
#define L4_THREAD_INFO(user_base, system_base, log2_threads)                                       \
    ((L4_Word_t)(user_base) << 20 | (L4_Word_t)(system_base) << 8 | (L4_Word_t)(log2_threads))

L4_INLINE L4_Word_t L4_UtcbAreaSizeLog2(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->UtcbInfo >> 16 & 0x3f;
}

L4_INLINE L4_Word_t L4_UtcbAreaSize(const void *kip) {
    return (L4_Word_t)1 << L4_UtcbAreaSizeLog2(kip);
}

L4_INLINE L4_Word_t L4_UtcbAlignmentLog2(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->UtcbInfo >> 10 & 0x3f;
}

L4_INLINE L4_Word_t L4_UtcbSize(const void *kip) {
    return (((const L4_KernelInterfacePage_t *)kip)->UtcbInfo & 0x3ff) << L4_UtcbAlignmentLog2(kip);
}

L4_INLINE L4_Word_t L4_KipAreaSizeLog2(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->KipAreaInfo & 0x3f;
}

L4_INLINE L4_Word_t L4_KipAreaSize(const void *kip) {
    return (L4_Word_t)1 << L4_KipAreaSizeLog2(kip);
}

L4_INLINE L4_Word_t L4_BootInfo(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->BootInfo;
}

L4_INLINE L4_Word_t L4_ThreadIdBits(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->ThreadInfo & 0xff;
}

L4_INLINE L4_Word_t L4_ThreadIdSystemBase(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->ThreadInfo >> 8 & 0xfff;
}

L4_INLINE L4_Word_t L4_ThreadIdUserBase(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->ThreadInfo >> 20;
}

L4_INLINE L4_Word_t L4_PageSizeMask(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->PageInfo & 0xfffffc00;
}

L4_INLINE L4_Word_t L4_PageRights(const void *kip) {
    return ((const L4_KernelInterfacePage_t *)kip)->PageInfo & 7;
}

L4_INLINE L4_Word_t L4_NumProcessors(const void *kip) {
    return (((const L4_KernelInterfacePage_t *)kip)->ProcessorInfo & 0xffff) + 1;
}

L4_INLINE const L4_KernelDesc_t *L4_KernelDesc(const void *kip) {
    const L4_KernelInterfacePage_t *k = kip;
    return (const L4_KernelDesc_t *)((uintptr_t)kip + k->KernDescPtr);
}

L4_INLINE L4_Word_t L4_KernelVersion(const void *kip) {
    return L4_KernelDesc(kip)->KernelVer;
}

L4_INLINE L4_Word_t L4_KernelSupplier(const void *kip) {
    return L4_KernelDesc(kip)->Supplier;
}

L4_INLINE void L4_KernelGenDate(const void *kip, L4_Word_t *year, L4_Word_t *month,
                                L4_Word_t *day) {
    L4_Word_t date = L4_KernelDesc(kip)->KernelGenDate;
    *year = (date >> 9 & 0x7f) + 2000;
    *month = date >> 5 & 0xf;
    *day = date & 0x1f;
}

L4_INLINE char *L4_KernelVersionString(const void *kip) {
    const L4_KernelInterfacePage_t *k = kip;
    return (char *)(uintptr_t)kip + k->KernDescPtr + offsetof(L4_KernelDesc_t, VersionString);
}

/* The n-th feature's name; NULL: there are fewer. */
L4_INLINE char *L4_Feature(const void *kip, L4_Word_t n) {
    char *s = L4_KernelVersionString(kip);
    for (;;) {
        while (*s != '\0') {
            s++;
        }
        s++;
        if (*s == '\0') {
            return NULL;
        }
        if (n-- == 0) {
            return s;
        }
    }
}

/* Microseconds. */
L4_INLINE L4_Word_t L4_ReadPrecision(const void *kip) {
    L4_Word_t raw = ((const L4_KernelInterfacePage_t *)kip)->ClockInfo & 0xffff;
    return (L4_Word_t)L4_PeriodMicroseconds((L4_Time_t){.raw = (L4_Word16_t)raw});
}

L4_INLINE L4_Word_t L4_SchedulePrecision(const void *kip) {
    L4_Word_t raw = ((const L4_KernelInterfacePage_t *)kip)->ClockInfo >> 16;
    return (L4_Word_t)L4_PeriodMicroseconds((L4_Time_t){.raw = (L4_Word16_t)raw});
}

L4_INLINE L4_ProcDesc_t *L4_ProcDesc(const void *kip, L4_Word_t n) {
    const L4_KernelInterfacePage_t *k = kip;
    return n >= L4_NumProcessors(kip) ? NULL
                                      : (L4_ProcDesc_t *)((uintptr_t)kip + k->ProcDescPtr) + n;
}

L4_INLINE L4_Word_t L4_ProcDescExternalFreq(const L4_ProcDesc_t *d) {
    return d->ExternalFreq;
}

L4_INLINE L4_Word_t L4_ProcDescInternalFreq(const L4_ProcDesc_t *d) {
    return d->InternalFreq;
}

/* The first programs take the thread numbers from the user base: sigma0, sigma1, root task. */
#define L4_ROOT_VERSION 1

L4_INLINE L4_ThreadId_t L4_Sigma0Id(const void *kip) {
    return L4_GlobalId(L4_ThreadIdUserBase(kip), L4_ROOT_VERSION);
}

L4_INLINE L4_ThreadId_t L4_RootServerId(const void *kip) {
    return L4_GlobalId(L4_ThreadIdUserBase(kip) + 2, L4_ROOT_VERSION);
}

#endif
