/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, for tests in our own space: which it gets from sigma0, its pager, when it uses them. */
#ifndef TEST_PORTS_H
#define TEST_PORTS_H

#include <l4/types.h>

/* The clock (MC146818): a register's number, the register. */
#define CLOCK_INDEX 0x70u
#define CLOCK_DATA  0x71u
/* Nobody is there; the farthest from those. */
#define LAST_PORT 0xffffu

L4_INLINE void port_out(L4_Word16_t port, L4_Word8_t value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

L4_INLINE L4_Word8_t port_in(L4_Word16_t port) {
    L4_Word8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

L4_INLINE void clock_write(L4_Word8_t index, L4_Word8_t value) {
    port_out(CLOCK_INDEX, index);
    port_out(CLOCK_DATA, value);
}

L4_INLINE L4_Word8_t clock_read(L4_Word8_t index) {
    port_out(CLOCK_INDEX, index);
    return port_in(CLOCK_DATA);
}

#endif
