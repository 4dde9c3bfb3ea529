/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel entry and exit: this scheme has nothing to do there. */
    .macro  switch_entry_hook
    .endm
    .macro  switch_exit_hook
    .endm
