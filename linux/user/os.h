/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What these programs want of Linux beyond nolibc (which is in scope of every file: the build
 * includes it first): system calls under their usual names, with errno set and -1 returned.
 */
#ifndef LINUX_USER_OS_H
#define LINUX_USER_OS_H

#include <linux/futex.h>
#include <linux/signal.h>
#include <linux/time_types.h>

/* At once, whatever a C library would still do. */
__attribute__((noreturn)) static inline void _exit(int status) {
    sys_exit(status);
}

typedef void handler_t(int signal, siginfo_t *info, void *context);

/* The signal that ended a process, 0 if none did (nolibc's WIFSIGNALED is true for status 0). */
static inline int ended_by(int status) {
    int signal = WTERMSIG(status);
    return signal == 0x7f ? 0 : signal;
}

/* The signal that stopped a process that is debugged, 0 if none did. */
static inline int stopped_by(int status) {
    return (status & 0xff) == 0x7f ? status >> 8 & 0xff : 0;
}

/* Signals. Handlers get siginfo; `flags` are SA_... */
int handle(int signal, handler_t *handler, unsigned long flags);
int signal_mask(int how, unsigned long long set, unsigned long long *old);
unsigned long long signals_pending(void);
static inline unsigned long long signal_bit(int signal) {
    return 1ULL << (signal - 1);
}

/* Files. */
int make_fifo(const char *path, mode_t mode);
int truncate_to(int fd, long bytes);
int lock_file(int fd, int operation);
int lock_bytes(int fd, int command, struct flock *lock);

/* Sockets. */
struct sockaddr;
struct msghdr;
int socket_pair(int domain, int type, int fds[2]);
int socket_make(int domain, int type);
int socket_bind(int fd, const void *address, unsigned int bytes);
int socket_listen(int fd, int backlog);
int socket_accept(int fd);
int socket_connect(int fd, const void *address, unsigned int bytes);
long send_message(int fd, const void *header);
long receive_message(int fd, void *header);

/* Memory. */
int protect(void *start, size_t bytes, int protection);
void *remap(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new);
int sync_memory(void *start, size_t bytes);
/* Makes instructions that were written as data fetchable: a system call on ARM. */
int flush_code(void *start, size_t bytes);
long minor_faults(void);

/* What a debugger does to another process; where it reads a word, to `data`. */
long trace(int request, pid_t process, unsigned long at, unsigned long data);

/* How far the stack may grow, for what is started and what is mapped from now on; ~0: no limit. */
int stack_limit(unsigned long bytes);

/* The end of the heap, after it was moved to `at` where that is possible. */
void *heap_end(void *at);

/* System V shared memory. */
int shared_segment(size_t bytes);
void *shared_attach(int id);
int shared_detach(const void *at);
int shared_remove(int id);

/* Time, in nanoseconds. */
long long monotonic(void);
int sleep_for(long long nanoseconds);
int interval_timer(long first_microseconds, long every_microseconds);
int timer_file(long long first, long long every);

/* A kernel module, from its file's bytes. Without parameters; unloading does not wait. */
int module_load(void *bytes, unsigned long count);
int module_unload(const char *name);

int futex_wait(int *word, int expected);
int futex_wake(int *word, int waiters);

/* Copies at most `bytes`, or less at the end of the file or stream; -1 and errno if it fails. */
long read_all(int fd, void *buffer, size_t bytes);
long write_all(int fd, const void *buffer, size_t bytes);

/* Memory that may be swapped: to which there is room after swap_make(), on the RAM disk. The range
 * is written there, but for pages that more than one process has in its page tables. */
int swap_make(void);
int swap_on(void);
int swap_off(void);
int swap_out(const volatile void *at, size_t bytes);

/* A child in its parent's memory, which waits until the child has ended or become another program.
 * Not a function: it would have returned when the parent goes on. */
#ifdef __NR_vfork
#define VFORK() my_syscall0(__NR_vfork)
#else
#define VFORK() my_syscall5(__NR_clone, 0x4100 | SIGCHLD, 0, 0, 0, 0) /* CLONE_VM, _VFORK */
#endif

/* With users of 16 bits beside those of 32. */
#ifndef __NR_setuid32
#define __NR_setuid32 __NR_setuid
#endif

#endif
