/* SPDX-License-Identifier: Apache-2.0 */
/* For programs whose page faults tests count or refuse: what they are made of has to be there. */
#ifndef COMMON_TOUCH_H
#define COMMON_TOUCH_H

/* Of the program, by crt0 and the linker script. */
extern const char _start[], _program_end[];

static inline void touch_all_pages(void) {
    for (const volatile char *at = _start; at < _program_end; at += 4096) {
        (void)*at;
    }
}

#endif
