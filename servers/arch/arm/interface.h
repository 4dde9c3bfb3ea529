/* SPDX-License-Identifier: Apache-2.0 */
/* What the root task and the machine that pings have to know of the network interface, a LAN91C111:
 * where the Versatile has its registers, and its interrupt, source 25 of the secondary controller
 * (DUI 0225, 4.10), as a thread's number (kernel/arch/arm/board/versatile/board_layout.h). */
#ifndef INTERFACE_H
#define INTERFACE_H

#define INTERFACE_BASE      0x10010000u
#define INTERFACE_SOURCE    25u
#define INTERFACE_INTERRUPT (32u + INTERFACE_SOURCE)

/* Where the driver has its device pages, if spaces are apart: in one megabyte. */
#define INTERFACE_VA 0x00800000u

#endif
