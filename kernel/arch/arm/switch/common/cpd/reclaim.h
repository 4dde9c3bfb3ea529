/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries that a space takes back from others: at a fault one by one, at a switch all that it
 * contests (cpd.h).
 */
#ifndef RECLAIM_H
#define RECLAIM_H

#include "bypass.h"
#include "pid_slots.h"
#include "state.h"

#define CONTESTED_AGE 32u /* assumed: taking them by faults once costs little of 32 flushes */

/* The section is none of the space's contested ones any more. */
void cpd_uncontest(struct switch_state *s, uint32_t section);

/* A space with contested sections and a domain is about to be switched to: takes them back. */
void cpd_exchange(struct space *space);

/* Puts the entry of a space with a domain into the CPD, at the place of whatever is there. */
void cpd_load_entry(struct switch_state *s, uint32_t section, uint32_t value);

/*
 * A fault in the space in force at *va, which is converted: the directory entry that the CPD lacks,
 * or 0 if it is not at fault. A missing entry faults as translation, another's as domain fault, or
 * as translation fault of its table. Where the status has the domain (all but the first), it tells
 * whose entry it is.
 */
static inline uint32_t cpd_missing_entry(const struct space *space, uint32_t *va, uint32_t status) {
    const struct switch_state *s = &space->scheme;
    *va = va_of_fault(s, *va);
    if (is_bypassing(s)) {
        return 0;
    }
    if ((domains_of(s) >> (status >> 4 & 0xf) & 1) != 0 &&
        FSR_STATUS(status) != FSR_TRANSLATION_SECTION) {
        return 0;
    }
    if (*va >= KERNEL_AREA) {
        return 0;
    }
    uint32_t section = section_of(s, *va);
    uint32_t value = space->directory[*va >> 20];
    if (owns_entry(s, section)) {
        return 0;
    }
    if (!pde_is_valid(value)) {
        if (cpd.entries[section] != 0) {
            cpu_flush_tlbs(); /* the walk has brought in what the space must not have */
        }
        return 0;
    }
    return value;
}

#endif
