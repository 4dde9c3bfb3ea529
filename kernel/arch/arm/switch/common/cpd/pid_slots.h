/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PID slots: which 32 MB of the mva each space's low 32 MB are relocated to.
 */
#ifndef PID_SLOTS_H
#define PID_SLOTS_H

#include "spaces.h"
#include "switch.h"

/* Sections of 1 MB that the PID register relocates. */
#define SLOT_SECTIONS (CPU_PID_SLOT_SIZE >> 20)

static inline uint32_t mva_of(const struct switch_state *s, uint32_t va) {
    return va < CPU_PID_SLOT_SIZE ? va + s->pid : va;
}

/* The section of the mva. */
static inline uint32_t section_of(const struct switch_state *s, uint32_t va) {
    uint32_t index = va >> 20;
    return index < SLOT_SECTIONS ? index + s->slot * SLOT_SECTIONS : index;
}

/* The reverse; one of the space's. */
static inline uint32_t index_of_section(const struct switch_state *s, uint32_t section) {
    return section / SLOT_SECTIONS == s->slot ? section % SLOT_SECTIONS : section;
}

/* Operations by mva on addresses that the PID register could relocate: only spaces in slot 0 have
 * such mva. Rare, so everything is flushed. (While a space that bypasses the CPD is in force that
 * register is 0, and while it is not in force it has no mva.) */
static inline bool is_ambiguous(const struct switch_state *s, uint32_t mva) {
    return mva < CPU_PID_SLOT_SIZE && s->ttb == 0;
}

/*
 * The machine reports the mva, QEMU the va; both lead to the same place, for a space never maps the
 * addresses of its own slot by their unrelocated va (slot_move). In slot 0 they are equal.
 */
static inline uint32_t va_of_fault(const struct switch_state *s, uint32_t address) {
    if (s->slot != 0 && address >> CPU_PID_SLOT_SHIFT == s->slot) {
        return address & (CPU_PID_SLOT_SIZE - 1);
    }
    return address;
}

/* A space that begins, and one that ends. */
void slot_take(struct space *space);
/* A space does not bypass the CPD any more. */
void slot_go_home(struct switch_state *s);
void slot_leave(struct space *space);

/* The directory entry at `index` was, or was not, and now is, or is not. */
void slot_directory_changed(struct space *space, uint32_t index, bool had, bool has);

#endif
