/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheme with a caching page directory keeps of each space and in the hot words.
 * The scheme's switch_impl.h defines `struct sharing` and includes this; cpd_asm.h has the offsets.
 *
 * A domain is dirty from when its space first runs after a flush, so a switch should say that it
 * is. It need not: a space is *prepared* only while its domain is in the dirty set (or the space
 * has nothing writable), and only to a prepared one the switch is two register writes. A flush ends
 * that for all spaces whose domains it made clean; switch_prepare marks the domain. (A
 * second copy of the marking, in a fast path, was wrong: user/test/pitfall.c, 1. Here no path has
 * it but switch_prepare.)
 */
#ifndef CPD_STATE_H
#define CPD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu.h"
#include "policy.h"

/* Sections that a space takes back by itself when it is switched to; further ones it takes by
 * faults. Assumed: code, KIP, UTCB, stack, and as many for data. */
#define CONTESTED_MAX 8u

struct switch_state {
    uint32_t dacr;       /* kernel's, own, shared sections': clients; 0 = holds no domain now */
    uint32_t switch_pid; /* what the switch loads: pid, and bit 0 set: switch_prepare first */
    uint32_t pid;        /* slot << 25: the mva of address 0 */
    uint32_t dirty;      /* own domain once it has a writable cached page, shared writable ones */
    uint8_t domain;      /* 1..15, 0 = none */
    uint8_t slot;        /* 1..63; 0 = not relocated, or bypassing */
    bool writable;
    uint8_t contested;    /* how many of contested_sections there are */
    uint32_t stale_epoch; /* last epoch in which it lost CPD entries but not its lines */
    struct policy_state policy;
    uint32_t ttb;         /* pa of its own directory while it bypasses the CPD (bypass.h), else 0 */
    uint16_t bypass_left; /* switches to it until it ends to bypass the CPD */
    int8_t useless;       /* useless runs, less others; see bypass.h */
    bool collided : 1;    /* since it was switched to, or then */
    bool alone : 1;       /* nobody else was in force between the last two flushes */
    struct sharing sharing;
    uint16_t contested_sections[CONTESTED_MAX];
    uint16_t exchanges;   /* since it had none of them */
    uint8_t home;         /* the slot that it has while it does not bypass the CPD */
    uint8_t bypass_level; /* how often it has bypassed it */
    struct switch_state *next_bypassing;
};

struct switch_hot {
    uint32_t dirty; /* domains whose spaces may have dirty lines: the paper's dirty domains */
    uint32_t ran;   /* domains whose spaces were in force since the last flush (cpd.h) */
    struct policy_hot policy;
    struct switch_state
        *bypassing; /* whose directory the processor walks; NULL: the CPD (bypass.h) */
};

#endif
