/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a benchmark of a Unix may use: the usual names, from the C library that it is compiled with.
 * That is nolibc of the kernel's sources on our machines (the build includes it first of all, and
 * no other library is for a processor as old), and whatever there is on a board and on the host.
 * What nolibc lacks, and what is Linux's own, has a name with os_ and is in linux.c.
 */
#ifndef BENCH_OS_UNIX_H
#define BENCH_OS_UNIX_H

#ifdef NOLIBC
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/signal.h>
/* At once, whatever a C library would still do. */
__attribute__((noreturn)) static inline void _exit(int status) {
    sys_exit(status);
}
#else
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#include <stdbool.h>

/* ---- time ---- */

/* Opens the simulator's probe (include/probe.h), through /dev/mem. Only where the user says that
 * this may be the simulator: elsewhere anything may be at its address. False = it is not there. */
bool os_probe_open(void);
bool os_has_probe(void);
void os_probe_write(unsigned offset, uint32_t value);

/* Ends the run, by the probe, once the console has shown all that was written. */
void os_probe_exit(int status);

/* The time now: cycles with a probe, of which 32 bits count; nanoseconds without. */
uint64_t os_now(void);
uint64_t os_since(uint64_t start);

/* ---- processes ---- */

/* This process ends when the one that started it does. */
void os_end_with_parent(void);

/* Starts a program by vfork(), which systems without an MMU have too; -1 = it could not. */
pid_t os_vfork_program(const char *path, char *const arguments[]);

/* From now on this process and those that it starts take turns, each until it yields or waits.
 * False = the system does not let us. */
bool os_take_turns(void);

/* ---- files, locks, signals ---- */

bool os_fifo(const char *path);
bool os_socket_pair(int fds[2]);
/* Takes or gives back the lock of one byte of a file; waits for it. */
bool os_lock(int fd, long byte);
bool os_unlock(int fd, long byte);
/* `size` bytes from or to the beginning of a file. */
bool os_read_start(int fd, void *to, size_t size);
bool os_write_start(int fd, const void *from, size_t size);
bool os_truncate(int fd, long size);
/* How many bytes a pipe holds before its writer waits. */
bool os_pipe_holds(int fd, unsigned bytes);
bool os_catch(int signal, void (*handler)(int));

#endif
