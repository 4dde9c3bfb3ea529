/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The console, what the loader brought, and the end.
 */
#include "host.h"

#include <l4/l4.h>
#include <probe.h>

#include "internal.h"

/* The PC's keyboard controller resets the machine. */
#define KEYBOARD_COMMAND 0x64
#define COMMAND_RESET    0xfe

L4_ThreadId_t host_main;

void host_put(char c) {
    L4_KDB_PrintChar(c);
}

const char *host_command_line(void) {
    const char *line = L4_BootInfo_CommandLine(L4_BootInfo(L4_GetKernelInterface()));

    return line != NULL ? line : "";
}

const void *host_module(unsigned long *size) {
    const void *info = (const void *)L4_BootInfo(L4_GetKernelInterface());
    const L4_BootRec_t *record;
    L4_Word_t i;

    *size = 0;
    if (info == NULL || !L4_BootInfo_Valid(info)) {
        return NULL;
    }
    record = L4_BootInfo_FirstEntry(info);
    for (i = 0; i < L4_BootInfo_Entries(info); i++) {
        if (L4_BootRec_Type(record) == L4_BootInfo_Module) {
            *size = L4_Module_Size(record);
            return (const void *)L4_Module_Start(record);
        }
        record = L4_BootRec_Next(record);
    }
    return NULL;
}

/* Up to the boot information, behind which modules are; without it, up to memory's end. */
unsigned long host_memory_end(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    L4_Word_t i;

    if (L4_BootInfo(kip) != 0) {
        return L4_BootInfo(kip) & ~0xfffu;
    }
    for (i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);

        if (!L4_IsMemoryDescVirtual(d) && L4_MemoryDescType(d) == L4_ConventionalMemoryType) {
            return L4_MemoryDescHigh(d) + 1;
        }
    }
    return 0;
}

unsigned long host_address_end(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    L4_Word_t i = 0;

    while (!L4_IsMemoryDescVirtual(L4_MemoryDesc(kip, i))) {
        i++;
    }
    return L4_MemoryDescHigh(L4_MemoryDesc(kip, i)) + 1;
}

unsigned long host_khz(void) {
    return L4_ProcDescInternalFreq(L4_ProcDesc(L4_GetKernelInterface(), 0));
}

unsigned long host_device(void) {
    return probe_init() ? PROBE_BASE_PA : 0;
}

void host_exit(int status) {
    if (probe_init()) {
        probe_write(PROBE_EXIT, (L4_Word_t)status);
    }
    __asm__ volatile("outb %0, %1" : : "a"((char)COMMAND_RESET), "Nd"(KEYBOARD_COMMAND));
    for (;;) {
        L4_Sleep(L4_Never);
    }
}

/* Before Linux: who we are, and the words of the stub page that are ours to fill in. */
void host_start(void) {
    host_main = L4_MyGlobalId();
    host_tasks_init();
}
