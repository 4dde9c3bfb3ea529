/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network driver, in a space of its own: the interface's registers (lan.h) and its interrupt.
 *
 * Two threads. One waits for the interrupt and passes it on; the other serves the IP stack and
 * moves frames between it and the interface. Frames wait in the interface until the stack asks for
 * them.
 *
 * Measured, where there is a probe: a ping, from the interrupt's arrival in this space to the
 * reply's being in line at the interface. Warm-up pings are in a region of their own. The interrupt
 * thread begins a measurement, the other ends it; no frame but pings comes once the peer knows our
 * address.
 */
#include <lib/print.h>
#include <probe.h>

#include "../user/common/touch.h"
#include "lan.h"
#include "protocol.h"

#define REGION        1u
#define WARMUP_REGION 255u

static struct setup setup;
static uint8_t received[FRAME_ROOM] __attribute__((aligned(32)));
static uint8_t to_send[FRAME_ROOM] __attribute__((aligned(32)));
static uint8_t interrupt_stack[1024] __attribute__((aligned(8)));

/* ---- what is measured ---- */

static L4_Word_t pings, region;
static bool measuring;

static volatile uint32_t *probe(unsigned offset) {
    return (volatile uint32_t *)(setup.probe + offset);
}

static void measure_begin(void) {
    if (setup.probe == 0 || measuring) {
        return;
    }
    measuring = true;
    region = pings < setup.warmup ? WARMUP_REGION : REGION;
    *probe(PROBE_REGION_BEGIN) = region;
}

static void measure_end(void) {
    if (!measuring) {
        return;
    }
    *probe(PROBE_REGION_END) = region;
    measuring = false;
    pings++;
    if (pings == setup.warmup) {
        L4_Set_MsgTag(message(WARM, 0));
        (void)L4_Send(L4_Pager());
    } else if (setup.rounds != 0 && pings == setup.warmup + setup.rounds) {
        print("PINGS warmup=%u rounds=%u\nEND status=0\n", setup.warmup, setup.rounds);
        *probe(PROBE_EXIT) = 0;
    }
}

/* ---- the interrupt thread ---- */

static void interrupt_thread(void) {
    L4_ThreadId_t interrupt;
    L4_MsgTag_t tag = L4_Wait(&interrupt);
    for (;;) {
        if (L4_IpcSucceeded(tag) && L4_Label(tag) == L4_LABEL_INTERRUPT) {
            measure_begin();
            lan_interrupt(false);
            L4_Set_MsgTag(message(INTERRUPTED, 0));
            (void)L4_Send((L4_ThreadId_t){.raw = setup.driver});
        }
        /* An empty answer lets the interrupt come again, once the interface has one. */
        L4_Set_MsgTag(message(0, 0));
        tag = L4_ReplyWait(interrupt, &interrupt);
    }
}

/* Its pager is whoever starts it, by the first message. */
static void start_interrupt_thread(void) {
    L4_ThreadId_t id = {.raw = setup.interrupts};
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)interrupt_thread);
    L4_LoadMR(2, (L4_Word_t)(uintptr_t)(interrupt_stack + sizeof interrupt_stack));
    L4_Set_MsgTag(message(0, L4_START_WORDS));
    (void)L4_Send(id);
    L4_Set_PagerOf(id, L4_Pager());
}

/* ---- serving ---- */

/* The stack's thread, if it waits for a frame. */
static L4_ThreadId_t listener;
/* A frame that the interface has given and nobody has yet; 0: there is none. */
static L4_Word_t waiting;

/* Loads the next frame for the stack, if there are both. Whom to send it to. */
static L4_ThreadId_t deliver(void) {
    if (L4_IsNilThread(listener)) {
        return L4_nilthread;
    }
    if (waiting == 0 && lan_received()) {
        waiting = lan_receive(received);
    }
    if (waiting == 0) {
        lan_interrupt(true);
        return L4_nilthread;
    }
    load_frame(RECEIVE, received, waiting);
    return listener;
}

/* Whose messages count: any thread of the system can send. */
static bool may_ask(L4_ThreadId_t from) {
    L4_ThreadId_t client = {.raw = setup.client};
    return from.raw == setup.interrupts || L4_ThreadNo(from) - L4_ThreadNo(client) < setup.clients;
}

static L4_ThreadId_t serve(L4_ThreadId_t from, L4_MsgTag_t tag) {
    uint8_t mac[8] = {0};
    if (!may_ask(from)) {
        return L4_nilthread;
    }
    switch (L4_Label(tag)) {
    case INTERRUPTED:
        return deliver();
    case RECEIVE:
        listener = from;
        return deliver();
    case SEND:
        lan_send(to_send, frame_length(tag));
        measure_end();
        L4_Set_MsgTag(message(SEND, 0));
        return from;
    case GET_ADDRESS:
        lan_address(mac);
        L4_LoadMR(1, mac[0] | (L4_Word_t)mac[1] << 8 | (L4_Word_t)mac[2] << 16 |
                         (L4_Word_t)mac[3] << 24);
        L4_LoadMR(2, mac[4] | (L4_Word_t)mac[5] << 8);
        L4_Set_MsgTag(message(GET_ADDRESS, 2));
        return from;
    default:
        return L4_nilthread;
    }
}

int main(void) {
    L4_ThreadId_t from, to;
    touch_all_pages();
    ask_setup(&setup);
    lan_init(setup.registers);
    start_interrupt_thread();
    accept_frames(to_send);
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        to = L4_IpcSucceeded(tag) ? serve(from, tag) : L4_nilthread;
        bool delivers = !L4_IsNilThread(to) && L4_Label(L4_MsgTag()) == RECEIVE;
        tag = L4_IsNilThread(to) ? L4_Wait(&from) : L4_ReplyWait(to, &from);
        /* The stack may just have stopped waiting, to look after its timers; it asks again. */
        if (delivers) {
            listener = L4_nilthread;
            waiting = L4_IpcFailed(tag) && (L4_ErrorCode() & 1) == 0 ? waiting : 0;
        }
    }
}
