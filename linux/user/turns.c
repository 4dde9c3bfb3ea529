/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What switches cost, as they happen: a ring of processes passes a token, each touches memory of
 * its own when it has it, and ten times a second a line says what that took, by the machine's
 * own counters. `switchyard demo` shows two kernels that run it, side by side.
 *
 * Keys: + and - for more and fewer processes, m and l for more and less memory, q to end.
 * Arguments: processes=N kb=N steps=N (0: until q).
 */
#include "test.h"

#include <asm/termbits.h>
#include <probe.h>

enum { MOST = 30, MOST_KB = 64, LINE = 32, STEP_NS = 100000000 };

/* What a line has of the machine's counters: a step's share of each. */
static const struct {
    const char *name;
    unsigned int number;
} counters[] = {
    {"cycles", PROBE_COUNT_CYCLES},           {"fills", PROBE_COUNT_FILL_STALL_CYCLES},
    {"walks", PROBE_COUNT_WALK_STALL_CYCLES}, {"buffer", PROBE_COUNT_WRITE_BUFFER_STALL_CYCLES},
    {"idle", PROBE_COUNT_IDLE_CYCLES},        {"flushes", PROBE_COUNT_ICACHE_INVALIDATE_ALL},
};
enum { COUNTERS = LENGTH(counters) };

static volatile unsigned int *probe;
static volatile unsigned int *rounds; /* of the token, counted by the first of the ring */
static pid_t ring[MOST];
static unsigned int started; /* of these */
static unsigned int processes = 4, kb = 0;
static struct termios before;

static unsigned int counter(unsigned int number) {
    probe[PROBE_COUNTER_SELECT / 4] = number;
    return probe[PROBE_COUNTER / 4];
}

static unsigned int switches(void) {
    return (unsigned int)number_in("/proc/stat", "ctxt");
}

static void pass(int in, int out, int first) {
    static volatile unsigned char memory[MOST_KB * 1024];
    char token;
    while (read(in, &token, 1) == 1) {
        for (unsigned int at = 0; at < kb * 1024; at += LINE) {
            memory[at]++;
        }
        *rounds += first;
        if (write(out, &token, 1) != 1) {
            break;
        }
    }
    _exit(0);
}

static void ring_stop(void) {
    for (; started > 0; started--) {
        kill(ring[started - 1], SIGKILL);
        waitpid(ring[started - 1], NULL, 0);
    }
}

/* Leaves nobody running, and the console as it was. */
static void end(void) {
    ring_stop();
    ioctl(0, TCSETS, &before);
}

__attribute__((noreturn)) static void no_ring(void) {
    printf("turns: no ring of %u processes: error %d\n", processes, errno);
    end();
    _exit(1);
}

/* Each process keeps its own two ends alone, so that the ring falls apart when one ends. */
static void ring_start(void) {
    int first[2], in, next[2];
    if (pipe(first)) {
        no_ring();
    }
    in = first[0];
    for (unsigned int i = 0; i < processes; i++) {
        int last = i + 1 == processes;
        if (!last && pipe(next)) {
            no_ring();
        }
        ring[i] = fork();
        if (ring[i] < 0) {
            no_ring();
        }
        if (ring[i] == 0) {
            if (!last) {
                close(next[0]);
                close(first[1]);
            }
            pass(in, last ? first[1] : next[1], i == 0);
        }
        started++;
        close(in);
        if (!last) {
            close(next[1]);
            in = next[0];
        }
    }
    (void)write(first[1], "t", 1);
    close(first[1]);
}

/* The keys that have been pressed; whether to go on. */
static int keys(void) {
    struct pollfd waiting = {.fd = 0, .events = POLLIN};
    unsigned int old_processes = processes, old_kb = kb;
    int on = 1;
    while (on && poll(&waiting, 1, 0) == 1) {
        char key;
        if (read(0, &key, 1) != 1) {
            break;
        }
        if (key == '+' && processes < MOST) {
            processes++;
        } else if (key == '-' && processes > 2) {
            processes--;
        } else if (key == 'm' && kb < MOST_KB) {
            kb = kb ? 2 * kb : 1;
        } else if (key == 'l') {
            kb /= 2;
        }
        on = key != 'q';
    }
    if (processes != old_processes || kb != old_kb || !on) {
        ring_stop();
        if (on) {
            ring_start();
        }
    }
    return on;
}

/* Keys come as they are pressed, and are not shown. */
static void console_raw(void) {
    struct termios raw;
    ioctl(0, TCGETS, &before);
    raw = before;
    raw.c_lflag &= ~(unsigned int)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    ioctl(0, TCSETS, &raw);
}

static int probe_open(void) {
    int fd = open("/dev/mem", O_RDWR | O_SYNC);
    probe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PROBE_BASE_PA);
    close(fd);
    return probe != MAP_FAILED && probe[PROBE_ID / 4] == PROBE_ID_VALUE;
}

int main(int argc, char **argv) {
    unsigned int last[COUNTERS], last_switches, last_rounds = 0, steps;
    long long next;
    argv += argc > 0;
    processes = argument_number(argv, "processes", processes);
    kb = argument_number(argv, "kb", kb);
    steps = argument_number(argv, "steps", 0);
    if (processes < 2 || processes > MOST || kb > MOST_KB) {
        printf("usage: turns [processes=2..%d] [kb=0..%d] [steps=N]\n", MOST, MOST_KB);
        return 2;
    }
    if (!probe_open()) {
        printf("turns: no probe: only Switchyard's machines have the counters\n");
        return 2;
    }
    rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rounds == MAP_FAILED) {
        return 1;
    }
    console_raw();
    ring_start();
    next = monotonic();
    last_switches = switches();
    for (int i = 0; i < COUNTERS; i++) {
        last[i] = counter(counters[i].number);
    }
    for (unsigned int step = 1; (steps == 0 || step <= steps) && keys(); step++) {
        unsigned int now[COUNTERS], now_switches, now_rounds;
        next += STEP_NS;
        sleep_for(next - monotonic());
        now_switches = switches();
        now_rounds = *rounds;
        for (int i = 0; i < COUNTERS; i++) {
            now[i] = counter(counters[i].number);
        }
        printf("turns: step=%u processes=%u kb=%u rounds=%u switches=%u", step, processes, kb,
               now_rounds - last_rounds, now_switches - last_switches);
        for (int i = 0; i < COUNTERS; i++) {
            printf(" %s=%u", counters[i].name, now[i] - last[i]);
        }
        printf("\n");
        memcpy(last, now, sizeof(last));
        last_switches = now_switches;
        last_rounds = now_rounds;
    }
    end();
    return 0;
}
