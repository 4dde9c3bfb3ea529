/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls with nothing around them, so that what is measured is the kernel: the stub is called
 * with the registers of the binding (raw_call.S, raw_call_ia32.S, raw_call_riscv.S), and the
 * partners' loops are a handful of instructions. On ARM the host takes the cycles of user mode off
 * (they are counted, and are the same in each round), so that half a round trip is left from the
 * one's trap to the other's first instruction; on IA-32 what taking a sample takes
 * (measure_itself).
 */
#ifndef BENCH_L4_RAW_H
#define BENCH_L4_RAW_H

#include <l4/l4.h>

/* Addresses of the kernel's stubs, for these functions and loops. */
L4_Word_t raw_stub_ipc(void);
L4_Word_t raw_stub_lipc(void);
L4_Word_t raw_stub_thread_switch(void);
L4_Word_t raw_stub_system_clock(void);

/* Sends the UTCB's message registers after the tag; waits for the answer, of whose words the first
 * (of IA-32 two, of the others four) stay in registers. Returns its tag. */
L4_Word_t raw_call(L4_Word_t to, L4_Word_t tag, L4_Word_t stub);

/* Sends a message, its tag and four words, and waits for anybody's, which is there then. Returns
 * who sent that. (ARM alone has it: l4/collisions.c is about its directories.) */
L4_Word_t raw_pass(L4_Word_t to, L4_Word_t message[5], L4_Word_t stub);

/* The stub with `argument` in its first register and no other. */
void raw_syscall(L4_Word_t argument, L4_Word_t stub);

/* Receives, and answers each message with the same untyped words, for ever. */
void raw_echo(L4_Word_t stub) __attribute__((noreturn));

/* Echoes between local threads, by the stub of Lipc. */
void raw_local_echo(L4_Word_t stub) __attribute__((noreturn));

/* Switches to `to`, for ever. */
void raw_yield(L4_Word_t to, L4_Word_t stub) __attribute__((noreturn));

/*
 * Answers each message, which must be a page fault, with one of 16 pages, for ever: the one whose
 * place in 64 KB is the fault's. `first` is the first as an fpage.
 */
#define RAW_PAGES 16u
void raw_pager(L4_Word_t first, L4_Word_t stub) __attribute__((noreturn));

#endif
