/* SPDX-License-Identifier: GPL-2.0-only */
#include "draw.h"

#include "test.h"

unsigned int draw(struct random *random, unsigned int below) {
    random->state = random->state * 1664525 + 1013904223;
    return (random->state >> 8) % below;
}

struct random drawn_from(unsigned int seed, unsigned int number) {
    return (struct random){scramble(seed * 2654435761u + scramble(number + 1) + 1)};
}
