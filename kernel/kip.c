/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel interface page: written once. Its frame then is a synonym in every space, which does
 * no harm as nobody writes to it again (so it holds no value that changes).
 */
#include "kip.h"

#include "board.h"
#include "cpu.h"
#include "kernel.h"
#include "kip_memory.h"
#include "tcb.h"

extern char kip_page[];
#define DECLARE_STUB(name, Name, number, word) extern char kip_stub_##name[];
L4_SYSTEM_CALLS(DECLARE_STUB)

L4_KernelInterfacePage_t *const the_kip = (L4_KernelInterfacePage_t *)kip_page;

/* Offsets in the page; kip.S leaves the first 0x800 bytes to us. */
#define PROCESSOR_DESC (0x40 * sizeof(word_t))
#define MEMORY_DESCS   (0x48 * sizeof(word_t))
#define KERNEL_DESC    (0x80 * sizeof(word_t))

/* "L4" kernels know each other by this number; 'switchyard' is not among them yet. */
#define KERNEL_ID      0x7f
#define KERNEL_SUB_ID  1
#define KERNEL_VERSION 1
#define KERNEL_DATE    (26u << 9 | 11u << 5 | 21u) /* of this version: year - 2000, month, day */

word_t kip_pa(void) {
    return (word_t)kip_page - KERNEL_VA + KERNEL_PA;
}

static L4_Word_t stub_offset(const char *stub) {
    return (L4_Word_t)(stub - kip_page);
}

static L4_Word_t add_memory(L4_Word_t n, L4_Word_t low, L4_Word_t size, bool is_virtual,
                            L4_Word_t type) {
    L4_MemoryDesc_t *desc = (L4_MemoryDesc_t *)(kip_page + MEMORY_DESCS) + n;
    *desc = L4_MakeMemoryDesc(low, low + (size - 1), is_virtual, type);
    return n + 1;
}

/* The later descriptor overrides the earlier where they overlap (X.2 manual, 1.2). */
static void add_memories(void) {
    L4_Word_t n = 0;
    n = add_memory(n, 0, KERNEL_AREA, true, L4_ConventionalMemoryType);
    if (RESERVED_VA_SIZE != 0) {
        n = add_memory(n, RESERVED_VA, RESERVED_VA_SIZE, true, L4_ReservedMemoryType);
    }
    n = add_memory(n, SDRAM_PA, SDRAM_SIZE, false, L4_ConventionalMemoryType);
    n = add_memory(n, KERNEL_PA, KERNEL_SIZE + HEAP_SIZE, false, L4_ReservedMemoryType);
    /* What the board's registers are is sigma0's to give away: dedicated memory. */
#define ADD_DEVICE(pa, size) n = add_memory(n, pa, size, false, L4_DedicatedMemoryType);
    KIP_DEVICES(ADD_DEVICE)
    if (probe != NULL) {
        n = add_memory(n, PROBE_PA, 0x00001000, false, L4_DedicatedMemoryType);
    }
    the_kip->MemoryInfo = (L4_MemoryInfo_t){.n = (L4_Word16_t)n, .MemDescPtr = MEMORY_DESCS};
    kernel_assert(MEMORY_DESCS + n * sizeof(L4_MemoryDesc_t) <= KERNEL_DESC);
    KIP_ADD_FOUND();
}

static void add_kernel_desc(void) {
    static const struct {
        L4_Word_t id, date, version, supplier;
        char strings[32];
    } desc = {.id = KERNEL_ID << 24 | KERNEL_SUB_ID << 16,
              .date = KERNEL_DATE,
              .version = KERNEL_VERSION << 24,
              .supplier = 'S' | 'W' << 8 | 'Y' << 16 | 'D' << 24,
              .strings = "Switchyard\0" SWITCH_NAME "\0"};
    __builtin_memcpy(kip_page + KERNEL_DESC, &desc, sizeof desc);
    the_kip->KernDescPtr = KERNEL_DESC;
}

void kip_init(word_t boot_info) {
    the_kip->magic = L4_KIP_MAGIC;
    the_kip->ApiVersion.raw = (L4_Word_t)L4_API_VERSIONWORD;
    the_kip->ApiFlags.raw = L4_BITS_PER_WORD == 64 ? L4_APIFLAG_64BIT << 2 : L4_APIFLAG_LE;
    the_kip->sigma0 = (L4_ServerDesc_t){.ip = BOOT_ADDRESS(sigma0_ip),
                                        .low = BOOT_ADDRESS(sigma0_low),
                                        .high = BOOT_ADDRESS(sigma0_high)};
    the_kip->root_server = (L4_ServerDesc_t){.ip = BOOT_ADDRESS(program_ip),
                                             .low = BOOT_ADDRESS(program_low),
                                             .high = BOOT_ADDRESS(program_high)};
    the_kip->UtcbInfo.raw = L4_UTCB_INFO(12, L4_UTCB_LOG2_SIZE, 1);
    the_kip->KipAreaInfo.raw = 12;
    /* The timer counts at a microsecond or less; timeslices end by it. */
    the_kip->ClockInfo.raw = (L4_Word_t)L4_TimePeriod(1).raw << 16 | L4_TimePeriod(1).raw;
    the_kip->ThreadInfo.raw = L4_THREAD_INFO(USER_BASE, SYSTEM_BASE, THREAD_COUNT_LOG2);
    the_kip->PageInfo.raw = L4_PAGE_SIZES | (L4_Readable | L4_Writable);
    the_kip->ProcessorInfo.raw = (L4_BITS_PER_WORD == 64 ? 5u : 4u)
                                 << 28; /* one processor; log2 of a descriptor's size */
    the_kip->BootInfo = boot_info;
    the_kip->ProcDescPtr = PROCESSOR_DESC;
    *(L4_ProcDesc_t *)(kip_page + PROCESSOR_DESC) =
        (L4_ProcDesc_t){.raw = {BOARD_EXTERNAL_KHZ, BOARD_INTERNAL_KHZ, 0, 0}};

#define SET_STUB(name, Name, number, word) the_kip->Name = stub_offset(kip_stub_##name);
    L4_SYSTEM_CALLS(SET_STUB)

    add_memories();
    add_kernel_desc();
    cpu_clean_dcache_range((word_t)kip_page, L4_KIP_SIZE, 1);
    cpu_drain_write_buffer();
}
