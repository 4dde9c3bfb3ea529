/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test is a function that returns when all is well. Each runs in a process of its own, so it
 * may leave anything; what it must not do is wait for ever, and even that is ended.
 */
#ifndef LINUX_USER_TEST_H
#define LINUX_USER_TEST_H

#include "os.h"

#include "arch.h"

struct test {
    const char *name;
    void (*run)(void);
};

/* The tables, one a file; each ends with an entry without a name. */
extern const struct test process_tests[], signal_tests[], pipe_tests[], socket_tests[],
    lock_tests[], memory_tests[], shared_tests[], swap_tests[], disk_tests[], together_tests[],
    space_tests[], growing_tests[], code_tests[], state_tests[], time_tests[], fass_tests[],
    placement_tests[], library_tests[];

/* Those of IA-32. */
extern const struct test fpu_tests[], segment_tests[], trap_tests[], call_tests[], written_tests[];

/* Whether the kernel counts what fast address-space switching does, as `fass_tests` read it. */
int fass_counts(void);

/* A test: threads write what another thread forks, which must not reach the child later. */
void threads_run_in_fork(void);

/* Ends the test, and says why. In a child process: ends that, with a status that is not 0. */
__attribute__((noreturn)) void fail(const char *file, int line, const char *what);

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fail(__FILE__, __LINE__, #what);                                                       \
        }                                                                                          \
    } while (0)

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { PAGE = 4096 };

/* Whether `child` ends, with exit status 0. */
int ended_well(pid_t child);

/* A number that looks random: a step of xorshift. */
unsigned int scramble(unsigned int n);

/* Words that depend on `seed` and on their place, so that no two pages are equal. */
void fill(void *start, size_t bytes, unsigned int seed);
int filled(const void *start, size_t bytes, unsigned int seed);

/* Anonymous memory, private or shared; ends the test if there is none. */
void *fresh(size_t bytes, int flags);

/* A new file in /tmp of so many bytes, filled from `seed`; already unlinked. */
int scratch_file(size_t bytes, unsigned int seed);

/* The number after a name, at the beginning of a line of a file of counters; whether there is one.
 */
unsigned long number_in(const char *path, const char *name);
/* Several, as they are at one moment. */
void numbers_in(const char *path, const char *const *names, unsigned long *values, size_t count);
int has_number(const char *path, const char *name);

/* The value after name= among arguments, which end with NULL; NULL if there is none. */
const char *argument(char **arguments, const char *name);
unsigned int argument_number(char **arguments, const char *name, unsigned int otherwise);

/* A ring of processes through which a token goes. The parent is the first. */
struct ring {
    int count, own;
    int in, out;
};

/* Returns in each of `count` processes, in the children with an `own` above 0. */
void ring_make(struct ring *ring, int count);
void ring_wait(const struct ring *ring);
void ring_pass(const struct ring *ring);
/* Ends the children; in the parent, waits for all of them. */
void ring_end(const struct ring *ring);
/* Ends the children after rounds in which the last one's pass goes to the first, which takes it. */
void ring_finish(const struct ring *ring);

/* What `selftest` does when another test has executed it with arguments. */
int executed(int argc, char **argv, char **environment);

#endif
