/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching page directory: who has which of its entries, and since when.
 */
#include "state_inline.h"

struct cpd cpd;
struct domains domains;

void switch_init(void) {
    cpd.entries = ptab_kernel_directory;
    cpd.epoch = 1;
    domains.used = 1u << 0;
    cpu_set_dacr(DACR_KERNEL);
    cpu_set_pid(0);
}

void cpd_flush(void) {
    flush_and_go_on();
}

extern inline void cpd_flush_to_leave(void);

void cpd_account_flush(void) {
    account_flush(NULL);
}

void cpd_list(uint32_t section, uint32_t domain) {
    list_entry(section, domain);
}

void cpd_remove_entry(uint32_t section) {
    remove_entry(section);
}

void cpd_remove_entries_of(uint32_t domain) {
    const struct switch_state *holder = domains.holder[domain];
    while (cpd.first[domain] != 0) {
        uint32_t section = cpd.first[domain] - 1u;
        if (cpd_is_of(section, domain)) {
            cpd_remove_entry(section);
        } else {
            unlist(section);
        }
    }
    for (uint32_t i = 0; holder != NULL && i < holder->contested; i++) {
        if (cpd_is_of(holder->contested_sections[i], domain)) {
            cpd_remove_entry(holder->contested_sections[i]);
        }
    }
    ptab_publish();
}
