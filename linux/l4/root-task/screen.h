/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PC's frame buffer, if the loader has set a mode (`vga=`) and so the kernel names it. The root
 * task has it from sigma0 before anybody else asks, and shows it to the server, which shows it to
 * programs that map it through /dev/mem.
 */
#ifndef L4_ROOT_SCREEN_H
#define L4_ROOT_SCREEN_H

#include <l4/l4.h>
#include <probe.h>

/* Where it is in the root task and in the server, as much of it as there is room for. */
#define ROOT_SCREEN     0x00800000u
#define ROOT_SCREEN_MAX 0x00400000u

/* Its physical address, 0: there is none. (Of devices' memory the kernel names nothing else but the
 * probe's.) */
static inline L4_Word_t screen_find(L4_Word_t *size) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (!L4_IsMemoryDescVirtual(d) && L4_MemoryDescType(d) == L4_DedicatedMemoryType &&
            L4_MemoryDescLow(d) != PROBE_BASE_PA) {
            *size = L4_MemoryDescHigh(d) + 1 - L4_MemoryDescLow(d);
            return L4_MemoryDescLow(d);
        }
    }
    *size = 0;
    return 0;
}

#endif
