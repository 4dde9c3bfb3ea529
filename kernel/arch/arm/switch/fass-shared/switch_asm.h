/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `fass-shared` is that of all with a caching page directory. */
#include "cpd_asm.h"
