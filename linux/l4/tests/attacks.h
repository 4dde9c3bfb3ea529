/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef L4_TESTS_ATTACKS_H
#define L4_TESTS_ATTACKS_H

struct attack {
    const char *name;
    int (*function)(void); /* a child's: what it returns is its status; 0: nothing came of it */
    int signal;            /* what ends it; SIGKILL: nothing else does. 0: it ends by itself */
};

extern const struct attack attacks[];
extern const unsigned attack_count;

/* Before the first attack. */
void find_victims(void);

#endif
