// SPDX-License-Identifier: Apache-2.0
// Answers each frame that its LAN91C111 lets in with the same one, addresses swapped. What stands
// after the addresses and the type asks for more; see the commands. Sleeps in between.
#include "guest.h"

#define ETHERNET 0x10010000u
#define SOURCE   25 // of the secondary controller, which passes it on

#define SIC_PASS   0x20
#define VIC_ENABLE 0x10
#define MHZ_24     0x5c // of the system registers: a counter

// Registers, bank and offset as one number.
#define TCR       0x00
#define RCR       0x04
#define ADDRESS   0x14
#define CTR       0x1c
#define COMMAND   0x20
#define PACKET    0x22
#define POINTER   0x26
#define DATA      0x28
#define INTERRUPT 0x2c
#define MULTICAST 0x30

#define TX_ENABLE     0x0001u
#define PAD           0x0080u
#define SOFT_RESET    0x8000u
#define STRIP_CRC     0x0200u
#define RX_ENABLE     0x0100u
#define ALL_MULTICAST 0x0004u
#define PROMISCUOUS   0x0002u
#define AUTO_RELEASE  0x0800u
#define RECEIVED      0x01u // interrupts
#define ALL_SENT      0x04u
#define ALLOCATED     0x08u
#define OVERRUN       0x10u
#define ALLOCATE      (1u << 5)
#define RELEASE       (4u << 5)
#define ENQUEUE       (6u << 5)
#define FROM_RECEIVED 0xe000u // pointer: the received packet, moves on, to read
#define TO_SEND       0x4000u
#define ODD           0x20u

// Commands: what to let in, the multicast table (eight bytes after it), a while of not listening,
// the end.
#define ALL      'P'
#define GROUPS   'M'
#define OWN      'N'
#define TABLE    'H'
#define DEAF     'S'
#define QUIT     'Q'
#define COMMANDS 14 // where they stand

static uint8_t frame[2048];

static void select_bank(uint32_t reg) {
    *(volatile uint16_t *)(uintptr_t)(ETHERNET + 14) = (uint16_t)(reg >> 4);
}

static uint16_t get_half(uint32_t reg) {
    select_bank(reg);
    return *(volatile uint16_t *)(uintptr_t)(ETHERNET + (reg & 15));
}

static void put_half(uint32_t reg, uint32_t value) {
    select_bank(reg);
    *(volatile uint16_t *)(uintptr_t)(ETHERNET + (reg & 15)) = (uint16_t)value;
}

/* The data register: bank 2 stays selected. */
static uint16_t take(void) {
    return *(volatile uint16_t *)(uintptr_t)(ETHERNET + (DATA & 15));
}

static void give(uint32_t value) {
    *(volatile uint16_t *)(uintptr_t)(ETHERNET + (DATA & 15)) = (uint16_t)value;
}

static void say(const char *text) {
    while (*text) {
        put(UART0, 0, (uint32_t)*text++);
    }
}

/* Takes the first frame out of packet memory; its length. */
static uint32_t receive(void) {
    put_half(POINTER, FROM_RECEIVED);
    take(); // status
    uint32_t count = take() & 0x7feu;
    uint32_t length = count - 6;
    for (uint32_t at = 0; at < length + 2; at += 2) {
        uint16_t pair = take();
        frame[at] = (uint8_t)pair;
        frame[at + 1] = (uint8_t)(pair >> 8);
    }
    // after the data: its last byte if their number is odd, and the control byte that says so
    length += (frame[length + 1] & ODD) != 0;
    put_half(COMMAND, RELEASE);
    return length;
}

static void send(uint32_t length) {
    put_half(INTERRUPT, RECEIVED << 8 | ALL_SENT);
    put_half(COMMAND, ALLOCATE);
    while (!(get_half(INTERRUPT) & ALLOCATED)) {
    }
    put_half(PACKET, (uint32_t)get_half(PACKET) >> 8);
    put_half(POINTER, TO_SEND);
    give(0);
    give((length & ~1u) + 6);
    for (uint32_t at = 0; at + 1 < length; at += 2) {
        give(frame[at] | (uint32_t)frame[at + 1] << 8);
    }
    give(length & 1 ? ODD << 8 | frame[length - 1] : 0);
    put_half(COMMAND, ENQUEUE);
}

/* 100 ms without listening: frames that come meanwhile stay in packet memory, as many as fit. The
 * answer says whether frames were lost, how many were kept, and of each the byte after "kept".
 * They are taken first: while they fill the memory there is none to answer from. */
static uint32_t be_deaf(void) {
    uint8_t kept[8] = {0};
    uint32_t number = 0;
    uint32_t began = get(SYSREG, MHZ_24);
    while (get(SYSREG, MHZ_24) - began < 2400000) {
    }
    while (number < sizeof(kept) && get_half(INTERRUPT) & RECEIVED) {
        receive();
        kept[number++] = frame[COMMANDS + 4];
    }
    frame[COMMANDS] = DEAF;
    frame[COMMANDS + 1] = (get_half(INTERRUPT) & OVERRUN) != 0;
    frame[COMMANDS + 2] = (uint8_t)number;
    for (uint32_t i = 0; i < sizeof(kept); i++) {
        frame[COMMANDS + 3 + i] = kept[i];
    }
    put_half(INTERRUPT, RECEIVED << 8 | OVERRUN);
    return 60;
}

/* Does what the frame asks for; the answer's length. */
static uint32_t obey(uint32_t length) {
    uint8_t *words = frame + COMMANDS;
    switch (words[0]) {
    case ALL:
        put_half(RCR, RX_ENABLE | STRIP_CRC | PROMISCUOUS);
        break;
    case GROUPS:
        put_half(RCR, RX_ENABLE | STRIP_CRC | ALL_MULTICAST);
        break;
    case OWN:
        put_half(RCR, RX_ENABLE | STRIP_CRC);
        break;
    case TABLE:
        for (uint32_t at = 0; at < 8; at += 2) {
            put_half(MULTICAST + at, words[1 + at] | (uint32_t)words[2 + at] << 8);
        }
        break;
    case DEAF:
        return be_deaf();
    default:
        break;
    }
    return length;
}

void handle_irq(void) {
}

void run(void) {
    put_half(RCR, SOFT_RESET);
    put_half(RCR, 0);
    put_half(CTR, get_half(CTR) | AUTO_RELEASE);
    put_half(TCR, TX_ENABLE | PAD);
    put_half(RCR, RX_ENABLE | STRIP_CRC);
    put_half(INTERRUPT, RECEIVED << 8);
    // IRQ stays masked in the processor: it ends its sleep all the same
    put(SIC, SIC_PASS, 1u << SOURCE);
    put(VIC, VIC_ENABLE, 1u << SOURCE);
    say("ready\n");
    do {
        while (!(get_half(INTERRUPT) & RECEIVED)) {
            wait_for_interrupt();
        }
        uint32_t length = obey(receive());
        for (int i = 0; i < 6; i++) {
            frame[i] = frame[6 + i];
        }
        for (uint32_t i = 0; i < 6; i += 2) {
            uint16_t pair = get_half(ADDRESS + i);
            frame[6 + i] = (uint8_t)pair;
            frame[7 + i] = (uint8_t)(pair >> 8);
        }
        send(length);
    } while (frame[COMMANDS] != QUIT);
    while (!(get_half(INTERRUPT) & ALL_SENT)) {
    }
    say("done\n");
    put(SYSREG, 0x20, 0xa05f);
    put(SYSREG, 0x40, 0x105);
}
