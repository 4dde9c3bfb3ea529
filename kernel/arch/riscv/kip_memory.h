/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel interface page says of memory that is only on this architecture. */
#ifndef KIP_MEMORY_H
#define KIP_MEMORY_H

#include "layout.h"
#include "word.h"

#define RESERVED_VA      0u
#define RESERVED_VA_SIZE 0u

/* Devices that programs may have: `ADD` is called with address and size of each piece. */
#define KIP_DEVICES(ADD)                                                                           \
    ADD(RTC_PA, 0x1000)                                                                            \
    ADD(UART_PA, 0x1000)                                                                           \
    ADD(VIRTIO_PA, 0x8000)

/* What is only known at boot. */
#define KIP_ADD_FOUND() ((void)0)

/* Absolute symbols made by embed.py, which are too far from the kernel's code to be named there; so
 * kip.S has their values. */
extern const struct {
    word_t sigma0_ip, sigma0_low, sigma0_high, program_ip, program_low, program_high;
} boot_addresses;
#define BOOT_ADDRESS(name) (boot_addresses.name)

#endif
