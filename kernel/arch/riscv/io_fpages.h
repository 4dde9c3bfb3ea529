/* SPDX-License-Identifier: Apache-2.0 */
/* Fpages that are not memory, of which this architecture has none (space.c). */
#include "no_io_fpages.h"
