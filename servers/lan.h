/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network interface, as far as sending and receiving whole frames needs it. No operating system:
 * the driver's space and the machine that pings it (ping.c) both use it. Which one there is, is the
 * architecture's (arch/).
 */
#ifndef LAN_H
#define LAN_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* The interface at `base` (an address, or its first port), reset: it receives, and interrupts
 * nobody yet. */
void lan_init(uintptr_t base);

void lan_address(uint8_t mac[MAC_BYTES]);

/* Whether it interrupts when a frame is there. It goes on as long as one is. */
void lan_interrupt(bool on);

bool lan_received(void);

/* Takes the first frame, which there must be; its length. */
uint32_t lan_receive(uint8_t frame[FRAME_MOST]);

/* Puts a frame of up to FRAME_MOST bytes in line to be sent; what is too short is padded. */
void lan_send(const uint8_t *frame, uint32_t length);

#endif
