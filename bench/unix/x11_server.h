/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An X server for x11.c and doom.c: Debian's Xtightvnc, as it is. It draws into memory of its own,
 * for viewers on the network, of which none is connected (x11_local.c); programs connect to a
 * socket.
 *
 * Parameters: server=/usr/bin/Xtightvnc memory=/lib/own_malloc.so (empty: the C library's)
 */
#ifndef BENCH_UNIX_X11_SERVER_H
#define BENCH_UNIX_X11_SERVER_H

#include "suite.h"

#define X11_DISPLAY ":1"

/* Programs that this process becomes have this library before the C library, and an allocator. */
void x11_preload(const char *library);

/* Starts it; it takes connections then. -1: it does not, and what it has printed is shown. */
pid_t x11_start(void);

#endif
