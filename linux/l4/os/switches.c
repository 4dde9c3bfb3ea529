// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which program was followed by which: with the word "l4.switches" Linux counts it, and tells it
 * when it ends, a line a pair:
 *
 *     l4: switches: PID NAME PID NAME COUNT
 *
 * On the simulator its probe gets the same, as samples of a stream of their own: numbers, and each
 * name in four words.
 *
 * Threads of one process are one here; kernel threads, which run in every space, are none.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include "../../../include/probe.h"
#include "../host/host.h"
#include "layer.h"

#define STREAM 255 /* of the probe's */

#define PROCESSES 64
#define NOBODY    (PROCESSES + 1)
#define PAIRS     256

bool switches_counted;

static struct process {
    int pid;
    char name[TASK_COMM_LEN];
} processes[PROCESSES];
static unsigned int process_count;

static struct {
    unsigned int from, to, count;
} pairs[PAIRS];
static unsigned int pair_count, left_out;

/* Its place; PROCESSES: there is none. The name may have changed. */
static unsigned int place_of(struct task_struct *task) {
    unsigned int i;

    for (i = 0; i < process_count && processes[i].pid != task->tgid; i++)
        ;
    if (i < PROCESSES) {
        processes[i].pid = task->tgid;
        strscpy(processes[i].name, task->comm, TASK_COMM_LEN);
        process_count = max(process_count, i + 1);
    }
    return i;
}

static void count(unsigned int from, unsigned int to) {
    unsigned int i;

    for (i = 0; i < pair_count && (pairs[i].from != from || pairs[i].to != to); i++)
        ;
    if (i == PAIRS || from == PROCESSES || to == PROCESSES) {
        left_out++;
        return;
    }
    pair_count = max(pair_count, i + 1);
    pairs[i].from = from;
    pairs[i].to = to;
    pairs[i].count++;
}

/* `current` is next. Whoever was before it may have become another program meanwhile. */
void count_switch(void) {
    static unsigned int last = NOBODY;
    struct task_struct *before = current->thread.prev_sched;
    unsigned int to;

    if (before && !(before->flags & PF_KTHREAD) && before->tgid) {
        last = place_of(before);
    }
    if ((current->flags & PF_KTHREAD) || !current->tgid) {
        return;
    }
    to = place_of(current);
    if (last != NOBODY && last != to) {
        count(last, to);
    }
    last = to;
}

static void to_probe(unsigned int offset, unsigned int value) {
    volatile unsigned int *probe = (void *)host_device(PROBE_BASE_PA);

    if (probe && probe[PROBE_ID / sizeof(*probe)] == PROBE_ID_VALUE) {
        probe[offset / sizeof(*probe)] = value;
    }
}

static void sample_process(const struct process *process) {
    unsigned int words[TASK_COMM_LEN / sizeof(unsigned int)] = {}, i;

    memcpy(words, process->name, strlen(process->name));
    to_probe(PROBE_SAMPLE, process->pid);
    for (i = 0; i < ARRAY_SIZE(words); i++) {
        to_probe(PROBE_SAMPLE, words[i]);
    }
}

void tell_switches(void) {
    unsigned int i;

    if (!switches_counted) {
        return;
    }
    to_probe(PROBE_STREAM, STREAM);
    for (i = 0; i < pair_count; i++) {
        const struct process *from = &processes[pairs[i].from], *to = &processes[pairs[i].to];

        printf("l4: switches: %d %s %d %s %u\n", from->pid, from->name, to->pid, to->name,
               pairs[i].count);
        sample_process(from);
        sample_process(to);
        to_probe(PROBE_SAMPLE, pairs[i].count);
    }
    if (left_out) {
        printf("l4: switches: %u left out\n", left_out);
    }
}
