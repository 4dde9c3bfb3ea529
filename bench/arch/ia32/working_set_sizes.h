/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that working sets are made of (working_set.h). */
#ifndef BENCH_WORKING_SET_SIZES_H
#define BENCH_WORKING_SET_SIZES_H

#define WORKING_SET_LINE 64u /* of the first-level data cache */
#define WORKING_SET_NOP  1u  /* an instruction that does nothing */

#endif
