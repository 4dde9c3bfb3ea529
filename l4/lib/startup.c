/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the kernel: crt0.S calls l4_startup once, before main and before any system call.
 */
#include <l4/l4.h>

void l4_startup(void);
void l4_rest(void);

/* crt0's and syscalls.S' parts that C code reaches only through this file. */
void l4_kernel_interface(L4_Word_t words[4]);
void l4_system_clock(L4_Word_t words[2]);
void l4_exchange_registers(L4_Word_t words[7]);

/* Absolute addresses of the kernel's stubs, in the order of the KIP's words from SpaceControl. */
L4_Word_t l4_syscalls[L4_SYSTEM_CALL_COUNT];
#define IS_IN_ORDER(name, Name, number, word)                                                      \
    _Static_assert((word) - L4_KIP_SYSTEM_CALLS < sizeof l4_syscalls, #Name);
L4_SYSTEM_CALLS(IS_IN_ORDER)

static L4_KernelInterfacePage_t *kip;

void l4_startup(void) {
    L4_Word_t words[4];
    l4_kernel_interface(words);
    kip = (L4_KernelInterfacePage_t *)(uintptr_t)words[0];
    const L4_Word_t *offsets = &kip->SpaceControl;
    for (unsigned i = 0; i < sizeof l4_syscalls / sizeof l4_syscalls[0]; i++) {
        l4_syscalls[i] = words[0] + offsets[i];
    }
}

/* A program whose main returned waits for ever, for nobody in particular. */
void l4_rest(void) {
    L4_Sleep(L4_Never);
}

void *L4_KernelInterface(L4_Word_t *api_version, L4_Word_t *api_flags, L4_Word_t *kernel_id) {
    L4_Word_t words[4];
    l4_kernel_interface(words);
    if (api_version != NULL) {
        *api_version = words[1];
    }
    if (api_flags != NULL) {
        *api_flags = words[2];
    }
    if (kernel_id != NULL) {
        *kernel_id = words[3];
    }
    return (void *)(uintptr_t)words[0];
}

L4_KernelInterfacePage_t *L4_GetKernelInterface(void) {
    return kip;
}

L4_Clock_t L4_SystemClock(void) {
    L4_Word_t words[2];
    l4_system_clock(words);
    return (L4_Clock_t){.X = {.low = (L4_Word32_t)words[0], .high = (L4_Word32_t)words[1]}};
}

L4_ThreadId_t L4_ExchangeRegisters(L4_ThreadId_t dest, L4_Word_t control, L4_Word_t sp,
                                   L4_Word_t ip, L4_Word_t flags, L4_Word_t user_handle,
                                   L4_ThreadId_t pager, L4_Word_t *old_control, L4_Word_t *old_sp,
                                   L4_Word_t *old_ip, L4_Word_t *old_flags,
                                   L4_Word_t *old_user_handle, L4_ThreadId_t *old_pager) {
    L4_Word_t words[7] = {dest.raw, control, sp, ip, flags, user_handle, pager.raw};
    l4_exchange_registers(words);
    *old_control = words[1];
    *old_sp = words[2];
    *old_ip = words[3];
    *old_flags = words[4];
    *old_user_handle = words[5];
    old_pager->raw = words[6];
    return (L4_ThreadId_t){.raw = words[0]};
}
