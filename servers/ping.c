/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that pings, without an operating system: 10.0.0.2 asks for the address of 10.0.0.1
 * and then sends it one ping after the other, each a while after the last one's reply. Every reply
 * is compared with what was sent.
 *
 * Parameters (boot command line): count=0 data=56 gap=300. The run ends after so many replies, or
 * never; bytes of data in a ping; microseconds that it waits.
 */
#include <lib/print.h>
#include <lib/string.h>

#include "../bench/os/os.h"
#include "../bench/parameters.h"
#include "interface.h"
#include "lan.h"
#include "timer.h"

/* After so long without an answer the question is asked again. */
#define PATIENCE_US 50000u

#define ETHERNET_HEADER 14u
#define IP_HEADER       20u
#define ICMP_HEADER     8u
#define MOST_DATA       (FRAME_MOST - ETHERNET_HEADER - IP_HEADER - ICMP_HEADER)
#define TYPE_AT         12u
#define IP_AT           ETHERNET_HEADER
#define ICMP_AT         (IP_AT + IP_HEADER)
#define SEQUENCE_AT     (ICMP_AT + 6)
#define DATA_AT         (ICMP_AT + ICMP_HEADER)
#define ECHO            8u
#define ECHO_REPLY      0u

static const uint8_t own_ip[4] = {10, 0, 0, 2}, other_ip[4] = {10, 0, 0, 1};
static uint8_t own_mac[MAC_BYTES], other_mac[MAC_BYTES];
static uint8_t question[FRAME_ROOM], answer[FRAME_ROOM];

static void put_half(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static uint32_t get_half(const uint8_t *from) {
    return (uint32_t)from[0] << 8 | from[1];
}

/* The sum that makes these bytes' sum all ones (RFC 1071); 0: their sum is right. */
static uint32_t checksum(const uint8_t *bytes, uint32_t length) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i++) {
        sum += (i & 1) != 0 ? bytes[i] : (uint32_t)bytes[i] << 8;
    }
    while (sum >> 16 != 0) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
}

static void wait(uint32_t us) {
    timer_start(us);
    while (!timer_is_over()) {
        timer_sleep();
    }
}

/* Waits for a frame; its length, 0: there was none for too long. */
static uint32_t receive(void) {
    timer_start(PATIENCE_US);
    while (!lan_received()) {
        if (timer_is_over()) {
            return 0;
        }
        timer_sleep();
    }
    return lan_receive(answer);
}

static void compose_ethernet(uint32_t type) {
    memcpy(question, other_mac, MAC_BYTES);
    memcpy(question + MAC_BYTES, own_mac, MAC_BYTES);
    put_half(question + TYPE_AT, type);
}

/* Asks who has the other's address, until he says so (RFC 826). */
static void find_other(void) {
    static const uint8_t ask[] = {0, 1, 8, 0, 6, 4, 0, 1};
    static const uint8_t tell[] = {0, 1, 8, 0, 6, 4, 0, 2};
    uint8_t *arp = question + ETHERNET_HEADER;
    const uint8_t *told = answer + ETHERNET_HEADER;
    memset(other_mac, 0xff, MAC_BYTES);
    compose_ethernet(0x0806);
    memcpy(arp, ask, 8);
    memcpy(arp + 8, own_mac, MAC_BYTES);
    memcpy(arp + 14, own_ip, 4);
    memset(arp + 18, 0, MAC_BYTES);
    memcpy(arp + 24, other_ip, 4);
    for (;;) {
        lan_send(question, ETHERNET_HEADER + 28);
        if (receive() >= ETHERNET_HEADER + 28 && get_half(answer + TYPE_AT) == 0x0806 &&
            memcmp(told, tell, 8) == 0 && memcmp(told + 14, other_ip, 4) == 0) {
            memcpy(other_mac, told + 8, MAC_BYTES);
            return;
        }
    }
}

/* Composes ping number 0; the rest are like it. (RFC 791, 792) */
static void compose_ping(uint32_t data) {
    static const uint8_t header[] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 1, 0, 0};
    uint8_t *ip = question + IP_AT;
    compose_ethernet(0x0800);
    memcpy(ip, header, sizeof header);
    put_half(ip + 2, IP_HEADER + ICMP_HEADER + data);
    memcpy(ip + 12, own_ip, 4);
    memcpy(ip + 16, other_ip, 4);
    put_half(ip + 10, checksum(ip, IP_HEADER));
    memset(question + ICMP_AT, 0, ICMP_HEADER);
    question[ICMP_AT] = ECHO;
    put_half(question + ICMP_AT + 4, 0x5359);
    for (uint32_t i = 0; i < data; i++) {
        question[DATA_AT + i] = (uint8_t)i;
    }
}

/* Whether the frame is the reply to the last ping, whole. */
static bool is_reply(uint32_t length, uint32_t data) {
    const uint8_t *ip = answer + IP_AT, *icmp = answer + ICMP_AT;
    uint32_t icmp_length = ICMP_HEADER + data;
    return length >= DATA_AT + data && memcmp(answer, own_mac, MAC_BYTES) == 0 &&
           get_half(answer + TYPE_AT) == 0x0800 && checksum(ip, IP_HEADER) == 0 &&
           memcmp(ip + 12, other_ip, 4) == 0 && memcmp(ip + 16, own_ip, 4) == 0 &&
           get_half(ip + 2) == IP_HEADER + icmp_length && icmp[0] == ECHO_REPLY &&
           checksum(icmp, icmp_length) == 0 &&
           memcmp(icmp + 4, question + ICMP_AT + 4, icmp_length - 4) == 0;
}

int main(void) {
    uint32_t count, data, gap;
    os_init();
    if (!parameter_number("count", 0, &count) || !parameter_number("data", 56, &data) ||
        !parameter_number("gap", 300, &gap)) {
        os_finish(2);
    }
    if (data > MOST_DATA) {
        print("parameter data: %u; expected up to %u\n", data, MOST_DATA);
        os_finish(2);
    }
    lan_init(INTERFACE_BASE);
    lan_address(own_mac);
    lan_interrupt(true);
    timer_init();
    find_other();
    compose_ping(data);
    uint32_t lost = 0, wrong = 0;
    for (uint32_t answered = 0; count == 0 || answered < count;) {
        wait(gap);
        put_half(question + SEQUENCE_AT, get_half(question + SEQUENCE_AT) + 1);
        put_half(question + ICMP_AT + 2, 0);
        put_half(question + ICMP_AT + 2, checksum(question + ICMP_AT, ICMP_HEADER + data));
        lan_send(question, DATA_AT + data);
        uint32_t length = receive();
        if (length == 0) {
            lost++;
        } else if (is_reply(length, data)) {
            answered++;
        } else {
            wrong++;
        }
    }
    print("PING answered=%u lost=%u wrong=%u\n", count, lost, wrong);
    os_finish(wrong != 0);
}
