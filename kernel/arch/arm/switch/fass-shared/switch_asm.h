/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel entry and exit, in entry.S: scheme `fass-shared` has nothing to do there. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#define switch_entry_hook
#define switch_exit_hook

#endif
