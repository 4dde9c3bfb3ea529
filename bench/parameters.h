/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a benchmark, from the boot command line: words of the form name=value. */
#ifndef BENCH_PARAMETERS_H
#define BENCH_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

/* Parameter `name` as a number; `otherwise` if it is not there. False = it is no number. */
bool parameter_number(const char *name, uint32_t otherwise, uint32_t *value);

/* Parameter `name` as a list: numbers and ranges, "1-8,16". Returns its length, 0 = malformed. */
unsigned parameter_list(const char *name, const char *otherwise, uint32_t *values, unsigned most);

#endif
