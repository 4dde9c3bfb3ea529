/* SPDX-License-Identifier: Apache-2.0 */
/* What the root task and the machine that pings have to know of the network interface, an NE2000:
 * its first port and how many it has (as log2), and its interrupt. */
#ifndef INTERFACE_H
#define INTERFACE_H

#define INTERFACE_BASE       0x300u
#define INTERFACE_PORTS_LOG2 5
#define INTERFACE_INTERRUPT  9u

/* Where the driver has its device pages: within a small space. */
#define INTERFACE_VA 0x00300000u

#endif
