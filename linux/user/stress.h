/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scene of the stress program is a function that does one kind of thing at random, compares what
 * it finds with a model, and returns when all is well. Each runs in a process (and group) of its
 * own, beside scenes of other workers; what it draws depends on the seed, the worker and the step.
 */
#ifndef LINUX_USER_STRESS_H
#define LINUX_USER_STRESS_H

#include "draw.h"
#include "test.h"

struct scene {
    const char *name;
    void (*run)(struct random *random);
    unsigned int weight; /* how often, compared with the others */
};

/* The tables, one a file; each ends with an entry without a name. */
extern const struct scene memory_scenes[], process_scenes[], shared_scenes[], thread_scenes[],
    swap_scenes[], module_scenes[];

/* A child process that has returned from here with 0. */
pid_t forked(void);

/* One end waits until the other has passed on the turn: pipes, for processes that fork. */
struct turns {
    int pipes[8][2];
};
void turns_make(struct turns *turns, unsigned int count);
void turn_wait(const struct turns *turns, unsigned int own);
void turn_pass(const struct turns *turns, unsigned int to);

/* What the program does when a scene has executed it with a seed: its exit status. */
int executed_with(const char *seed);

#endif
