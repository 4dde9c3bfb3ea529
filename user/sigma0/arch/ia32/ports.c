/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who owns which port: a byte each, as pages.c has one for each page. Those that the kernel needs
 * for itself are given away as well, and the kernel does not map them.
 */
#include "../../ports.h"

#include <io_fpage.h>

#include "../../pages.h"

#define PORTS (1u << L4_IO_PORTS_LOG2)

static L4_Word8_t owner[PORTS];

bool ports_are_meant(L4_Fpage_t wanted) {
    return L4_IsIoFpage(wanted) != 0;
}

bool ports_claim(L4_ThreadId_t who, L4_Fpage_t wanted) {
    unsigned index = pages_owner_index(who);
    L4_Word_t first = L4_IoFpagePort(wanted), log2_size = L4_IoFpageSizeLog2(wanted);
    if (index == 0 || log2_size > L4_IO_PORTS_LOG2 || (first & ((1u << log2_size) - 1)) != 0) {
        return false;
    }
    for (L4_Word_t i = 0; i < 1u << log2_size; i++) {
        if (owner[first + i] != 0 && owner[first + i] != index) {
            return false;
        }
    }
    for (L4_Word_t i = 0; i < 1u << log2_size; i++) {
        owner[first + i] = (L4_Word8_t)index;
    }
    return true;
}
