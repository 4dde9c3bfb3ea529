/* SPDX-License-Identifier: GPL-2.0-only */
/* File locks, and futexes in shared memory. */
#include "test.h"

static void whole_file(void) {
    const char *path = "/tmp/lock";
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    pid_t child;
    EXPECT(fd >= 0 && lock_file(fd, LOCK_EX) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        int other = open(path, O_RDWR);
        EXPECT(lock_file(other, LOCK_EX | LOCK_NB) == -1 && errno == EAGAIN);
        EXPECT(lock_file(other, LOCK_SH | LOCK_NB) == -1 && errno == EAGAIN);
        _exit(0);
    }
    EXPECT(ended_well(child));
    EXPECT(lock_file(fd, LOCK_SH) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        int other = open(path, O_RDWR);
        EXPECT(lock_file(other, LOCK_SH | LOCK_NB) == 0);
        _exit(0);
    }
    EXPECT(ended_well(child) && unlink(path) == 0);
}

static int record(int fd, int command, int type, long start, long bytes, int *holder) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = bytes};
    int result = lock_bytes(fd, command, &lock);
    if (holder) {
        *holder = lock.l_type == F_UNLCK ? 0 : lock.l_pid;
    }
    return result;
}

static void bytes_of_a_file(void) {
    int fd = scratch_file(PAGE, 0);
    int holder;
    pid_t child;
    EXPECT(record(fd, F_SETLK, F_WRLCK, 100, 50, NULL) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        EXPECT(record(fd, F_SETLK, F_WRLCK, 149, 1, NULL) == -1 && errno == EAGAIN);
        EXPECT(record(fd, F_GETLK, F_RDLCK, 0, 0, &holder) == 0 && holder == getppid());
        EXPECT(record(fd, F_SETLK, F_WRLCK, 150, 50, NULL) == 0);
        /* Waits until the parent lets go, which it does only after it has seen our lock. */
        EXPECT(record(fd, F_SETLKW, F_WRLCK, 100, 50, NULL) == 0);
        _exit(0);
    }
    do {
        sleep_for(1000000);
        EXPECT(record(fd, F_GETLK, F_WRLCK, 150, 1, &holder) == 0);
    } while (holder != child);
    EXPECT(record(fd, F_SETLK, F_UNLCK, 100, 50, NULL) == 0);
    EXPECT(ended_well(child));
    EXPECT(record(fd, F_GETLK, F_WRLCK, 0, 0, &holder) == 0 && holder == 0);
}

static void futexes(void) {
    /* Each process waits until the word is its own, then gives it to the other. */
    volatile int *turn = fresh(PAGE, MAP_SHARED);
    pid_t child = fork();
    int me = child == 0;
    EXPECT(child >= 0);
    for (int i = 0; i < 100; i++) {
        while (*turn != me) {
            int got = futex_wait((int *)turn, !me);
            EXPECT(got == 0 || errno == EAGAIN);
        }
        turn[1]++;
        *turn = !me;
        EXPECT(futex_wake((int *)turn, 1) >= 0);
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child) && turn[1] == 200);
}

const struct test lock_tests[] = {
    {"locks of whole files", whole_file},
    {"locks of a file's bytes", bytes_of_a_file},
    {"futexes in shared memory", futexes},
    {0},
};
