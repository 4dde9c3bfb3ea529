/* SPDX-License-Identifier: Apache-2.0 */
/* What the root task has to know of the network interface: where it is, and its interrupt's number
 * as a thread (kernel/arch/arm/board/versatile/board_layout.h). */
#ifndef INTERFACE_H
#define INTERFACE_H

#include "lan91c111.h"

#define INTERFACE_BASE      LAN_BASE
#define INTERFACE_INTERRUPT (32u + LAN_SOURCE)

#endif
