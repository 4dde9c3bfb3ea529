/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IP stack, in a space of its own: lwIP (lwip/README.md) in one thread, between the driver and
 * whoever is on the network. It answers pings; TCP and UDP are there for programs to come.
 */
#include <lib/string.h>

#include <lwip/timeouts.h>

#include "../user/common/touch.h"
#include "ethernet.h"
#include "protocol.h"

/* At least so often it looks after its timers. */
#define PATIENCE L4_TimePeriod(250000)

static L4_ThreadId_t driver;

/* lwIP's clock, in milliseconds. */
u32_t sys_now(void) {
    return (u32_t)(L4_SystemClock().raw / 1000);
}

/* For lwIP: hands a frame to the driver, which has put it in line when this returns. */
static err_t transmit(struct netif *netif, struct pbuf *packet) {
    static uint8_t frame[FRAME_ROOM] __attribute__((aligned(32)));
    (void)netif;
    u16_t length = (u16_t)(packet->tot_len - ETH_PAD_SIZE);
    uint8_t *from = (uint8_t *)packet->payload + ETH_PAD_SIZE;
    if (length > FRAME_MOST) {
        return ERR_BUF;
    }
    if (packet->next != NULL) {
        (void)pbuf_copy_partial(packet, frame, length, ETH_PAD_SIZE);
        from = frame;
    }
    load_frame(SEND, from, length);
    return L4_IpcSucceeded(L4_Call(driver)) ? ERR_OK : ERR_IF;
}

/* For lwIP: what the interface is like. */
static err_t attach(struct netif *netif) {
    L4_Word_t words[2];
    L4_Set_MsgTag(message(GET_ADDRESS, 0));
    (void)L4_Call(driver);
    L4_StoreMRs(1, 2, words);
    memcpy(netif->hwaddr, words, MAC_BYTES);
    return ethernet_attached(netif, transmit);
}

/* Waits for the next frame, which comes straight into lwIP's memory, and hands it over. */
static void receive(struct netif *netif) {
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, FRAME_MOST + ETH_PAD_SIZE, PBUF_POOL);
    if (packet == NULL) {
        return; /* timers give memory back */
    }
    accept_frames((uint8_t *)packet->payload + ETH_PAD_SIZE);
    L4_Set_MsgTag(message(RECEIVE, 0));
    L4_MsgTag_t tag = L4_Call_Timeouts(driver, L4_Never, PATIENCE);
    L4_Word_t length = L4_IpcSucceeded(tag) ? frame_length(tag) : 0;
    L4_Accept(L4_UntypedWordsAcceptor);
    if (length == 0) {
        (void)pbuf_free(packet);
        return;
    }
    pbuf_realloc(packet, (u16_t)(length + ETH_PAD_SIZE));
    if (netif->input(packet, netif) != ERR_OK) {
        (void)pbuf_free(packet);
    }
}

int main(void) {
    struct setup setup;
    struct netif netif;
    touch_all_pages();
    ask_setup(&setup);
    driver.raw = setup.driver;
    if (!ethernet_up(&netif, 1, attach)) {
        return 1;
    }
    for (;;) {
        receive(&netif);
        sys_check_timeouts();
    }
}
