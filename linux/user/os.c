/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that nolibc lacks. */
#include "os.h"

#include <asm/signal.h>

/* The kernel's own layout of a signal action (arch/.../include/uapi/asm/signal.h). */
struct action {
    handler_t *handler;
    unsigned long flags;
#ifndef __riscv
    void (*restorer)(void);
#endif
    unsigned long mask[8 / sizeof(long)];
};

int handle(int signal, handler_t *handler, unsigned long flags) {
    struct action action = {.handler = handler, .flags = flags | SA_SIGINFO};
    /* Without a restorer the kernel returns through its own page of instructions. */
    return syscall(__NR_rt_sigaction, signal, &action, NULL, sizeof(action.mask));
}

int signal_mask(int how, unsigned long long set, unsigned long long *old) {
    return syscall(__NR_rt_sigprocmask, how, &set, old, sizeof(set));
}

unsigned long long signals_pending(void) {
    unsigned long long set = 0;
    syscall(__NR_rt_sigpending, &set, sizeof(set));
    return set;
}

int make_fifo(const char *path, mode_t mode) {
    return mknod(path, S_IFIFO | mode, 0);
}

long trace(int request, pid_t process, unsigned long at, unsigned long data) {
    return syscall(__NR_ptrace, request, process, at, data);
}

int truncate_to(int fd, long bytes) {
    return syscall(__NR_ftruncate, fd, bytes);
}

int lock_file(int fd, int operation) {
    return syscall(__NR_flock, fd, operation);
}

int lock_bytes(int fd, int command, struct flock *lock) {
    return syscall(__NR_fcntl, fd, command, lock);
}

int socket_pair(int domain, int type, int fds[2]) {
    return syscall(__NR_socketpair, domain, type, 0, fds);
}

int socket_make(int domain, int type) {
    return syscall(__NR_socket, domain, type, 0);
}

int socket_bind(int fd, const void *address, unsigned int bytes) {
    return syscall(__NR_bind, fd, address, bytes);
}

int socket_listen(int fd, int backlog) {
    return syscall(__NR_listen, fd, backlog);
}

int socket_accept(int fd) {
#ifdef __NR_accept
    return syscall(__NR_accept, fd, NULL, NULL);
#else
    return syscall(__NR_accept4, fd, NULL, NULL, 0);
#endif
}

int socket_connect(int fd, const void *address, unsigned int bytes) {
    return syscall(__NR_connect, fd, address, bytes);
}

long send_message(int fd, const void *header) {
    return syscall(__NR_sendmsg, fd, header, 0);
}

long receive_message(int fd, void *header) {
    return syscall(__NR_recvmsg, fd, header, 0);
}

/* A result that is an address or an error; syscall() takes half of all addresses for errors. */
static void *address(long result) {
    if ((unsigned long)result > -4096UL) {
        errno = -result;
        return (void *)-1;
    }
    return (void *)result;
}

int protect(void *start, size_t bytes, int protection) {
    return syscall(__NR_mprotect, start, bytes, protection);
}

void *remap(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new) {
    return address(my_syscall5(__NR_mremap, old, old_bytes, new_bytes, flags, new));
}

int sync_memory(void *start, size_t bytes) {
    return syscall(__NR_msync, start, bytes, MS_SYNC);
}

int flush_code(void *start, size_t bytes) {
#ifdef __arm__
    return syscall(__ARM_NR_cacheflush, start, (char *)start + bytes, 0);
#elif defined(__riscv)
    return syscall(__NR_riscv_flush_icache, start, (char *)start + bytes, 0);
#else
    (void)start;
    (void)bytes;
    return 0;
#endif
}

int stack_limit(unsigned long bytes) {
    unsigned long limits[2] = {bytes, ~0ul}; /* now, and at most */
    return syscall(__NR_setrlimit, RLIMIT_STACK, limits);
}

void *heap_end(void *at) {
    return (void *)my_syscall1(__NR_brk, at);
}

long minor_faults(void) {
    struct rusage usage;
    return syscall(__NR_getrusage, RUSAGE_SELF, &usage) ? -1 : usage.ru_minflt;
}

/* IPC_PRIVATE, IPC_CREAT and IPC_RMID of <linux/ipc.h>, which needs more types than nolibc has. */
enum { KEY_PRIVATE = 0, CREATE = 01000, REMOVE = 0 };

int shared_segment(size_t bytes) {
    return syscall(__NR_shmget, KEY_PRIVATE, bytes, CREATE | 0600);
}

void *shared_attach(int id) {
    return address(my_syscall3(__NR_shmat, id, NULL, 0));
}

int shared_detach(const void *at) {
    return syscall(__NR_shmdt, at);
}

int shared_remove(int id) {
    return syscall(__NR_shmctl, id, REMOVE, NULL);
}

enum { SECOND = 1000000000 };

/* Of 64 bits are these from the beginning on where the architecture is. */
#ifndef __NR_clock_gettime64
#define __NR_clock_gettime64        __NR_clock_gettime
#define __NR_clock_nanosleep_time64 __NR_clock_nanosleep
#define __NR_timerfd_settime64      __NR_timerfd_settime
#endif

static struct __kernel_timespec timespec(long long nanoseconds) {
    return (struct __kernel_timespec){nanoseconds / SECOND, nanoseconds % SECOND};
}

long long monotonic(void) {
    struct __kernel_timespec now = {0};
    syscall(__NR_clock_gettime64, CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

int sleep_for(long long nanoseconds) {
    struct __kernel_timespec time = timespec(nanoseconds);
    return syscall(__NR_clock_nanosleep_time64, CLOCK_MONOTONIC, 0, &time, NULL);
}

int interval_timer(long first_microseconds, long every_microseconds) {
    /* struct itimerval as this system call has it: 32-bit seconds and microseconds. */
    long value[4] = {every_microseconds / 1000000, every_microseconds % 1000000,
                     first_microseconds / 1000000, first_microseconds % 1000000};
    return syscall(__NR_setitimer, ITIMER_REAL, value, NULL);
}

int timer_file(long long first, long long every) {
    struct __kernel_itimerspec when = {timespec(every), timespec(first)};
    int fd = syscall(__NR_timerfd_create, CLOCK_MONOTONIC, 0);
    if (fd >= 0 && syscall(__NR_timerfd_settime64, fd, 0, &when, NULL) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int module_load(void *bytes, unsigned long count) {
    return syscall(__NR_init_module, bytes, count, "");
}

int module_unload(const char *name) {
    return syscall(__NR_delete_module, name, O_NONBLOCK);
}

int futex_wait(int *word, int expected) {
    return syscall(__NR_futex, word, FUTEX_WAIT, expected, NULL, NULL, 0);
}

int futex_wake(int *word, int waiters) {
    return syscall(__NR_futex, word, FUTEX_WAKE, waiters, NULL, NULL, 0);
}

long read_all(int fd, void *buffer, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        long got = read(fd, (char *)buffer + done, bytes - done);
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += got;
    }
    return done;
}

long write_all(int fd, const void *buffer, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        long put = write(fd, (const char *)buffer + done, bytes - done);
        if (put < 0) {
            return -1;
        }
        done += put;
    }
    return done;
}
