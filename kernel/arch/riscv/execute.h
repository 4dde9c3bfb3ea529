/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that programs fetch instructions from (ptab.c). */
#ifndef EXECUTE_H
#define EXECUTE_H

#include "kernel.h"

/*
 * A program wants to fetch from `va`. If a page is mapped and valid there that nobody has fetched
 * from in this space yet, it may from now on: what was stored into the page is what is fetched, as
 * far as that was before. False: it is not so.
 */
bool ptab_execute(struct space *space, word_t va);

#endif
