/* SPDX-License-Identifier: Apache-2.0 */
/* The interface's registers are ports, which the driver gets when it uses the first of them. */
#include "interface.h"

#include <io_fpage.h>
#include <l4/l4.h>

#include "../../devices.h"

static L4_Fpage_t ports(void) {
    return L4_FpageAddRights(L4_IoFpageLog2(INTERFACE_BASE, INTERFACE_PORTS_LOG2),
                             L4_FullyAccessible);
}

L4_Word_t devices_give_interface(struct task *task) {
    (void)task;
    return L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, ports())) ? 0 : INTERFACE_BASE;
}

bool devices_fault(L4_MsgTag_t tag) {
    L4_Fpage_t wanted;
    L4_Msg_t msg;
    L4_StoreMR(1, &wanted.raw);
    if (L4_Label(tag) != L4_LABEL_IO_FAULT ||
        L4_IoFpagePort(wanted) - INTERFACE_BASE >= 1u << INTERFACE_PORTS_LOG2) {
        return false;
    }
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(ports(), 0));
    L4_MsgLoad(&msg);
    return true;
}
