/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel interface page (KIP): what the kernel tells about itself and the machine.
 *
 * One structure for both sides; offsets are those of the X.2 manual, for words of the
 * machine's size; in comments, for 32 bits.
 */
#ifndef L4_KIP_H
#define L4_KIP_H

#include <l4/syscall_list.h>
#include <l4/types.h>

/* Where a server that the boot image brings along starts and lies. */
typedef struct {
    L4_Word_t sp;
    L4_Word_t ip;
    L4_Word_t low;
    L4_Word_t high;
} L4_ServerDesc_t;

/* ---- words with fields, the lowest bits first ---- */

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t reserved : 16;
        L4_Word_t subversion : 8;
        L4_Word_t version : 8;
    } x;
} L4_ApiVersion_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t ee : 2; /* byte order */
        L4_Word_t ww : 2; /* word size */
        L4_Word_t reserved : 28;
    } x;
} L4_ApiFlags_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t reserved : 16;
        L4_Word_t subid : 8;
        L4_Word_t id : 8;
    } x;
} L4_KernelId_t;

typedef struct {
    L4_Word_t n : L4_BITS_PER_WORD / 2;
    L4_Word_t MemDescPtr : L4_BITS_PER_WORD / 2; /* offset in the page */
} L4_MemoryInfo_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t m : 10; /* a UTCB has m * 2^a bytes */
        L4_Word_t a : 6;  /* log2 of their alignment */
        L4_Word_t s : 6;  /* log2 of the smallest area */
        L4_Word_t reserved : 10;
    } X;
} L4_UtcbInfo_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t s : 6; /* log2 of the size */
        L4_Word_t reserved : 26;
    } X;
} L4_KipAreaInfo_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t ReadPrecision : 16; /* both as L4_Time_t */
        L4_Word_t SchedulePrecision : 16;
    } X;
} L4_ClockInfo_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t t : 8; /* log2 of the number of thread numbers */
        L4_Word_t SystemBase : 12;
        L4_Word_t UserBase : 12;
    } X;
} L4_ThreadInfo_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t rwx : 3; /* rights that can be had separately */
        L4_Word_t reserved : 7;
        L4_Word_t page_size_mask : L4_BITS_PER_WORD - 10; /* without the low 10 bits */
    } X;
} L4_PageInfo_t;

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t processors : 16; /* less one */
        L4_Word_t reserved : 12;
        L4_Word_t s : 4; /* log2 of a descriptor's size */
    } X;
} L4_ProcessorInfo_t;

/* ---- the page; where a field has a second name, the published library calls it so ---- */

typedef struct {
    L4_Word_t magic;            /* 00 */
    L4_ApiVersion_t ApiVersion; /* 04 */
    L4_ApiFlags_t ApiFlags;     /* 08 */
    union {
        L4_Word_t KernDescPtr; /* 0c offset of an L4_KernelDesc_t */
        L4_Word_t KernelVerPtr;
    };
    L4_Word_t kdebug[4]; /* 10 */
    L4_ServerDesc_t sigma0;
    L4_ServerDesc_t sigma1;
    L4_ServerDesc_t root_server;
    L4_Word_t reserved50;
    L4_MemoryInfo_t MemoryInfo; /* 54 */
    L4_Word_t reserved58[20];
    union {
        L4_UtcbInfo_t UtcbInfo; /* a8 */
        L4_UtcbInfo_t UtcbAreaInfo;
    };
    L4_KipAreaInfo_t KipAreaInfo; /* ac */
    L4_Word_t reservedb0[2];
    L4_Word_t BootInfo;               /* b8 address of an L4_BootInfo_t (bootinfo.h), or 0 */
    L4_Word_t ProcDescPtr;            /* bc offset of the first L4_ProcDesc_t */
    L4_ClockInfo_t ClockInfo;         /* c0 */
    L4_ThreadInfo_t ThreadInfo;       /* c4 */
    L4_PageInfo_t PageInfo;           /* c8 */
    L4_ProcessorInfo_t ProcessorInfo; /* cc */
    L4_Word_t SpaceControl;           /* d0 and on: offsets of the stubs (syscall_list.h) */
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
    L4_STATIC_ASSERT(offsetof(L4_KernelInterfacePage_t, field) == (offset), "KIP: " #field)
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
#define L4_KIP_STUB(name, Name, number, word) L4_KIP_AT(Name, (word) / 4 * sizeof(L4_Word_t));
L4_SYSTEM_CALLS(L4_KIP_STUB)
#undef L4_KIP_STUB
#undef L4_KIP_AT

/* KernDescPtr points here; the strings follow: version, then features, empty string last. */
typedef struct {
    L4_KernelId_t KernelId;
    union {
        L4_Word_t raw;
        struct {
            L4_Word_t day : 5;
            L4_Word_t month : 4;
            L4_Word_t year : 7; /* since 2000 */
            L4_Word_t reserved : 16;
        } X;
    } KernelGenDate;
    union {
        L4_Word_t raw;
        struct {
            L4_Word_t subsubver : 16;
            L4_Word_t subver : 8;
            L4_Word_t ver : 8;
        } X;
    } KernelVer;
    L4_Word_t Supplier; /* four characters */
    char VersionString[];
} L4_KernelDesc_t;

typedef union {
    L4_Word_t raw[4];
    struct {
        L4_Word_t ExternalFreq; /* kHz */
        L4_Word_t InternalFreq; /* kHz */
        L4_Word_t reserved[2];
    } X;
} L4_ProcDesc_t;

/* The magic word, and the versions of L4 that have a number (manual, 1.1). */
#define L4_MAGIC            L4_KIP_MAGIC
#define L4_APIVERSION_2     0x02
#define L4_APIVERSION_4     0x04
#define L4_APIVERSION_X0    0x83
#define L4_APISUBVERSION_X0 0x80
#define L4_APIVERSION_X1    0x83
#define L4_APISUBVERSION_X1 0x81
#define L4_APIVERSION_X2    L4_API_VERSION
#define L4_APIFLAG_LE       0
#define L4_APIFLAG_BE       1
#define L4_APIFLAG_32BIT    0
#define L4_APIFLAG_64BIT    1

/* ---- memory descriptors ---- */

typedef union {
    L4_Word_t raw[2];
    struct {
        L4_Word_t type : 4;
        L4_Word_t t : 4; /* more of the type, for the last two types */
        L4_Word_t zero : 1;
        L4_Word_t v : 1; /* virtual, not physical */
        L4_Word_t low : L4_BITS_PER_WORD -
            10; /* both without the low 10 bits; high is the last byte's */
        L4_Word_t zeros : 10;
        L4_Word_t high : L4_BITS_PER_WORD - 10;
    } x;
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
    return (L4_MemoryDesc_t){
        .raw = {(low & L4_BITS_ABOVE(10)) | (is_virtual ? 1u << 9 : 0) | (type & 0xf),
                high & L4_BITS_ABOVE(10)}};
}

L4_INLINE L4_Bool_t L4_IsMemoryDescVirtual(const L4_MemoryDesc_t *d) {
    return d->x.v;
}

L4_INLINE L4_Word_t L4_MemoryDescType(const L4_MemoryDesc_t *d) {
    return d->x.type >= L4_BootLoaderSpecificMemoryType ? d->raw[0] & 0xff : d->x.type;
}

L4_INLINE L4_Word_t L4_MemoryDescLow(const L4_MemoryDesc_t *d) {
    return d->raw[0] & L4_BITS_ABOVE(10);
}

L4_INLINE L4_Word_t L4_MemoryDescHigh(const L4_MemoryDesc_t *d) {
    return d->raw[1] | 0x3ff;
}

L4_INLINE const L4_KernelInterfacePage_t *l4_kip(const void *kip) {
    return (const L4_KernelInterfacePage_t *)kip;
}

L4_INLINE L4_Word_t L4_NumMemoryDescriptors(const void *kip) {
    return l4_kip(kip)->MemoryInfo.n;
}

L4_INLINE L4_MemoryDesc_t *L4_MemoryDesc(const void *kip, L4_Word_t n) {
    if (n >= L4_NumMemoryDescriptors(kip)) {
        return NULL;
    }
    return (L4_MemoryDesc_t *)((uintptr_t)kip + l4_kip(kip)->MemoryInfo.MemDescPtr) + n;
}

/* ---- the other fields ---- */

#define L4_UTCB_INFO(log2_area, log2_align, multiple)                                              \
    ((L4_Word_t)(log2_area) << 16 | (L4_Word_t)(log2_align) << 10 | (L4_Word_t)(multiple))
#define L4_THREAD_INFO(user_base, system_base, log2_threads)                                       \
    ((L4_Word_t)(user_base) << 20 | (L4_Word_t)(system_base) << 8 | (L4_Word_t)(log2_threads))

L4_INLINE L4_Word_t L4_UtcbAreaSizeLog2(const void *kip) {
    return l4_kip(kip)->UtcbInfo.X.s;
}

L4_INLINE L4_Word_t L4_UtcbAreaSize(const void *kip) {
    return (L4_Word_t)1 << L4_UtcbAreaSizeLog2(kip);
}

L4_INLINE L4_Word_t L4_UtcbAlignmentLog2(const void *kip) {
    return l4_kip(kip)->UtcbInfo.X.a;
}

L4_INLINE L4_Word_t L4_UtcbSize(const void *kip) {
    return (L4_Word_t)l4_kip(kip)->UtcbInfo.X.m << L4_UtcbAlignmentLog2(kip);
}

L4_INLINE L4_Word_t L4_KipAreaSizeLog2(const void *kip) {
    return l4_kip(kip)->KipAreaInfo.X.s;
}

L4_INLINE L4_Word_t L4_KipAreaSize(const void *kip) {
    return (L4_Word_t)1 << L4_KipAreaSizeLog2(kip);
}

L4_INLINE L4_Word_t L4_BootInfo(const void *kip) {
    return l4_kip(kip)->BootInfo;
}

L4_INLINE L4_Word_t L4_ThreadIdBits(const void *kip) {
    return l4_kip(kip)->ThreadInfo.X.t;
}

L4_INLINE L4_Word_t L4_ThreadIdSystemBase(const void *kip) {
    return l4_kip(kip)->ThreadInfo.X.SystemBase;
}

L4_INLINE L4_Word_t L4_ThreadIdUserBase(const void *kip) {
    return l4_kip(kip)->ThreadInfo.X.UserBase;
}

L4_INLINE L4_Word_t L4_PageSizeMask(const void *kip) {
    return l4_kip(kip)->PageInfo.raw & L4_BITS_ABOVE(10);
}

L4_INLINE L4_Word_t L4_PageRights(const void *kip) {
    return l4_kip(kip)->PageInfo.X.rwx;
}

L4_INLINE L4_Word_t L4_NumProcessors(const void *kip) {
    return l4_kip(kip)->ProcessorInfo.X.processors + 1u;
}

L4_INLINE const L4_KernelDesc_t *L4_KernelDesc(const void *kip) {
    return (const L4_KernelDesc_t *)((uintptr_t)kip + l4_kip(kip)->KernDescPtr);
}

L4_INLINE L4_Word_t L4_KernelVersion(const void *kip) {
    return L4_KernelDesc(kip)->KernelVer.raw;
}

L4_INLINE L4_Word_t L4_KernelSupplier(const void *kip) {
    return L4_KernelDesc(kip)->Supplier;
}

L4_INLINE void L4_KernelGenDate(const void *kip, L4_Word_t *year, L4_Word_t *month,
                                L4_Word_t *day) {
    const L4_KernelDesc_t *desc = L4_KernelDesc(kip);
    *year = desc->KernelGenDate.X.year + 2000u;
    *month = desc->KernelGenDate.X.month;
    *day = desc->KernelGenDate.X.day;
}

L4_INLINE char *L4_KernelVersionString(const void *kip) {
    return (char *)(uintptr_t)L4_KernelDesc(kip)->VersionString;
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
    L4_Word16_t raw = (L4_Word16_t)l4_kip(kip)->ClockInfo.X.ReadPrecision;
    return (L4_Word_t)L4_PeriodMicroseconds((L4_Time_t){.raw = raw});
}

L4_INLINE L4_Word_t L4_SchedulePrecision(const void *kip) {
    L4_Word16_t raw = (L4_Word16_t)l4_kip(kip)->ClockInfo.X.SchedulePrecision;
    return (L4_Word_t)L4_PeriodMicroseconds((L4_Time_t){.raw = raw});
}

L4_INLINE L4_ProcDesc_t *L4_ProcDesc(const void *kip, L4_Word_t n) {
    if (n >= L4_NumProcessors(kip)) {
        return NULL;
    }
    return (L4_ProcDesc_t *)((uintptr_t)kip + l4_kip(kip)->ProcDescPtr) + n;
}

L4_INLINE L4_Word_t L4_ProcDescExternalFreq(const L4_ProcDesc_t *d) {
    return d->X.ExternalFreq;
}

L4_INLINE L4_Word_t L4_ProcDescInternalFreq(const L4_ProcDesc_t *d) {
    return d->X.InternalFreq;
}

/* The first programs take the thread numbers from the user base: sigma0, sigma1, root task. */
#define L4_ROOT_VERSION 1

L4_INLINE L4_ThreadId_t L4_Sigma0Id(const void *kip) {
    return L4_GlobalId(L4_ThreadIdUserBase(kip), L4_ROOT_VERSION);
}

L4_INLINE L4_ThreadId_t L4_RootServerId(const void *kip) {
    return L4_GlobalId(L4_ThreadIdUserBase(kip) + 2, L4_ROOT_VERSION);
}

#ifdef __cplusplus
#include <l4/cxx/kip.h>
#endif

#endif
