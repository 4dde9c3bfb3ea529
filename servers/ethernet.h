/* SPDX-License-Identifier: Apache-2.0 */
/* What is said to lwIP of an Ethernet interface, by each program that has one. */
#ifndef SERVERS_ETHERNET_H
#define SERVERS_ETHERNET_H

#include <stdbool.h>

#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/netif.h>
#include <netif/ethernet.h>

#include "frame.h"

/* In a function that attaches an interface, whose address is set: what else it is. */
static inline err_t ethernet_attached(struct netif *netif, netif_linkoutput_fn transmit) {
    netif->hwaddr_len = MAC_BYTES;
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->mtu = FRAME_MOST - SIZEOF_ETH_HDR + ETH_PAD_SIZE;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    netif->output = etharp_output;
    netif->linkoutput = transmit;
    return ERR_OK;
}

/* Begins with lwIP, as 10.0.0.HOST. */
static inline bool ethernet_up(struct netif *netif, u8_t host, netif_init_fn attach) {
    ip4_addr_t address, mask, gateway;
    lwip_init();
    IP4_ADDR(&address, 10, 0, 0, host);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 0, 0, 0, 0);
    if (netif_add(netif, &address, &mask, &gateway, NULL, attach, ethernet_input) == NULL) {
        return false;
    }
    netif_set_default(netif);
    netif_set_link_up(netif);
    netif_set_up(netif);
    return true;
}

#endif
