/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"

#include "../user/common/frames.h"
#include <l4/l4.h>

L4_Word_t devices_give_page(struct task *task, L4_Word_t pa, L4_Word_t va) {
    L4_Fpage_t page = L4_FpageAddRights(L4_FpageLog2(pa, FRAME_LOG2), L4_ReadWriteOnly);
    if (L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, page))) {
        return 0;
    }
    va = task_protected() ? va : pa;
    uint8_t *frame = (uint8_t *)(uintptr_t)pa;
    return task_add_page(task, va, frame, L4_Readable | L4_Writable) != NULL ? va : 0;
}
