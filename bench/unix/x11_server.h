/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An X server for x11.c and doom.c: Debian's Xtightvnc, as it is. It draws into memory of its own,
 * for viewers on the network, of which none is connected (x11_local.c); programs connect to a
 * socket.
 *
 * Parameters: server=/usr/bin/Xtightvnc
 */
#ifndef BENCH_UNIX_X11_SERVER_H
#define BENCH_UNIX_X11_SERVER_H

#include "suite.h"

#define X11_DISPLAY ":1"

/* Starts it; it takes connections then. -1: it does not, and what it has printed is shown. */
pid_t x11_start(void);

#endif
