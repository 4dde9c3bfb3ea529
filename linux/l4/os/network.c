// SPDX-License-Identifier: GPL-2.0-only
/*
 * The network interface, by the host's driver.
 */
#include <linux/etherdevice.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/netdevice.h>

#include "../host/host.h"
#include "layer.h"

static int begin(struct net_device *dev) {
    if (!host_network_start()) {
        return -EAGAIN;
    }
    netif_start_queue(dev);
    return 0;
}

static int end(struct net_device *dev) {
    netif_stop_queue(dev);
    return 0;
}

static netdev_tx_t send(struct sk_buff *skb, struct net_device *dev) {
    if (host_network_send(skb->data, skb->len)) {
        dev_sw_netstats_tx_add(dev, 1, skb->len);
    } else {
        dev->stats.tx_errors++;
    }
    dev_consume_skb_any(skb);
    return NETDEV_TX_OK;
}

static void receive(struct net_device *dev, const void *frame, unsigned int length) {
    struct sk_buff *skb = netdev_alloc_skb_ip_align(dev, length);

    if (!skb) {
        dev->stats.rx_dropped++;
        return;
    }
    skb_put_data(skb, frame, length);
    skb->protocol = eth_type_trans(skb, dev);
    dev_sw_netstats_rx_add(dev, length);
    netif_rx(skb);
}

static irqreturn_t take(int irq, void *dev) {
    const void *frame;
    unsigned int length;

    while ((frame = host_network_frame(&length))) {
        if (length >= ETH_HLEN) {
            receive(dev, frame, length);
        }
        host_network_taken();
    }
    return IRQ_HANDLED;
}

static const struct net_device_ops ops = {
    .ndo_open = begin,
    .ndo_stop = end,
    .ndo_start_xmit = send,
    .ndo_validate_addr = eth_validate_addr,
};

static int __init network_begin(void) {
    unsigned char address[ETH_ALEN];
    struct net_device *dev;
    int error;

    if (!host_network_address(address) || !is_valid_ether_addr(address)) {
        return 0; /* no interface */
    }
    dev = alloc_etherdev(0);
    if (!dev) {
        return -ENOMEM;
    }
    eth_hw_addr_set(dev, address);
    dev->netdev_ops = &ops;
    dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
    error = request_irq(NETWORK_IRQ, take, 0, "network", dev);
    if (!error) {
        error = register_netdev(dev);
    }
    if (error) {
        free_netdev(dev);
    }
    return error;
}
device_initcall(network_begin);
