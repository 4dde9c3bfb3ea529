/* SPDX-License-Identifier: Apache-2.0 */
/* How lwIP is made: one thread, no operating system below it, all of its memory inside. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ICMP 1
#define LWIP_UDP  1
#define LWIP_TCP  1

#define MEM_ALIGNMENT  4
#define MEM_SIZE       (16 * 1024)
#define PBUF_POOL_SIZE 8
/* A frame in one piece. Two bytes before it put the IP header on a word's boundary. */
#define ETH_PAD_SIZE      2
#define PBUF_POOL_BUFSIZE 1536

#define LWIP_STATS 0

#endif
