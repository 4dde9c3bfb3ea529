/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `small-spaces`, out of line: there is one area.
 */
#include "small.h"
#include "switch.h"

static struct space *holders[SMALL_UNITS];
static const struct small_area area = {.holder = holders, .end = SMALL_UNITS};

void small_init(void) {
}

bool small_place(struct space *space, uint32_t units) {
    return small_take(space, &area, units);
}

void small_review(struct space *space) {
    (void)space;
}

const struct small_area *small_area_by_hand(struct space *space, uint32_t control, uint32_t unit) {
    (void)space;
    (void)unit;
    return control == 0 ? &area : NULL;
}

uint32_t small_area_number(const struct small_area *a) {
    (void)a;
    return 0;
}

void small_area_left(const struct small_area *a) {
    (void)a;
}
