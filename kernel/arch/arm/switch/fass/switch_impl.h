/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass`: fast address-space switching (Wiggins et al. 2003, sections 2.3 and 3.1).
 *
 * The processor always walks one directory, the caching page directory (CPD). It caches entries
 * of the directories of several spaces at once, each tagged with the domain that its space holds;
 * the DACR opens the domain of the running space only. Addresses below 32 MB are relocated by the
 * PID register into the space's own slot, so that spaces with equal layouts lie apart. A switch
 * is then: load DACR and PID. Flushes wait until two spaces want the same mva or domains run out.
 *
 * A domain is dirty from when its space first runs after a flush, so a switch should say that it
 * is. It need not: a space is *armed* only while its domain is in the dirty set (or the space has
 * nothing writable), and only to an armed one the switch is those two writes. A flush disarms all
 * spaces whose domains it made clean; switch_prepare marks and arms. (pitfalls.md, FASS 1: a second
 * copy of the marking, in a fast path, was wrong. Here no path has it but switch_prepare.)
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu.h"
#include "policy.h"

struct space;

#define SWITCH_PROTECTS 1

struct switch_state {
    uint32_t dacr;       /* kernel's and own domain: clients; 0 = holds no domain now */
    uint32_t switch_pid; /* what the switch loads: pid, and bit 0 set: switch_prepare first */
    uint32_t pid;        /* slot << 25: the mva of address 0 */
    uint32_t dirty;      /* 1 << domain once the space has a writable cached page, else 0 */
    uint8_t domain;      /* 1..15, 0 = none */
    uint8_t slot;        /* 1..63; 0 = not relocated */
    bool writable;
    uint32_t ghost_epoch; /* last epoch in which it lost CPD entries but not its lines */
    struct policy_state policy;
};

struct switch_hot {
    uint32_t dirty; /* domains whose spaces may have dirty lines: the paper's dirty domains */
    struct policy_hot policy;
};

#endif
