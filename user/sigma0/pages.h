/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns which physical page. */
#ifndef SIGMA0_PAGES_H
#define SIGMA0_PAGES_H

#include <l4/kip.h>

#define PAGE_LOG2 12u
#define PAGE_SIZE ((L4_Word_t)1 << PAGE_LOG2)
#define MAX_LOG2  24u /* the largest piece that can be asked for */

void pages_init(const L4_KernelInterfacePage_t *kip);

/* The root task: the only one that may have its own image and what the boot loader left. */
void pages_set_root(L4_ThreadId_t root);

/* Its number among those who own anything, from 1 on; 0: there are too many. */
unsigned pages_owner_index(L4_ThreadId_t who);

/* Makes `who` owner of all pages in [base, base + size), or of none: false. */
bool pages_claim(L4_ThreadId_t who, L4_Word_t base, L4_Word_t size);

/* Claims any free aligned piece of conventional memory; 0 = there is none. */
L4_Word_t pages_claim_any(L4_ThreadId_t who, L4_Word_t size);

#endif
