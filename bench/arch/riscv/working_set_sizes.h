/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that working sets are made of (working_set.h). */
#ifndef BENCH_WORKING_SET_SIZES_H
#define BENCH_WORKING_SET_SIZES_H

#define WORKING_SET_LINE 64u /* of caches */
#define WORKING_SET_NOP  4u  /* an instruction that does nothing */

#endif
