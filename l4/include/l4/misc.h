/* SPDX-License-Identifier: Apache-2.0 */
/* The manual's chapter "Miscellaneous" for programs: MemoryControl; ProcessorControl has one form
 * only (syscall.h). */
#ifndef L4_MISC_H
#define L4_MISC_H

#include <l4/ipc.h>

/* Attributes, by the manual's name and by ARM's C and B bits (arch/arm/binding.h). */
#define L4_DefaultMemory 0

/* One of four attributes for each fpage: the low two bits of the fpage choose. */
L4_INLINE L4_Word_t L4_Set_PagesAttributes(L4_Word_t n, const L4_Fpage_t *fpages,
                                           const L4_Word_t attributes[4]) {
    for (L4_Word_t i = 0; i < n; i++) {
        L4_LoadMR(i, fpages[i].raw);
    }
    return L4_MemoryControl(n - 1, attributes);
}

L4_INLINE L4_Word_t L4_Set_PageAttribute(L4_Fpage_t fpage, L4_Word_t attribute) {
    const L4_Word_t attributes[4] = {attribute, 0, 0, 0};
    fpage.raw &= ~(L4_Word_t)3;
    return L4_Set_PagesAttributes(1, &fpage, attributes);
}

#endif
