/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls by their X.2 names. Programs only: syscalls.S in l4/lib/arch makes the calls,
 * through the addresses that l4_startup (l4/lib/startup.c) took from the KIP.
 */
#ifndef L4_SYSCALL_H
#define L4_SYSCALL_H

#include <l4/kip.h>
#include <l4/message.h>
#include <my_utcb.h>
#include <l4/utcb.h>

L4_BEGIN_C

/* KIP address and, where asked for, the kernel's versions; works before any start-up code. */
void *L4_KernelInterface(L4_Word_t *api_version, L4_Word_t *api_flags, L4_Word_t *kernel_id);

/* The KIP as l4_startup found it. */
L4_KernelInterfacePage_t *L4_GetKernelInterface(void);

/* Sends MRs to `to` and receives into MRs; either may be nilthread. Returns the received tag. */
L4_MsgTag_t L4_Ipc(L4_ThreadId_t to, L4_ThreadId_t from_specifier, L4_Word_t timeouts,
                   L4_ThreadId_t *from);
L4_MsgTag_t L4_Lipc(L4_ThreadId_t to, L4_ThreadId_t from_specifier, L4_Word_t timeouts,
                    L4_ThreadId_t *from);

void L4_ThreadSwitch(L4_ThreadId_t dest);
L4_Clock_t L4_SystemClock(void);

/* Results 1 = good; 0 = failed, reason in the TCR's ErrorCode. */
L4_Word_t L4_ThreadControl(L4_ThreadId_t dest, L4_ThreadId_t space, L4_ThreadId_t scheduler,
                           L4_ThreadId_t pager, void *utcb_location);
L4_Word_t L4_SpaceControl(L4_ThreadId_t space, L4_Word_t control, L4_Fpage_t kip_area,
                          L4_Fpage_t utcb_area, L4_ThreadId_t redirector, L4_Word_t *old_control);
L4_Word_t L4_ProcessorControl(L4_Word_t processor, L4_Word_t internal_frequency,
                              L4_Word_t external_frequency, L4_Word_t voltage);
/* MR 0 to k hold the fpages. */
L4_Word_t L4_MemoryControl(L4_Word_t control, const L4_Word_t attributes[4]);

L4_ThreadId_t L4_ExchangeRegisters(L4_ThreadId_t dest, L4_Word_t control, L4_Word_t sp,
                                   L4_Word_t ip, L4_Word_t flags, L4_Word_t user_handle,
                                   L4_ThreadId_t pager, L4_Word_t *old_control, L4_Word_t *old_sp,
                                   L4_Word_t *old_ip, L4_Word_t *old_flags,
                                   L4_Word_t *old_user_handle, L4_ThreadId_t *old_pager);

/* Thread state (L4_ScheduleResult below); 0 = failed. -1 leaves a parameter as it is. */
L4_Word_t L4_Schedule(L4_ThreadId_t dest, L4_Word_t time_control, L4_Word_t processor_control,
                      L4_Word_t priority, L4_Word_t preemption_control,
                      L4_Word_t *old_time_control);

/* MR 0 to k hold the fpages; the kernel returns in their rights what had been accessed. */
void L4_Unmap(L4_Word_t control);

L4_END_C

L4_INLINE L4_Word_t L4_ApiVersion(void) {
    L4_Word_t version;
    (void)L4_KernelInterface(&version, NULL, NULL);
    return version;
}

L4_INLINE L4_Word_t L4_ApiFlags(void) {
    L4_Word_t flags;
    (void)L4_KernelInterface(NULL, &flags, NULL);
    return flags;
}

L4_INLINE L4_Word_t L4_KernelId(void) {
    L4_Word_t id;
    (void)L4_KernelInterface(NULL, NULL, &id);
    return id;
}

/* Does the kernel name this feature in its description? */
L4_INLINE L4_Bool_t L4_HasFeature(const char *name) {
    const char *feature;
    for (L4_Word_t i = 0; (feature = L4_Feature(L4_GetKernelInterface(), i)) != NULL; i++) {
        L4_Word_t n = 0;
        while (name[n] != '\0' && name[n] == feature[n]) {
            n++;
        }
        if (name[n] == feature[n]) {
            return true;
        }
    }
    return false;
}

/* ExchangeRegisters control, in. */
#define L4_EXREGS_HALT        0x001u /* H: the halt state to set, when h says so */
#define L4_EXREGS_RECV_CANCEL 0x002u /* R */
#define L4_EXREGS_SEND_CANCEL 0x004u /* S */
#define L4_EXREGS_SP          0x008u /* s */
#define L4_EXREGS_IP          0x010u /* i */
#define L4_EXREGS_FLAGS       0x020u /* f */
#define L4_EXREGS_HANDLE      0x040u /* u */
#define L4_EXREGS_PAGER       0x080u /* p */
#define L4_EXREGS_WRITE_HALT  0x100u /* h */
#define L4_EXREGS_DELIVER 0x200u /* d: the old values are wanted; this kernel always tells them */
/* Out: H was halted; R was receiving; S was sending. */

/* Schedule: thread states. */
#define L4_SCHEDULE_ERROR        0
#define L4_SCHEDULE_DEAD         1
#define L4_SCHEDULE_INACTIVE     2
#define L4_SCHEDULE_RUNNING      3
#define L4_SCHEDULE_PENDING_SEND 4
#define L4_SCHEDULE_SENDING      5
#define L4_SCHEDULE_WAITING      6
#define L4_SCHEDULE_RECEIVING    7

/* Unmap control: flush (also from the invoker's own space) | number of fpages - 1. */
#define L4_UNMAP_FLUSH 0x40u

#ifdef __cplusplus
#include <l4/cxx/syscall.h>
#endif

#endif
