/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who owns which physical page: one byte a page of RAM (an index into `owners`), and a short list
 * for pages elsewhere (devices): pieces of several that were asked for one after another.
 */
#include "pages.h"

/* 512 MB is what QEMU's collie has. */
#define RAM_PAGES  (512u * 1024 * 1024 / PAGE_SIZE)
#define MAX_OWNERS 64
#define MAX_DEVICE 64

static const L4_KernelInterfacePage_t *kip;
static L4_ThreadId_t root_task;

static L4_ThreadId_t owners[MAX_OWNERS + 1]; /* 1 on; 0 is "nobody" */
static unsigned num_owners;
static L4_Word_t ram_base; /* of the first conventional memory that the kernel names */
static L4_Word8_t ram_owner[RAM_PAGES];

static struct {
    L4_Word_t first, last; /* pages */
    unsigned owner;
} device[MAX_DEVICE];
static unsigned num_devices;

void pages_init(const L4_KernelInterfacePage_t *interface) {
    kip = interface;
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (!L4_IsMemoryDescVirtual(d) && L4_MemoryDescType(d) == L4_ConventionalMemoryType) {
            ram_base = L4_MemoryDescLow(d);
            return;
        }
    }
}

void pages_set_root(L4_ThreadId_t root) {
    root_task = root;
}

unsigned pages_owner_index(L4_ThreadId_t who) {
    for (unsigned i = 1; i <= num_owners; i++) {
        if (owners[i].raw == who.raw) {
            return i;
        }
    }
    if (num_owners == MAX_OWNERS) {
        return 0;
    }
    owners[++num_owners] = who;
    return num_owners;
}

static bool within(L4_Word_t page, const L4_ServerDesc_t *server) {
    return page + (PAGE_SIZE - 1) >= server->low && page <= server->high;
}

/* Type of the page, from the last descriptor that covers it. */
static L4_Word_t type_of(L4_Word_t page) {
    for (L4_Word_t i = L4_NumMemoryDescriptors(kip); i > 0; i--) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i - 1);
        if (!L4_IsMemoryDescVirtual(d) && page >= L4_MemoryDescLow(d) &&
            page <= L4_MemoryDescHigh(d)) {
            return L4_MemoryDescType(d);
        }
    }
    return L4_UndefinedMemoryType;
}

static bool is_boot_info(L4_Word_t page) {
    return kip->BootInfo != 0 && page == (kip->BootInfo & ~(PAGE_SIZE - 1));
}

/* May `who` have the page, as far as its kind goes? */
static bool allowed(L4_ThreadId_t who, L4_Word_t page) {
    if (kip->sigma0.high != 0 && within(page, &kip->sigma0)) {
        return false;
    }
    if (within(page, &kip->root_server) || is_boot_info(page)) {
        return who.raw == root_task.raw;
    }
    switch (type_of(page)) {
    case L4_ConventionalMemoryType:
    case L4_DedicatedMemoryType:
    case L4_SharedMemoryType:
    case L4_BootLoaderSpecificMemoryType:
    case L4_ArchitectureSpecificMemoryType:
        return true;
    default:
        return false;
    }
}

static unsigned owner_of(L4_Word_t page) {
    L4_Word_t index = (page - ram_base) >> PAGE_LOG2;
    if (page >= ram_base && index < RAM_PAGES) {
        return ram_owner[index];
    }
    for (unsigned i = 0; i < num_devices; i++) {
        if (page >= device[i].first && page <= device[i].last) {
            return device[i].owner;
        }
    }
    return 0;
}

static bool set_owner(L4_Word_t page, unsigned owner) {
    L4_Word_t index = (page - ram_base) >> PAGE_LOG2;
    if (page >= ram_base && index < RAM_PAGES) {
        ram_owner[index] = (L4_Word8_t)owner;
        return true;
    }
    if (owner_of(page) == owner) {
        return true;
    }
    if (num_devices != 0 && device[num_devices - 1].owner == owner &&
        device[num_devices - 1].last + PAGE_SIZE == page) {
        device[num_devices - 1].last = page;
        return true;
    }
    if (num_devices == MAX_DEVICE) {
        return false;
    }
    device[num_devices].first = device[num_devices].last = page;
    device[num_devices++].owner = owner;
    return true;
}

bool pages_claim(L4_ThreadId_t who, L4_Word_t base, L4_Word_t size) {
    unsigned index = pages_owner_index(who);
    if (index == 0 || base + (size - 1) < base) {
        return false;
    }
    for (L4_Word_t at = 0; at < size; at += PAGE_SIZE) {
        unsigned owner = owner_of(base + at);
        if (!allowed(who, base + at) || (owner != 0 && owner != index)) {
            return false;
        }
    }
    for (L4_Word_t at = 0; at < size; at += PAGE_SIZE) {
        if (!set_owner(base + at, index)) {
            return false;
        }
    }
    return true;
}

/* Free, and nobody's by right. */
static bool is_free(L4_Word_t page) {
    return owner_of(page) == 0 && type_of(page) == L4_ConventionalMemoryType &&
           !within(page, &kip->sigma0) && !within(page, &kip->root_server) && !is_boot_info(page);
}

L4_Word_t pages_claim_any(L4_ThreadId_t who, L4_Word_t size) {
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (L4_IsMemoryDescVirtual(d) || L4_MemoryDescType(d) != L4_ConventionalMemoryType) {
            continue;
        }
        L4_Word_t base = (L4_MemoryDescLow(d) + (size - 1)) & ~(size - 1);
        for (; base + (size - 1) >= base && base + (size - 1) <= L4_MemoryDescHigh(d);
             base += size) {
            L4_Word_t at = 0;
            while (at < size && is_free(base + at)) {
                at += PAGE_SIZE;
            }
            if (at == size && pages_claim(who, base, size)) {
                return base;
            }
        }
    }
    return 0;
}
