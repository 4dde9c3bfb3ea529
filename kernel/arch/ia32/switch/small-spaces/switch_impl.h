/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `small-spaces` (Uhlig, Dannowski, Skoglund, Haeberlen and Heiser 2002, 3.1): common/small,
 * with one area, whose regions every directory can show. Pages of all small spaces are global, so
 * that they outlive a load of CR3, and taking a region away is to look into every directory.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include "small_state.h"

#endif
