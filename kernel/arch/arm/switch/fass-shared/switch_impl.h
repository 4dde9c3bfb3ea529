/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass-shared`: fast address-space switching (Wiggins et al. 2003, sections 2.3 and 3.1)
 * with shared domains (section 3.2): pages that several spaces map at the same address share their
 * CPD entry, domain and TLB entries.
 *
 * The processor always walks one directory, the caching page directory (CPD). It caches entries
 * of the directories of several spaces at once, each tagged with the domain that its space holds;
 * the DACR opens the domain of the running space only. Addresses below 32 MB are relocated by the
 * PID register into the space's own slot, so that spaces with equal layouts lie apart. A switch
 * is then: load DACR and PID. Flushes wait until two spaces want the same mva or domains run out.
 * Of a section (1 MB) that looks the same in several spaces the domain is the section's own, and
 * the DACR of each of them opens it as well; the switch is the same, and so is when a space is
 * *armed* (fass/switch_impl.h).
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
    uint32_t dacr;       /* kernel's, own, shared sections': clients; 0 = holds no domain now */
    uint32_t switch_pid; /* what the switch loads: pid, and bit 0 set: switch_prepare first */
    uint32_t pid;        /* slot << 25: the mva of address 0 */
    uint32_t dirty;      /* own domain once it has a writable cached page, shared writable ones */
    uint8_t domain;      /* 1..15, 0 = none */
    uint8_t slot;        /* 1..63; 0 = not relocated */
    bool writable;
    uint32_t ghost_epoch; /* last epoch in which it lost CPD entries but not its lines */
    struct policy_state policy;
    uint32_t shared;           /* domains of the sections that it shares */
    struct switch_state *next; /* of all spaces */
};

struct switch_hot {
    uint32_t dirty; /* domains whose spaces may have dirty lines: the paper's dirty domains */
    struct policy_hot policy;
};

#endif
