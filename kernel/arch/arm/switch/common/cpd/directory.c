/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the caching page directory loses when the directory of a space changes, or ends.
 */
#include "cpd.h"
#include "state_inline.h"

void cpd_forget_space(struct space *space) {
    struct switch_state *s = &space->scheme;
    if (s->domain != 0) {
        domain_lose(s);
        cpu_flush_tlbs();
    }
    if (s->stale_epoch == cpd.epoch) {
        flush_and_go_on();
    }
    slot_leave(space);
    if (is_bypassing(s)) {
        bypass_forget(s);
    }
}

/*
 * The CPD's entry is found by where the space's entry would be, and known by its domain, whatever
 * the space's own directory says (user/test/pitfall.c, 3).
 */
void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    const struct switch_state *s = &space->scheme;
    uint32_t section = section_of(s, index << 20);
    bool had = space->directory[index] != 0;
    space->directory[index] = value;
    bool removed = owns_entry(s, section);
    if (removed) {
        remove_entry(section);
    }
    removed |= had && bypass_in_force(s);
    ptab_publish();
    if (removed) {
        cpu_flush_tlbs();
    }
    slot_directory_changed(space, index, had, value != 0);
}
