/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the servers say to each other. The driver never calls: it answers the stack, at once or when
 * there is something, so that the two cannot wait for each other.
 *
 * A frame is a string item after one word, its length.
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <l4/l4.h>

#include "frame.h"

/* Labels. To the root task: a server asks what it has to know (struct setup, in words), and the
 * driver says that the unmeasured pings are over. */
#define ASK_SETUP 0x20u
#define WARM      0x21u
/* From the driver's interrupt thread to its other one. */
#define INTERRUPTED 0x22u
/* From the stack to the driver: for the interface's address (in two words); to send the frame that
 * comes with it; for the next frame that is received, whenever that is. */
#define GET_ADDRESS 0x23u
#define SEND        0x24u
#define RECEIVE     0x25u

struct setup {
    L4_Word_t driver;     /* the thread that serves */
    L4_Word_t interrupts; /* the driver's second one, to be started by the first */
    L4_Word_t registers;  /* where the driver has the interface */
    L4_Word_t probe;      /* and the probe; 0: there is none */
    L4_Word_t warmup;     /* pings that do not count */
    L4_Word_t rounds;     /* those that do; then the run ends. 0: it goes on for ever */
    L4_Word_t client;     /* who may ask the driver: this thread */
    L4_Word_t clients;    /* and those with the next numbers, so many in all */
};
#define SETUP_WORDS (sizeof(struct setup) / sizeof(L4_Word_t))

/* A message of words alone. */
static inline L4_MsgTag_t message(L4_Word_t label, L4_Word_t words) {
    return L4_MakeMsgTag(label, words, 0);
}

/* Asks the pager, which is the root task. */
static inline void ask_setup(struct setup *setup) {
    L4_Set_MsgTag(message(ASK_SETUP, 0));
    (void)L4_Call(L4_Pager());
    L4_StoreMRs(1, SETUP_WORDS, (L4_Word_t *)setup);
}

/* Loads a message with a frame. */
static inline void load_frame(L4_Word_t label, void *frame, L4_Word_t length) {
    L4_StringItem_t item = L4_StringItem(length, frame);
    L4_LoadMR(1, length);
    L4_LoadMRs(2, 2, item.raw);
    L4_Set_MsgTag(L4_MakeMsgTag(label, 1, 2));
}

/* The length of the frame that came with a message; 0: there is none. */
static inline L4_Word_t frame_length(L4_MsgTag_t tag) {
    L4_Word_t length;
    L4_StoreMR(1, &length);
    bool good = L4_UntypedWords(tag) == 1 && L4_TypedWords(tag) == 2 && length <= FRAME_MOST;
    return good ? length : 0;
}

/* Frames of messages from now on go to `room`, which has FRAME_ROOM bytes. */
static inline void accept_frames(void *room) {
    L4_StringItem_t item = L4_StringItem(FRAME_MOST, room);
    L4_LoadBRs(1, 2, item.raw);
    L4_Accept(L4_StringItemsAcceptor);
}

#endif
