/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <l4/l4.h>

static bool present;

bool probe_init(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip) && !present; i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (L4_MemoryDescType(d) != L4_DedicatedMemoryType || L4_MemoryDescLow(d) > PROBE_BASE_PA ||
            L4_MemoryDescHigh(d) < PROBE_BASE_PA) {
            continue;
        }
        L4_Fpage_t page = L4_FpageAddRights(L4_FpageLog2(PROBE_BASE_PA, 12), L4_ReadWriteOnly);
        present = !L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, page)) &&
                  probe_read(PROBE_ID) == PROBE_ID_VALUE;
    }
    return present;
}

bool probe_present(void) {
    return present;
}
