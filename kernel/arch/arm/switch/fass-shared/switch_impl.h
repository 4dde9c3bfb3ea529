/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass-shared`: fast address-space switching as in ../fass (Wiggins et al. 2003, sections
 * 2.3 and 3.1), with shared domains (section 3.2): pages that several spaces map at the same
 * address share their CPD entry, domain and TLB entries.
 *
 * Of a section (1 MB) that looks the same in several spaces the domain is the section's own, and
 * the DACR of each of them opens it as well; the switch is the same, and so is all of
 * ../common/cpd.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdbool.h>
#include <stdint.h>

struct space;
struct switch_state;

struct sharing {
    uint32_t domains;          /* of the sections that it shares */
    struct switch_state *next; /* of all spaces */
};

#include "cpd_state.h"

#endif
