/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The FastCGI server that web servers ask here, with Debian's libfcgi: "Hello, world: N" to a
 * request whose query is N, before which it reads a word of each of N pages, by a step with which
 * they are not in the same sets of the caches.
 */
#ifndef BENCH_UNIX_FASTCGI_SERVER_H
#define BENCH_UNIX_FASTCGI_SERVER_H

#include "suite.h"

#include <sys/un.h>

/* Starts it, at a socket of this name, with as many pages as any request has. -1: it failed. */
pid_t fastcgi_start(const char *path, unsigned pages);

/* Gives the interface eth0 an address, by the parameter of that name; without it does nothing. */
bool network_up(void);

#endif
