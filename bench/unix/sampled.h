/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a program that is not ours, by a library that is loaded before the C library and takes
 * the place of functions between which the time is measured. They go where measure.c has its own.
 */
#ifndef BENCH_UNIX_SAMPLED_H
#define BENCH_UNIX_SAMPLED_H

#include "suite.h"

/* Who starts the program: it is to load this library, and to take samples of that stream. */
void sampled_environment(const char *library, unsigned stream, unsigned rounds, unsigned warmup);

/* In the library: the beginning and the end of what is measured. */
void sampled_enter(void);
void sampled_leave(void);
/* Whether it is between the two, and whether all samples have been taken. */
bool sampled_inside(void);
bool sampled_all(void);

#endif
