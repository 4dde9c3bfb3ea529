/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network: frames come and go by messages of the driver's (servers/driver.c), a task of its own
 * that the root task starts. Linux' own thread sends; another waits for what is received, and puts
 * it where Linux finds it.
 */
#include "host.h"

#include <l4/l4.h>

#include "../../../servers/protocol.h"
#include "../root-task/root.h"
#include "internal.h"

#define STACK_WORDS 512
#define FRAMES      32u /* a power of two */

/* Linux is slow to take them: so long until the next look, in microseconds. Frames wait in the
 * interface meanwhile. */
#define LATER 1000

/* How soon the driver is ready that has been started before us, if it is there. */
#define PATIENCE L4_TimePeriod(1000000)

static L4_Word_t stack[STACK_WORDS];

static volatile unsigned in, out;
static unsigned lengths[FRAMES];
static unsigned char frames[FRAMES][FRAME_ROOM] __attribute__((aligned(4)));

static L4_ThreadId_t driver(void) {
    return host_thread(ROOT_DRIVER_THREAD - ROOT_MAIN);
}

int host_network_address(unsigned char mac[6]) {
    L4_Word_t words[2];
    unsigned i;

    L4_Set_MsgTag(message(GET_ADDRESS, 0));
    if (L4_IpcFailed(L4_Call_Timeouts(driver(), PATIENCE, PATIENCE))) {
        return 0;
    }
    L4_StoreMRs(1, 2, words);
    for (i = 0; i < MAC_BYTES; i++) {
        mac[i] = (unsigned char)(words[i / 4] >> i % 4 * 8);
    }
    return 1;
}

int host_network_send(const void *frame, unsigned length) {
    load_frame(SEND, (void *)frame, length);
    return L4_IpcSucceeded(L4_Call(driver())) != 0;
}

static void receiver(void) {
    L4_Set_ExceptionHandler(L4_Pager());
    for (;;) {
        L4_MsgTag_t tag;

        while (in - out == FRAMES) {
            L4_Sleep(L4_TimePeriod(LATER));
        }
        accept_frames(frames[in % FRAMES]);
        L4_Set_MsgTag(message(RECEIVE, 0));
        tag = L4_Call(driver());
        if (L4_IpcFailed(tag)) {
            L4_Sleep(L4_Never); /* it does not wait for what will not come */
        }
        lengths[in % FRAMES] = frame_length(tag);
        in++;
        host_interrupt(HOST_NETWORK);
    }
}

int host_network_start(void) {
    static int exists;

    if (!exists) {
        exists = host_thread_start(THREAD_NETWORK, receiver, &stack[STACK_WORDS], PRIORITY_NETWORK);
    }
    return exists;
}

const void *host_network_frame(unsigned *length) {
    if (in == out) {
        return NULL;
    }
    *length = lengths[out % FRAMES];
    return frames[out % FRAMES];
}

void host_network_taken(void) {
    out++;
}
