/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that look random and depend on a seed alone, for programs that must be repeatable. */
#ifndef LINUX_USER_DRAW_H
#define LINUX_USER_DRAW_H

struct random {
    unsigned int state;
};

/* A number below `below`, which is not 0. */
unsigned int draw(struct random *random, unsigned int below);

/* Numbers that depend on `seed` and `number` alone: for processes that must draw the same ones. */
struct random drawn_from(unsigned int seed, unsigned int number);

#endif
