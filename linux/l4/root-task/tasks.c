/* SPDX-License-Identifier: GPL-2.0-only */
#include "tasks.h"

#include <small_space.h>

bool task_make_space(L4_ThreadId_t id, L4_Fpage_t kip, L4_Fpage_t utcbs) {
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_Word_t old;
    void *first = (void *)(uintptr_t)L4_Address(utcbs);
    return L4_ThreadControl(id, id, me, L4_nilthread, (void *)~(uintptr_t)0) &&
           L4_SpaceControl(id, 0, kip, utcbs, L4_nilthread, &old) &&
           L4_ThreadControl(id, id, me, me, first);
}

bool task_start(L4_ThreadId_t id, L4_Word_t ip, L4_Word_t sp) {
    L4_LoadMR(1, ip);
    L4_LoadMR(2, sp);
    L4_LoadMR(0, L4_MakeMsgTag(0, 2, 0).raw);
    return L4_IpcSucceeded(L4_Send(id)) != 0;
}

bool task_give(L4_ThreadId_t to, L4_Word_t frame, L4_Word_t address, L4_Word_t rights) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg,
                        L4_MapItem(L4_FpageAddRights(L4_FpageLog2(frame, 12), rights), address));
    L4_MsgLoad(&msg);
    return L4_IpcSucceeded(L4_Send(to)) != 0;
}

bool task_set_number(L4_ThreadId_t id, L4_Word_t number) {
    L4_Word_t old = 0;
    return L4_SpaceControl(id, L4_SMALL_SPACE_SET | number, L4_Nilpage, L4_Nilpage, L4_nilthread,
                           &old) &&
           (old & L4_SMALL_SPACE_DONE) != 0;
}

L4_Word_t task_address_end(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    L4_Word_t i = 0;
    while (!L4_IsMemoryDescVirtual(L4_MemoryDesc(kip, i))) {
        i++;
    }
    return L4_MemoryDescHigh(L4_MemoryDesc(kip, i)) + 1;
}
