/* SPDX-License-Identifier: Apache-2.0 */
/*
 * I/O fpages (X.2 manual, appendix on IA-32): ports, that are mapped, granted and unmapped as
 * memory is, each always to its own number. An fpage of 2^s ports begins at a multiple of that.
 *
 * What differs from memory: a port is had or not, so that mapping does not ask for rights, which
 * these functions do not set; Unmap does. A receive window is an I/O fpage, or the complete address
 * space. A program that uses ports that it has not asks its pager (L4_LABEL_IO_FAULT).
 */
#ifndef L4_IO_FPAGE_H
#define L4_IO_FPAGE_H

#include <l4/types.h>

#define L4_IO_PORTS_LOG2 16
/* In an fpage, where those of memory have their size; which here is after it. */
#define L4_IO_FPAGE_MARK 2u

L4_INLINE L4_Bool_t L4_IsIoFpage(L4_Fpage_t f) {
    return (f.raw >> 4 & 0x3f) == L4_IO_FPAGE_MARK;
}

L4_INLINE L4_Fpage_t L4_IoFpageLog2(L4_Word_t port, int log2_size) {
    return (L4_Fpage_t){.raw = port << 16 | (L4_Word_t)log2_size << 10 | L4_IO_FPAGE_MARK << 4};
}

/* `size` is made a power of two. */
L4_INLINE L4_Fpage_t L4_IoFpage(L4_Word_t port, int size) {
    int log2_size = 0;
    while (log2_size < L4_IO_PORTS_LOG2 && 1 << log2_size < size) {
        log2_size++;
    }
    return L4_IoFpageLog2(port, log2_size);
}

L4_INLINE L4_Word_t L4_IoFpageSizeLog2(L4_Fpage_t f) {
    return f.raw >> 10 & 0x3f;
}

L4_INLINE L4_Word_t L4_IoFpageSize(L4_Fpage_t f) {
    return 1u << L4_IoFpageSizeLog2(f);
}

/* Its first port. */
L4_INLINE L4_Word_t L4_IoFpagePort(L4_Fpage_t f) {
    return f.raw >> 16;
}

#endif
