/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PID slots: choosing one, and moving out of it.
 */
#include "pid_slots.h"

#include "bypass.h"
#include "state.h"

static uint16_t slot_users[CPU_PID_SLOTS];
/* Directory entries of all spaces at unrelocated addresses, by the slot that they are in. */
static uint32_t slot_unrelocated[CPU_PID_SLOTS];

static bool slot_is_usable(const struct space *space, uint32_t slot) {
    for (uint32_t i = 0; i < SLOT_SECTIONS; i++) {
        if (space->directory[slot * SLOT_SECTIONS + i] != 0) {
            return false;
        }
    }
    return true;
}

/*
 * The slot in which the fewest others are. Not one that the space maps by its unrelocated addresses
 * as well: those have the same mva. Slot 0, which relocates nothing, is right for every space but
 * shared by all that are not relocated, so it is the last resort. Slots where other spaces have
 * unrelocated pages (a device mapped 1:1, say), and with more than 63 spaces slots of others, make
 * collisions, which cost time but are handled.
 *
 * From the top: the processor gives a program its own low memory at its slot's unrelocated
 * addresses too, and nothing faults there until the space maps something else there (slot_move).
 * Programs that have more than 32 MB grow upwards, so the top slots are the last that they reach.
 */
static uint32_t choose_slot(const struct space *space) {
    uint32_t best = 0, best_others = ~0u;
    for (uint32_t slot = CPU_PID_SLOTS - 1; slot > 0; slot--) {
        uint32_t others = slot_users[slot] + slot_unrelocated[slot];
        if (others < best_others && slot_is_usable(space, slot)) {
            best = slot;
            best_others = others;
            if (others == 0) {
                break;
            }
        }
    }
    return best;
}

void slot_go_home(struct switch_state *s) {
    s->slot = s->home;
    s->pid = (uint32_t)s->home << CPU_PID_SLOT_SHIFT;
    domain_unprepare(s);
}

void slot_take(struct space *space) {
    struct switch_state *s = &space->scheme;
    uint32_t slot = choose_slot(space);
    s->home = (uint8_t)slot;
    if (!is_bypassing(s)) {
        slot_go_home(s);
    }
    slot_users[slot]++;
}

void slot_leave(struct space *space) {
    slot_users[space->scheme.home]--;
}

/* The space has just mapped into its slot's own range of addresses: it needs another slot. Its
 * lines and entries under the old mva must go first. */
static void slot_move(struct space *space) {
    struct switch_state *s = &space->scheme;
    if (s->domain != 0) {
        cpd_remove_entries_of(s->domain);
    }
    if (!is_bypassing(s)) {
        cpd_flush();
    }
    slot_leave(space);
    slot_take(space);
    if (hot.space == space) {
        cpu_set_pid(s->pid);
    }
}

void slot_directory_changed(struct space *space, uint32_t index, bool had, bool has) {
    const struct switch_state *s = &space->scheme;
    uint32_t slot = index / SLOT_SECTIONS;
    if (slot != 0 && slot < CPU_PID_SLOTS) {
        slot_unrelocated[slot] += (uint32_t)has - (uint32_t)had;
    }
    if (!had && has && s->home != 0 && slot == s->home) {
        slot_move(space);
    }
}
