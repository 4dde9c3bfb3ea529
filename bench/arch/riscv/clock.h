/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of measure.h: the probe's. Reading it waits for all before, and takes few cycles. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#define CLOCK_CYCLES(probe) ((probe)[PROBE_CYCLES / 4])
#define CLOCK_IS_DEAR       0
#define CLOCK_GRAIN         0u /* by how much two readings of equal times may differ */

#endif
