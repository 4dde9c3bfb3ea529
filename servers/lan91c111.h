/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SMSC LAN91C111, as far as sending and receiving whole frames needs it (data sheet DS00002276,
 * chapter 8). No operating system: the driver's space and the machine that pings it (ping.c) both
 * use it.
 */
#ifndef LAN91C111_H
#define LAN91C111_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* Where the Versatile has its registers, and the number of its interrupt: source 25 of the
 * secondary controller (DUI 0225, 4.10). */
#define LAN_BASE   0x10010000u
#define LAN_SOURCE 25u

/* The interface at `base`, reset: it receives, and interrupts nobody yet. */
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
