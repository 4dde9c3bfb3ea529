/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that are drawn from seeds, one after the other: what each took, and a sum of all data
 * that it found, which is the same on every kernel that loses none.
 *
 *     random [seeds=1-20,25,30-31] [show=1]
 *
 * `switchyard random-programs` runs them on two kernels and compares. A line for each seed:
 *
 *     RANDOM seed=N sum=N rounds=N time=NS median=NS whole=NS displaced=N
 *
 * `time` is of all counted rounds, which begin right after a tick of the timer, `whole` from the
 * first fork() to the end of the last process. `displaced` counts mappings whose place something
 * else had. Where the kernel counts what fast switching does, a line COUNTS has what this program
 * added. show=1 has the shapes, and runs nothing.
 */
#include "random.h"

#include <linux/prctl.h>

enum { TIMEOUT_SECONDS = 60 };

static struct plan plan;

struct result {
    uint32_t sum, time, median, displaced;
};

static uint32_t times[MOST_ROUNDS];
static unsigned int number_of; /* this process's, in the plan */

/* ---- a process ---- */

static uint32_t work(unsigned int own, bool alone, uint32_t sum) {
    const struct process *process = &plan.processes[own];
    for (unsigned int i = 0; i < process->op_count; i++) {
        sum = memory_do(&plan, &process->ops[i], own, alone, sum);
    }
    return sum;
}

static void send(unsigned int own, unsigned int to, uint32_t what, uint32_t step, uint32_t sum) {
    turn_send(&plan, to, (struct message){what, step, own, sum});
}

/* Has all others work at a time. Their answers come in any order, which must not matter. */
static uint32_t work_together(uint32_t step, uint32_t sum) {
    uint32_t answers = 0;
    for (unsigned int i = 1; i < plan.process_count; i++) {
        send(0, i, WORK, step, sum);
    }
    for (unsigned int i = 1; i < plan.process_count; i++) {
        answers += turn_receive(&plan, 0).sum;
    }
    return sum ^ answers;
}

/* A turn of process `own`, and who follows; turns that follow each other in one process are one. */
static uint32_t take_turn(unsigned int own, uint32_t step, uint32_t sum) {
    for (;;) {
        sum = work(own, true, sum);
        if (step == 0 && plan.together) {
            sum = work_together(step, sum);
        }
        if (++step == plan.step_count) {
            if (own != 0) {
                send(own, 0, ROUND, step, sum);
            }
            return sum;
        }
        if (plan.steps[step] != own) {
            send(own, plan.steps[step], YOUR_TURN, step, sum);
            return sum;
        }
    }
}

static void serve(unsigned int own) {
    uint32_t sum = own;
    for (;;) {
        struct message message = turn_receive(&plan, own);
        sum += message.sum;
        if (message.what == YOUR_TURN) {
            sum = take_turn(own, message.step, sum);
        } else if (message.what == WORK) {
            sum = work(own, false, sum);
            send(own, message.from, DONE, message.step, sum);
        } else {
            send(own, message.from, DONE, message.step, sum);
            return;
        }
    }
}

/* A round, as the root has it: from its turn until the last of the round says so. In between it may
 * have others. */
static uint32_t round_do(uint32_t sum) {
    uint32_t step = 0;
    for (;;) {
        sum = take_turn(0, step, sum);
        bool last_is_own = true;
        for (uint32_t i = step; i < plan.step_count; i++) {
            last_is_own &= plan.steps[i] == 0;
        }
        if (last_is_own) {
            return sum;
        }
        struct message message = turn_receive(&plan, 0);
        sum += message.sum;
        if (message.what == ROUND) {
            return sum;
        }
        step = message.step;
    }
}

static void sort(uint32_t *values, unsigned int count) {
    for (unsigned int gap = count / 2; gap > 0; gap /= 2) {
        for (unsigned int i = gap; i < count; i++) {
            uint32_t value = values[i];
            unsigned int at = i;
            for (; at >= gap && values[at - gap] > value; at -= gap) {
                values[at] = values[at - gap];
            }
            values[at] = value;
        }
    }
}

/* Waits for the timer's next tick, which sets this clock. A tick takes as long as some rounds do:
 * if they began anywhere between two, one kernel's could have one more than the other's. */
static void await_tick(void) {
    struct __kernel_timespec first, now;
    syscall(__NR_clock_gettime64, CLOCK_MONOTONIC_COARSE, &first);
    do {
        syscall(__NR_clock_gettime64, CLOCK_MONOTONIC_COARSE, &now);
    } while (now.tv_sec == first.tv_sec && now.tv_nsec == first.tv_nsec);
}

static struct result lead(void) {
    struct result result = {.sum = plan.seed};
    for (unsigned int round = 0; round < plan.warmup; round++) {
        result.sum = round_do(result.sum);
    }
    await_tick();
    long long begin = monotonic(), before = begin;
    for (unsigned int round = 0; round < plan.rounds; round++) {
        result.sum = round_do(result.sum);
        long long now = monotonic();
        times[round] = (uint32_t)(now - before);
        before = now;
    }
    result.time = (uint32_t)(before - begin);
    for (unsigned int i = 1; i < plan.process_count; i++) {
        send(0, i, END_ALL, 0, result.sum);
    }
    uint32_t answers = 0;
    for (unsigned int i = 1; i < plan.process_count; i++) {
        answers += turn_receive(&plan, 0).sum;
    }
    result.sum ^= answers;
    sort(times, plan.rounds);
    result.median = times[plan.rounds / 2];
    return result;
}

static struct result process(unsigned int own);

/* The processes below one, and its areas, in the plan's order; what it inherited it may renew. */
static unsigned int begin(unsigned int own, pid_t *children) {
    unsigned int count = 0;
    for (unsigned int i = own + 1; i <= plan.process_count; i++) {
        bool last = i == plan.process_count;
        if (!last && plan.processes[i].parent != own) {
            continue;
        }
        for (unsigned int area = 0; area < plan.area_count; area++) {
            if (plan.areas[area].maker == own && plan.areas[area].after == count) {
                memory_map(&plan, area);
            }
        }
        if (last) {
            break;
        }
        children[count] = fork();
        EXPECT(children[count] >= 0);
        if (children[count] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
            process(i);
            leave(0);
        }
        count++;
    }
    for (unsigned int area = 0; area < plan.area_count; area++) {
        if (plan_inherits(&plan, own, area) && plan.areas[area].renewed >> own & 1) {
            memory_unmap(&plan, area);
            memory_map(&plan, area);
        } else if (plan.areas[area].joined >> own & 1) {
            memory_map(&plan, area);
        }
    }
    return count;
}

static struct result process(unsigned int own) {
    pid_t children[MOST_PROCESSES];
    struct result result = {0};
    number_of = own;
    unsigned int count = begin(own, children);
    if (own == 0) {
        result = lead();
    } else {
        serve(own);
    }
    for (unsigned int i = 0; i < count; i++) {
        EXPECT(ended_well(children[i]));
    }
    return result;
}

/* ---- all of them ---- */

/* What no program here does by itself: says which process, and ends all of them. */
static void report_fault(int signal, siginfo_t *info, void *context) {
    (void)context;
    printf("  process %u: signal %d at %p\n", number_of, signal, info->si_addr);
    kill(0, SIGKILL);
}

static void program(int to) {
    struct result result;
    setpgid(0, 0);
    EXPECT(handle(SIGSEGV, report_fault, 0) == 0 && handle(SIGBUS, report_fault, 0) == 0);
    interval_timer(TIMEOUT_SECONDS * 1000000, 0);
    turns_open(&plan);
    memory_prepare(&plan);
    result = process(0);
    result.displaced = memory_displaced();
    memory_end(&plan);
    EXPECT(write_all(to, &result, sizeof(result)) == sizeof(result));
    leave(0);
}

static const char counters[] = "/sys/kernel/debug/fass";
static const char *const counted[] = {
    "switches",
    "flushes",
    "flushes for collisions",
    "collisions in slots",
    "collisions of mappings",
    "collisions with what was left",
    "domains recycled dirty",
    "entries loaded",
    "slots left",
    "stepped aside",
    "regions shared",
    "regions left",
    "mapped where others have it",
    "pages of regions loaded",
};

/* Whether this kernel counts. */
static bool counts(void) {
    struct stat found;
    mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
    return stat(counters, &found) == 0;
}

static void count(unsigned long *values) {
    for (unsigned int i = 0; i < LENGTH(counted); i++) {
        values[i] = has_number(counters, counted[i]) ? number_in(counters, counted[i]) : 0;
    }
}

/* Whether it came to its end. */
static bool run(unsigned int seed, bool counting) {
    unsigned long before[LENGTH(counted)], after[LENGTH(counted)];
    struct result result;
    int ends[2];
    plan_draw(&plan, seed);
    ioctl(1, TCSBRK, (void *)1); /* no interrupts of the console's meanwhile */
    EXPECT(pipe(ends) == 0);
    if (counting) {
        count(before);
    }
    long long begin = monotonic();
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        close(ends[0]);
        program(ends[1]);
    }
    bool good = ended_well(child);
    uint32_t whole = (uint32_t)(monotonic() - begin);
    kill(-child, SIGKILL); /* whoever is left of one that failed */
    close(ends[1]);
    good = good && read_all(ends[0], &result, sizeof(result)) == sizeof(result);
    close(ends[0]);
    if (!good) {
        printf("FAIL seed=%u\n", seed);
        return false;
    }
    printf("RANDOM seed=%u sum=%u rounds=%u time=%u median=%u whole=%u displaced=%u\n", seed,
           result.sum, plan.rounds, result.time, result.median, whole, result.displaced);
    if (counting) {
        count(after);
        printf("COUNTS");
        for (unsigned int i = 0; i < LENGTH(counted); i++) {
            if (after[i] != before[i]) {
                printf("%s %u %s", i > 0 ? "," : "", (unsigned int)(after[i] - before[i]),
                       counted[i]);
            }
        }
        printf("\n");
    }
    return true;
}

/* The numbers and ranges of a list, one after the other: the number read, and where the text goes
 * on. */
static const char *number(const char *text, unsigned int *value) {
    const char *begin = text;
    for (*value = 0; *text >= '0' && *text <= '9'; text++) {
        *value = *value * 10 + (unsigned int)(*text - '0');
    }
    return text != begin && *value != 0 ? text : NULL;
}

static const char *range(const char *text, unsigned int *first, unsigned int *last) {
    text = number(text, first);
    *last = *first;
    if (text && *text == '-') {
        text = number(text + 1, last);
    }
    return text && *last >= *first && (*text == ',' || *text == '\0') ? text : NULL;
}

int main(int argc, char **argv) {
    unsigned int first, last, seeds = 0, failed = 0;
    if (argc == 3 && strcmp(argv[1], "leaf") == 0) {
        return scramble(atoi(argv[2]) + 1) & 0x7f;
    }
    argv += argc > 0;
    const char *wanted = argument(argv, "seeds");
    const char *show = argument(argv, "show");
    bool counting = counts();
    for (const char *text = wanted ? wanted : "1"; *text;) {
        text = range(text, &first, &last);
        if (!text) {
            printf("usage: random [seeds=1-20,25,30-31] [show=1]\n");
            return 2;
        }
        text += *text == ',';
        for (unsigned int seed = first; seed <= last; seed++) {
            if (show) {
                plan_draw(&plan, seed);
                plan_show(&plan);
            } else {
                seeds++;
                failed += !run(seed, counting);
            }
        }
    }
    printf("RESULT seeds=%u failed=%u\n", seeds, failed);
    return failed != 0;
}
