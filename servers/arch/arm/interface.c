/* SPDX-License-Identifier: Apache-2.0 */
/* The interface's registers are in a page. */
#include "interface.h"

#include "../../devices.h"

L4_Word_t devices_give_interface(struct task *task) {
    return devices_give_page(task, INTERFACE_BASE, INTERFACE_VA);
}

bool devices_fault(L4_MsgTag_t tag) {
    (void)tag;
    return false;
}
