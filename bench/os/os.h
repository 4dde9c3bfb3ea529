/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a benchmark may ask of the operating system; one file beside this one for each system
 * (l4.c, bare.c) says how. Benchmarks include nothing else of a system.
 */
#ifndef BENCH_OS_H
#define BENCH_OS_H

#include <stdbool.h>
#include <stdint.h>

/* First of all. Also finds the probe and maps its page. */
void os_init(void);

/* The boot command line, "" if there is none. */
const char *os_command_line(void);

/* Is there a probe (include/probe.h), at its physical address? */
bool os_has_probe(void);

/* A clock for where there is no probe. */
uint64_t os_microseconds(void);

/* Ends the run; does not return. Status 0 is good. */
void os_finish(unsigned status) __attribute__((noreturn));

/* ---- partners: address spaces with one thread each, that answer messages (not in bare.c) ---- */

/* Starts partners 0 to n-1; each has sent its first message and waits when this returns. */
bool os_partners_start(unsigned n);
void os_partners_end(void);

/* One round trip: an empty message to the partner and its answer. */
bool os_call(unsigned partner);

/* In the partner's program: sends the first message, then answers each at once, for ever. */
void os_serve(void) __attribute__((noreturn));

#endif
