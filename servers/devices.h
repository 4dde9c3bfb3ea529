/* SPDX-License-Identifier: Apache-2.0 */
/* For the root task: how a driver gets its devices, by architecture (arch/). */
#ifndef DEVICES_H
#define DEVICES_H

#include "../user/common/task.h"

/* Gives the task the device page at `pa`. Where it sees it; 0: it cannot be had. */
L4_Word_t devices_give_page(struct task *task, L4_Word_t pa, L4_Word_t va);

/* Gives it the network interface. Where that is for lan_init; 0: it cannot be had. */
L4_Word_t devices_give_interface(struct task *task);

/* Loads the answer to a fault of the task's that is not about a page. False: it is none that it may
 * have. */
bool devices_fault(L4_MsgTag_t tag);

#endif
