/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `small-spaces-groups` (Uhlig, Dannowski, Skoglund, Haeberlen and Heiser 2002, 5.2, which
 * left it to be done): small spaces that talk to each other are a *group*, with a directory of its
 * own that shows them alone. Each group has the regions of units GROUP_FIRST on; so there are as
 * many small spaces as one likes, and taking a region away concerns one directory. A switch within
 * a group loads nothing, one to another group loads CR3. A space that all talk to (a server) is
 * *global*: it has a region of the units below, which every directory shows.
 *
 * Who belongs together the kernel finds out by whom the loads of CR3 are for (small_review), or is
 * told by SpaceControl.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include "small_state.h"

#endif
