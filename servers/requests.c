/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that asks a web server, without an operating system: 10.0.0.2 with lwIP's TCP. It
 * asks 10.0.0.1 for "/hello.fcgi?N", a connection a request, one after the other, and compares each
 * reply with "Hello, world: N". N goes through sizes in steps, with so many requests each.
 *
 * Parameters (boot command line): sizes=0-8 step=16 count=10 gap=0 port=80. The gap, between a
 * reply and the next request, is in milliseconds.
 */
#include <lib/print.h>
#include <lib/string.h>

#include <lwip/tcp.h>
#include <lwip/timeouts.h>

#include "../bench/os/os.h"
#include "../bench/parameters.h"
#include "ethernet.h"
#include "interface.h"
#include "lan.h"
#include "timer.h"

#define MOST_SIZES 32u
#define REPLY_ROOM 2048u

/* After so long without a reply, in milliseconds, the question is asked by a new connection; after
 * one that was refused, as long passes until the next. */
#define PATIENCE_MS 100u
#define REFUSED_MS  20u

enum state { READY, ASKED, ANSWERED, REFUSED };

static enum state state;
static struct tcp_pcb *connection;
static char request[192], expected[32], reply[REPLY_ROOM];
static uint32_t reply_length;

/* ---- time: the timer runs a millisecond after the other, and is looked at all the time ---- */

static u32_t milliseconds;

u32_t sys_now(void) {
    if (timer_is_over()) {
        milliseconds++;
        timer_start(1000);
    }
    return milliseconds;
}

/* ---- the interface ---- */

static err_t transmit(struct netif *netif, struct pbuf *packet) {
    static uint8_t frame[FRAME_ROOM];
    (void)netif;
    u16_t length = (u16_t)(packet->tot_len - ETH_PAD_SIZE);
    if (length > FRAME_MOST) {
        return ERR_BUF;
    }
    (void)pbuf_copy_partial(packet, frame, length, ETH_PAD_SIZE);
    lan_send(frame, length);
    return ERR_OK;
}

static err_t attach(struct netif *netif) {
    lan_address(netif->hwaddr);
    return ethernet_attached(netif, transmit);
}

static void look_at_interface(struct netif *netif) {
    if (!lan_received()) {
        return;
    }
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, FRAME_MOST + ETH_PAD_SIZE, PBUF_POOL);
    if (packet == NULL) {
        return; /* it waits in the interface */
    }
    uint32_t length = lan_receive((uint8_t *)packet->payload + ETH_PAD_SIZE);
    pbuf_realloc(packet, (u16_t)(length + ETH_PAD_SIZE));
    if (netif->input(packet, netif) != ERR_OK) {
        (void)pbuf_free(packet);
    }
}

/* ---- a request ---- */

static err_t connected(void *context, struct tcp_pcb *pcb, err_t error) {
    (void)context;
    (void)error;
    return tcp_write(pcb, request, (u16_t)strlen(request), TCP_WRITE_FLAG_COPY);
}

/* The reply ends where the server closes the connection. */
static err_t received(void *context, struct tcp_pcb *pcb, struct pbuf *packet, err_t error) {
    (void)context;
    (void)error;
    if (packet == NULL) {
        state = ANSWERED;
        connection = NULL;
        return tcp_close(pcb);
    }
    uint32_t room = REPLY_ROOM - 1 - reply_length;
    u16_t more = (u16_t)(packet->tot_len < room ? packet->tot_len : room);
    reply_length += pbuf_copy_partial(packet, reply + reply_length, more, 0);
    tcp_recved(pcb, packet->tot_len);
    (void)pbuf_free(packet);
    return ERR_OK;
}

/* lwIP has given the connection up. */
static void lost(void *context, err_t error) {
    (void)context;
    (void)error;
    connection = NULL;
    state = REFUSED;
}

static char *put(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

static char *put_number(char *at, uint32_t number) {
    char digits[10], *end = digits + sizeof digits, *first = end;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    memcpy(at, first, (size_t)(end - first));
    at += end - first;
    *at = '\0';
    return at;
}

static void compose(uint32_t size) {
    char *at = put_number(put(request, "GET /hello.fcgi?"), size);
    (void)put(at, " HTTP/1.0\r\nHost: 10.0.0.1\r\nUser-Agent: switchyard\r\n"
                  "Accept: text/html\r\n\r\n");
    (void)put(put_number(put(expected, "Hello, world: "), size), "\n");
}

static void ask(uint16_t port) {
    ip_addr_t server;
    IP4_ADDR(&server, 10, 0, 0, 1);
    reply_length = 0;
    state = REFUSED;
    connection = tcp_new();
    if (connection == NULL) {
        return;
    }
    tcp_recv(connection, received);
    tcp_err(connection, lost);
    if (tcp_connect(connection, &server, port, connected) == ERR_OK) {
        state = ASKED;
    } else {
        tcp_abort(connection);
    }
}

static bool is_right(void) {
    reply[reply_length] = '\0';
    const char *body = reply;
    while (*body != '\0' && memcmp(body, "\r\n\r\n", 4) != 0) {
        body++;
    }
    size_t length = strlen(expected);
    return memcmp(reply, "HTTP/1.", 7) == 0 && *body != '\0' &&
           (size_t)(reply + reply_length - body) == length + 4 &&
           memcmp(body + 4, expected, length) == 0;
}

static uint32_t refused, unanswered, wrong;

/* Asks until there is a reply. */
static void ask_until_answered(struct netif *netif, uint16_t port) {
    u32_t since = sys_now();
    for (state = READY; state != ANSWERED;) {
        u32_t now = sys_now();
        if (state == READY || (state == REFUSED && now - since >= REFUSED_MS)) {
            refused += state == REFUSED;
            since = now;
            ask(port);
        } else if (state == ASKED && now - since >= PATIENCE_MS) {
            unanswered++;
            tcp_abort(connection); /* which calls `lost` */
        }
        look_at_interface(netif);
        sys_check_timeouts();
    }
    wrong += !is_right();
}

static void rest(struct netif *netif, uint32_t ms) {
    for (u32_t since = sys_now(); sys_now() - since < ms;) {
        look_at_interface(netif);
        sys_check_timeouts();
    }
}

int main(void) {
    uint32_t sizes[MOST_SIZES], step, count, gap, port;
    struct netif netif;
    os_init();
    unsigned n = parameter_list("sizes", "0-8", sizes, MOST_SIZES);
    if (n == 0 || !parameter_number("step", 16, &step) || !parameter_number("count", 10, &count) ||
        !parameter_number("gap", 0, &gap) || !parameter_number("port", 80, &port)) {
        os_finish(2);
    }
    lan_init(INTERFACE_BASE);
    timer_init();
    timer_start(1000);
    if (!ethernet_up(&netif, 2, attach)) {
        os_finish(1);
    }
    for (unsigned i = 0; i < n; i++) {
        compose(sizes[i] * step);
        for (uint32_t asked = 0; asked < count; asked++) {
            ask_until_answered(&netif, (uint16_t)port);
            rest(&netif, gap);
        }
    }
    print("REQUESTS answered=%u refused=%u unanswered=%u wrong=%u\n", n * count, refused,
          unanswered, wrong);
    os_finish(wrong != 0);
}
