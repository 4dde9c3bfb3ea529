/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, where the architecture has them: as with pages (pages.h), who was first owns one. */
#ifndef SIGMA0_PORTS_H
#define SIGMA0_PORTS_H

#include <l4/l4.h>

/* Is it ports that are asked for? */
bool ports_are_meant(L4_Fpage_t wanted);

/* All of them are `who`'s from now on, or already; else false, and nothing has changed. */
bool ports_claim(L4_ThreadId_t who, L4_Fpage_t wanted);

#endif
