/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls of Linux' by INT 80h, native or on L4, for programs without a C library. */
#ifndef L4_TESTS_CALLS_H
#define L4_TESTS_CALLS_H

enum {
    NR_EXIT = 1,
    NR_FORK = 2,
    NR_READ = 3,
    NR_WRITE = 4,
    NR_OPEN = 5,
    NR_CLOSE = 6,
    NR_WAITPID = 7,
    NR_MKNOD = 14,
    NR_GETPID = 20,
    NR_PTRACE = 26,
    NR_KILL = 37,
    NR_PIPE = 42,
    NR_SIGNAL = 48,
    NR_IOCTL = 54,
    NR_SIGACTION = 67,
    NR_GETTIMEOFDAY = 78,
    NR_REBOOT = 88,
    NR_MMAP = 90,
    NR_CLONE = 120,
    NR_SCHED_YIELD = 158,
    NR_NANOSLEEP = 162,
    NR_RT_SIGACTION = 174,
    NR_PREAD = 180,
    NR_PWRITE = 181,
    NR_SET_THREAD_AREA = 243,
    NR_USERFAULTFD = 374
};
enum {
    SIGTRAP = 5,
    SIGFPE = 8,
    SIGKILL = 9,
    SIGUSR1 = 10,
    SIGSEGV = 11,
    SIGCHLD = 17,
    SIGSTOP = 19
};
enum { WNOHANG = 1 };

/* What it answers; below zero: an error's number. */
static inline int call(int number, unsigned a, unsigned b, unsigned c, unsigned d) {
    int answer;
    __asm__ volatile("int $0x80"
                     : "=a"(answer)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(0)
                     : "memory");
    return answer;
}

static inline void say(const char *text) {
    unsigned length = 0;
    while (text[length] != '\0') {
        length++;
    }
    (void)call(NR_WRITE, 1, (unsigned)text, length, 0);
}

static inline void say_number(unsigned n) {
    char digits[12], *at = &digits[11];
    *at = '\0';
    do {
        *--at = (char)('0' + n % 10);
    } while ((n /= 10) != 0);
    say(at);
}

static inline int fork(void) {
    return call(NR_FORK, 0, 0, 0, 0);
}

__attribute__((noreturn)) static inline void end(int status) {
    for (;;) {
        (void)call(NR_EXIT, (unsigned)status, 0, 0, 0);
    }
}

static inline void sleep_ms(unsigned ms) {
    const unsigned time[2] = {0, ms * 1000000};
    (void)call(NR_NANOSLEEP, (unsigned)time, 0, 0, 0);
}

/* The whole run. */
__attribute__((noreturn)) static inline void restart(void) {
    for (;;) {
        (void)call(NR_REBOOT, 0xfee1dead, 672274793, 0x01234567, 0);
    }
}

#endif
