/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NE2000: National's DP8390D (data sheet TL/F/8582) with 16 KB of memory in front of it, as words,
 * and a PROM with the address. Data move through one port, by remote DMA. The first six pages of
 * 256 bytes are for the frame that is sent, the others are the ring of those that are received, in
 * which the boundary is the page before the next frame. (A ring that has overflowed is not started
 * anew.)
 */
#include "lan.h"

/* Registers, by page of them and offset as one number; the command register is in all. */
#define COMMAND    0x00
#define RING_START 0x01
#define RING_STOP  0x02
#define BOUNDARY   0x03
#define SEND_PAGE  0x04
#define SEND_COUNT 0x05
#define INTERRUPTS 0x07
#define DMA_AT     0x08
#define DMA_COUNT  0x0a
#define RECEIVER   0x0c
#define SENDER     0x0d
#define DATA_KIND  0x0e
#define MASK       0x0f
#define ADDRESS    0x11
#define CURRENT    0x17
#define GROUPS     0x18
/* The card's ports after those. */
#define DATA  0x10u
#define RESET 0x1fu

#define STOP      0x01u /* commands */
#define START     0x02u
#define TRANSMIT  0x04u
#define DMA_READ  0x08u
#define DMA_WRITE 0x10u
#define DMA_NONE  0x20u
#define RECEIVED  0x01u /* interrupts */
#define OVERFLOW  0x10u
#define DMA_DONE  0x40u
#define IS_RESET  0x80u
#define WORDS     0x49u /* no loop back, transfers of 8 bytes */
#define BROADCAST 0x04u
#define MONITOR   0x20u
#define LOOP_BACK 0x02u

#define FIRST_PAGE 0x40u
#define FIRST_RING 0x46u
#define END_PAGE   0x80u
#define HEADER     4u /* status, next page, count */
#define CRC        4u
#define LEAST      60u

static uint16_t registers;
static uint8_t mac_address[MAC_BYTES];
static uint32_t next_page;

static void out8(uint32_t at, uint32_t value) {
    __asm__ volatile("outb %0, %1"
                     :
                     : "a"((uint8_t)value), "d"((uint16_t)(registers + at))
                     : "memory");
}

static uint8_t in8(uint32_t at) {
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "d"((uint16_t)(registers + at)) : "memory");
    return value;
}

static void put_data(uint32_t value) {
    __asm__ volatile("outw %0, %1"
                     :
                     : "a"((uint16_t)value), "d"((uint16_t)(registers + DATA))
                     : "memory");
}

static uint16_t get_data(void) {
    uint16_t value;
    __asm__ volatile("inw %1, %0" : "=a"(value) : "d"((uint16_t)(registers + DATA)) : "memory");
    return value;
}

/* The page of registers, which is 0 between all functions here. */
static void select(uint32_t reg, uint32_t command) {
    out8(COMMAND, (reg & 0x30) << 2 | command | DMA_NONE);
}

static void put_pair(uint32_t reg, uint32_t value) {
    out8(reg, value);
    out8(reg + 1, value >> 8);
}

static void start_dma(uint32_t command, uint32_t at, uint32_t bytes) {
    select(0, START);
    out8(INTERRUPTS, DMA_DONE);
    put_pair(DMA_COUNT, bytes);
    put_pair(DMA_AT, at);
    out8(COMMAND, START | command);
}

void lan_init(uintptr_t base) {
    registers = (uint16_t)base;
    out8(RESET, in8(RESET));
    while ((in8(INTERRUPTS) & IS_RESET) == 0) {
    }
    select(0, STOP);
    out8(DATA_KIND, WORDS);
    out8(RECEIVER, MONITOR);
    out8(SENDER, LOOP_BACK);
    out8(RING_START, FIRST_RING);
    out8(RING_STOP, END_PAGE);
    out8(BOUNDARY, FIRST_RING);
    out8(MASK, 0);
    out8(INTERRUPTS, 0xff);
    start_dma(DMA_READ, 0, 2 * MAC_BYTES);
    for (uint32_t i = 0; i < MAC_BYTES; i++) {
        mac_address[i] = (uint8_t)get_data(); /* each byte stands there twice */
    }
    select(ADDRESS, STOP);
    for (uint32_t i = 0; i < MAC_BYTES; i++) {
        out8((ADDRESS & 0xf) + i, mac_address[i]);
    }
    for (uint32_t i = 0; i < 8; i++) {
        out8((GROUPS & 0xf) + i, 0);
    }
    next_page = FIRST_RING + 1;
    out8(CURRENT & 0xf, next_page);
    select(0, START);
    out8(SENDER, 0);
    out8(RECEIVER, BROADCAST);
}

void lan_address(uint8_t mac[MAC_BYTES]) {
    for (uint32_t i = 0; i < MAC_BYTES; i++) {
        mac[i] = mac_address[i];
    }
}

void lan_interrupt(bool on) {
    out8(MASK, on ? RECEIVED | OVERFLOW : 0);
}

/* The flag is cleared first: a frame that comes after the look sets it again, and interrupts. */
bool lan_received(void) {
    out8(INTERRUPTS, RECEIVED | OVERFLOW);
    select(CURRENT, START);
    uint32_t current = in8(CURRENT & 0xf);
    select(0, START);
    return current != next_page;
}

uint32_t lan_receive(uint8_t frame[FRAME_MOST]) {
    start_dma(DMA_READ, next_page << 8, HEADER);
    uint32_t next = get_data() >> 8, count = get_data();
    uint32_t length = count < CRC ? 0 : count - CRC;
    length = length < FRAME_MOST ? length : FRAME_MOST;
    start_dma(DMA_READ, (next_page << 8) + HEADER, (length + 1) & ~1u);
    for (uint32_t at = 0; at < length; at += 2) {
        uint16_t word = get_data();
        frame[at] = (uint8_t)word;
        if (at + 1 < length) {
            frame[at + 1] = (uint8_t)(word >> 8);
        }
    }
    next_page = next;
    out8(BOUNDARY, next == FIRST_RING ? END_PAGE - 1 : next - 1);
    return length;
}

void lan_send(const uint8_t *frame, uint32_t length) {
    uint32_t sent = length < LEAST ? LEAST : length;
    while ((in8(COMMAND) & TRANSMIT) != 0) {
    }
    start_dma(DMA_WRITE, FIRST_PAGE << 8, (sent + 1) & ~1u);
    for (uint32_t at = 0; at < sent; at += 2) {
        uint32_t low = at < length ? frame[at] : 0, high = at + 1 < length ? frame[at + 1] : 0;
        put_data(low | high << 8);
    }
    while ((in8(INTERRUPTS) & DMA_DONE) == 0) {
    }
    out8(SEND_PAGE, FIRST_PAGE);
    put_pair(SEND_COUNT, sent);
    select(0, START | TRANSMIT);
}
