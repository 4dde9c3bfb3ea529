/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do signals take? After lmbench's lat_sig.
 *
 *     install   saying what handles a signal
 *     deliver   a signal to this very process, its handler and the way back
 *
 * Parameters: case= rounds= warmup=
 */
#include "suite.h"

static volatile unsigned handled;

static void handler(int signal) {
    (void)signal;
    handled++;
}

static bool install(void *context) {
    (void)context;
    return os_catch(SIGUSR1, handler);
}

static bool deliver(void *context) {
    const pid_t *self = context;
    unsigned before = handled;
    return kill(*self, SIGUSR1) == 0 && handled == before + 1;
}

static const struct {
    const char *name;
    operation *run;
} cases[] = {
    {"install", install},
    {"deliver", deliver},
};

static bool signals(void) {
    pid_t self = getpid();
    bool good = os_catch(SIGUSR1, handler);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good &= measure(&(struct measured){.stream = 1 + i,
                                               .name = cases[i].name,
                                               .run = cases[i].run,
                                               .context = &self,
                                               .rounds = 1000,
                                               .warmup = 20,
                                               .per = 1});
        }
    }
    return good;
}

const struct question question_signal = {"signal", "a signal: installing a handler, delivery",
                                         signals};
