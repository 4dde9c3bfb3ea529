/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The console, what the loader brought, and the end.
 */
#include "host.h"

#include <l4/l4.h>

#include "../root-task/root.h"
#include "../root-task/screen.h"
#include "internal.h"

L4_ThreadId_t host_main;

L4_Word_t host_ask(L4_Word_t label, const L4_Word_t *words, unsigned count) {
    L4_Word_t answer = 0;

    L4_LoadMRs(1, count, words);
    L4_LoadMR(0, L4_MakeMsgTag(label, count, 0).raw);
    (void)L4_Call(L4_Pager());
    L4_StoreMR(1, &answer);
    return answer;
}

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

/* Up to the boot information, which modules follow; without it, up to memory's end. */
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

static unsigned long probe_page(void) {
    static enum { NOT_ASKED, NONE, THERE } probe;

    if (probe == NOT_ASKED) {
        probe = host_ask(ROOT_FIND_DEVICE, NULL, 0) != 0 ? THERE : NONE;
    }
    return probe == THERE ? ROOT_DEVICE : 0;
}

static unsigned long screen_page(unsigned long physical) {
    L4_Word_t size, base = screen_find(&size);
    L4_Word_t at = physical - base;

    return at < size && at < ROOT_SCREEN_MAX ? ROOT_SCREEN + at : 0;
}

/* (Touched, as only what the server has can be given to programs.) */
unsigned long host_device(unsigned long physical) {
    unsigned long page = physical == PROBE_BASE_PA ? probe_page() : screen_page(physical);

    if (page != 0) {
        (void)*(const volatile char *)page;
    }
    return page;
}

void host_exit(int status) {
    const L4_Word_t word = (L4_Word_t)status;

    for (;;) {
        (void)host_ask(ROOT_EXIT, &word, 1);
    }
}

/* Before Linux: who we are, and the words of the stub page that are ours to fill in. */
void host_start(void) {
    host_main = L4_MyGlobalId();
    L4_Set_ExceptionHandler(L4_Pager());
    host_tasks_init();
}
