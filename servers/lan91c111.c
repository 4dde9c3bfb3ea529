/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SMSC LAN91C111 (data sheet DS00002276, chapter 8).
 */
#include "lan.h"

/* Registers, bank and offset as one number. */
#define TCR       0x00
#define RCR       0x04
#define ADDRESS   0x14
#define CTR       0x1c
#define COMMAND   0x20
#define PACKET    0x22
#define POINTER   0x26
#define DATA      0x28
#define INTERRUPT 0x2c

#define BANK_SELECT 14u

#define TX_ENABLE     0x0001u
#define PAD           0x0080u
#define SOFT_RESET    0x8000u
#define STRIP_CRC     0x0200u
#define RX_ENABLE     0x0100u
#define AUTO_RELEASE  0x0800u
#define RECEIVED      0x01u /* interrupts */
#define ALLOCATED     0x08u
#define ALLOCATE      (1u << 5)
#define RELEASE       (4u << 5)
#define ENQUEUE       (6u << 5)
#define FROM_RECEIVED 0xe000u /* pointer: the received packet, moves on, to read */
#define TO_SEND       0x4000u
#define ODD           0x20u /* in a packet's last byte: the one before it is data */
#define COUNT         0x7feu
#define AROUND        6u /* what a packet's count has beside the data: status, itself, control */

static uintptr_t registers;

static void select_bank(uint32_t reg) {
    *(volatile uint16_t *)(registers + BANK_SELECT) = (uint16_t)(reg >> 4);
}

static uint16_t get(uint32_t reg) {
    select_bank(reg);
    return *(volatile uint16_t *)(registers + (reg & 15));
}

static void put(uint32_t reg, uint32_t value) {
    select_bank(reg);
    *(volatile uint16_t *)(registers + (reg & 15)) = (uint16_t)value;
}

/* The data register, a word at a time, while bank 2 stays selected. */
static volatile uint32_t *data(void) {
    return (volatile uint32_t *)(registers + (DATA & 15));
}

void lan_init(uintptr_t base) {
    registers = base;
    put(RCR, SOFT_RESET);
    put(RCR, 0);
    put(CTR, get(CTR) | AUTO_RELEASE);
    put(TCR, TX_ENABLE | PAD);
    put(RCR, RX_ENABLE | STRIP_CRC);
    lan_interrupt(false);
}

void lan_address(uint8_t mac[MAC_BYTES]) {
    for (uint32_t i = 0; i < MAC_BYTES; i += 2) {
        uint16_t pair = get(ADDRESS + i);
        mac[i] = (uint8_t)pair;
        mac[i + 1] = (uint8_t)(pair >> 8);
    }
}

void lan_interrupt(bool on) {
    put(INTERRUPT, on ? RECEIVED << 8 : 0);
}

bool lan_received(void) {
    return (get(INTERRUPT) & RECEIVED) != 0;
}

uint32_t lan_receive(uint8_t frame[FRAME_MOST]) {
    put(POINTER, FROM_RECEIVED);
    uint32_t count = *data() >> 16 & COUNT;
    uint32_t length = count < AROUND ? 0 : count - AROUND;
    length = length < FRAME_MOST ? length : FRAME_MOST;
    /* Words, of which the last one's upper half may be what stands after the data. */
    uint32_t word = 0;
    for (uint32_t at = 0; at < length; at++) {
        word = (at & 3) == 0 ? *data() : word >> 8;
        frame[at] = (uint8_t)word;
    }
    uint32_t control = (length & 3) == 0 ? *data() : word >> 8;
    if ((control >> 8 & ODD) != 0 && length < FRAME_MOST) {
        frame[length++] = (uint8_t)control;
    }
    put(COMMAND, RELEASE);
    return length;
}

void lan_send(const uint8_t *frame, uint32_t length) {
    put(COMMAND, ALLOCATE);
    while ((get(INTERRUPT) & ALLOCATED) == 0) {
    }
    put(PACKET, (uint32_t)get(PACKET) >> 8);
    put(POINTER, TO_SEND);
    *data() = ((length & ~1u) + AROUND) << 16;
    uint32_t word = 0;
    for (uint32_t at = 0; at < (length & ~1u); at++) {
        word |= (uint32_t)frame[at] << (8 * (at & 3));
        if ((at & 3) == 3) {
            *data() = word;
            word = 0;
        }
    }
    uint32_t last = (length & 1) != 0 ? ODD << 8 | frame[length - 1] : 0;
    *data() = word | last << (8 * (length & 2));
    put(COMMAND, ENQUEUE);
}
