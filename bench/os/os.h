/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a benchmark may ask of the operating system; one file beside this one for each system
 * (l4.c, bare.c, bare_ia32.c) says how. Benchmarks include nothing else of a system.
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

/* A clock for where there is no probe (not in bare_ia32.c). */
uint64_t os_microseconds(void);

/* Ends the run; does not return. Status 0 is good. */
void os_finish(unsigned status) __attribute__((noreturn));

/* ---- partners: address spaces with one thread each, that answer messages (not in bare.c) ---- */

/* Starts partners 0 to n-1; each has sent its first message and waits when this returns. */
bool os_partners_start(unsigned n);
void os_partners_end(void);

/* One round trip: an empty message to the partner and its answer. */
bool os_call(unsigned partner);

/* ---- partners that are told what to do, in four words (peer.c) ---- */

#define OS_WORDS 4

/* A word of theirs: a number, an address, or a name. */
typedef uintptr_t os_word_t;

/* By what partners call each other. */
os_word_t os_partner_name(unsigned partner);

/* A message to the partner and its answer, in `words`. */
bool os_ask(unsigned partner, os_word_t words[OS_WORDS]);

/* A message to the partner, which does not answer now; the next message of any partner. */
bool os_tell(unsigned partner, const os_word_t words[OS_WORDS]);
bool os_hear(os_word_t words[OS_WORDS]);

/* The partner may read this page of ours at `va`, until the partners end. Returns where it is seen,
 * which is its own address where all programs share one space; 0 = it cannot be shown. */
uintptr_t os_show(unsigned partner, uintptr_t va, const void *page);

/* In the partner's program: who starts it; the first message, and waiting for what is to be done;
 * an answer to `to`, and waiting for the next; a call of another; others' turn. All waits return
 * who sent. */
os_word_t os_home(void);
os_word_t os_begin(os_word_t words[OS_WORDS]);
os_word_t os_answer(os_word_t to, os_word_t words[OS_WORDS]);
bool os_call_peer(os_word_t peer, os_word_t words[OS_WORDS]);
void os_yield(void);

/* In the partner's program: sends the first message, then answers each at once, for ever. */
void os_serve(void) __attribute__((noreturn));

#endif
