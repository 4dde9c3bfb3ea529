/* SPDX-License-Identifier: Apache-2.0 */
/* What unix.h asks of Linux, with a C library or with the kernel's nolibc. */
#include "unix.h"

#include <probe.h>

#ifdef NOLIBC
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/termios.h>
#include <linux/time_types.h>
#else
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#endif

#define PROBE_SIZE 4096

/* The probe's page, NULL without one. Children inherit it. */
static volatile uint32_t *probe;

static void no_device(int signal) {
    (void)signal;
    _exit(3);
}

/* The system call is inline: a child of vfork() must not return from the function that called it.
 */
#ifndef NOLIBC
#define VFORK() vfork()
#elif defined(__NR_vfork)
#define VFORK() ((pid_t)my_syscall0(__NR_vfork))
#else /* newer architectures have clone() alone */
#define VFORK() ((pid_t)my_syscall5(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0))
#endif

/* Whether the page answers as a probe does: asked by a child, which may die of it. By vfork(),
 * which systems without an MMU have too; handlers of signals are not what a child shares. */
static bool answers(volatile uint32_t *page) {
    int status = -1;
    pid_t child = VFORK();
    if (child == 0) {
        (void)os_catch(SIGBUS, no_device);
        (void)os_catch(SIGSEGV, no_device);
        _exit(page[PROBE_ID / 4] == PROBE_ID_VALUE ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool os_probe_open(void) {
    int fd = open("/dev/mem", O_RDWR | O_SYNC);
    if (fd < 0) {
        return false;
    }
    void *page = mmap(NULL, PROBE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PROBE_BASE_PA);
    close(fd);
    if (page == MAP_FAILED || !answers(page)) {
        return false;
    }
    probe = page;
    return true;
}

bool os_has_probe(void) {
    return probe != NULL;
}

void os_probe_write(unsigned offset, uint32_t value) {
    probe[offset / 4] = value;
}

void os_probe_exit(int status) {
#ifdef NOLIBC
    (void)ioctl(1, TCSBRK, (void *)1); /* what tcdrain() does */
#else
    (void)tcdrain(1);
#endif
    os_probe_write(PROBE_EXIT, (uint32_t)status);
}

static uint64_t nanoseconds(void) {
#ifdef NOLIBC
    struct __kernel_timespec now = {0};
#ifdef __NR_clock_gettime64
    (void)syscall(__NR_clock_gettime64, CLOCK_MONOTONIC, &now);
#else /* of 64 bits without a word about it */
    (void)syscall(__NR_clock_gettime, CLOCK_MONOTONIC, &now);
#endif
#else
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t os_now(void) {
    return probe != NULL ? probe[PROBE_CYCLES / 4] : nanoseconds();
}

uint64_t os_since(uint64_t start) {
    uint64_t now = os_now();
    return probe != NULL ? (uint32_t)now - (uint32_t)start : now - start;
}

void os_end_with_parent(void) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

#ifdef NOLIBC

pid_t os_vfork_program(const char *path, char *const arguments[]) {
    char *const environment[] = {NULL};
    pid_t child = VFORK();
    if (child == 0) {
        (void)sys_execve(path, arguments, environment);
        sys_exit(127);
    }
    return child < 0 ? -1 : child;
}

bool os_take_turns(void) {
    int priority = 1;
    return syscall(__NR_sched_setscheduler, 0, SCHED_RR, &priority) == 0;
}

bool os_fifo(const char *path) {
    return mknod(path, S_IFIFO | 0600, 0) == 0;
}

bool os_socket_pair(int fds[2]) {
    enum { LOCAL = 1, STREAM = 1 }; /* AF_UNIX, SOCK_STREAM */
    return syscall(__NR_socketpair, LOCAL, STREAM, 0, fds) == 0;
}

static bool set_lock(int fd, long byte, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return syscall(__NR_fcntl, fd, F_SETLKW, &lock) == 0;
}

/* 64-bit arguments are in an even and an odd register on ARM (EABI), hence one zero more than IA-32
 * needs, and two more than a processor of 64 bits. */
bool os_read_start(int fd, void *to, size_t size) {
    return my_syscall6(__NR_pread64, fd, to, size, 0, 0, 0) == (long)size;
}

bool os_write_start(int fd, const void *from, size_t size) {
    return my_syscall6(__NR_pwrite64, fd, from, size, 0, 0, 0) == (long)size;
}

bool os_truncate(int fd, long size) {
    return syscall(__NR_ftruncate, fd, size) == 0;
}

bool os_pipe_holds(int fd, unsigned bytes) {
    return syscall(__NR_fcntl, fd, F_SETPIPE_SZ, bytes) == (long)bytes;
}

/* The kernel's own layout of a signal action (include/linux/signal_types.h). */
bool os_catch(int signal, void (*handler)(int)) {
    struct {
        void (*handler)(int);
        unsigned long flags;
#ifndef __riscv
        void (*restorer)(void);
#endif
        unsigned long mask[8 / sizeof(long)];
    } action = {.handler = handler};
    return syscall(__NR_rt_sigaction, signal, &action, NULL, sizeof(action.mask)) == 0;
}

#else

pid_t os_vfork_program(const char *path, char *const arguments[]) {
    char *const environment[] = {NULL};
    pid_t child = VFORK();
    if (child == 0) {
        (void)execve(path, arguments, environment);
        _exit(127);
    }
    return child;
}

bool os_take_turns(void) {
    struct sched_param priority = {.sched_priority = 1};
    /* musl's function of that name does not ask the kernel */
    return syscall(SYS_sched_setscheduler, 0, SCHED_RR, &priority) == 0;
}

bool os_fifo(const char *path) {
    return mkfifo(path, 0600) == 0;
}

bool os_socket_pair(int fds[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0;
}

static bool set_lock(int fd, long byte, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_SETLKW, &lock) == 0;
}

bool os_read_start(int fd, void *to, size_t size) {
    return pread(fd, to, size, 0) == (ssize_t)size;
}

bool os_write_start(int fd, const void *from, size_t size) {
    return pwrite(fd, from, size, 0) == (ssize_t)size;
}

bool os_truncate(int fd, long size) {
    return ftruncate(fd, size) == 0;
}

/* Linux has it; a C library tells of it with _GNU_SOURCE alone. */
#ifndef F_SETPIPE_SZ
#define F_SETPIPE_SZ 1031
#endif

bool os_pipe_holds(int fd, unsigned bytes) {
    return fcntl(fd, F_SETPIPE_SZ, bytes) == (int)bytes;
}

bool os_catch(int signal, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    return sigaction(signal, &action, NULL) == 0;
}

#endif

bool os_lock(int fd, long byte) {
    return set_lock(fd, byte, F_WRLCK);
}

bool os_unlock(int fd, long byte) {
    return set_lock(fd, byte, F_UNLCK);
}
