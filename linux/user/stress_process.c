/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenes of processes: storms of fork(), exec and vfork(), very many at once, one that another
 * debugs, signals.
 */
#include "stress.h"

#include <linux/ptrace.h>
#include <linux/resource.h>

enum { WORDS = 512 };

/* At the same address in every process of this program. */
static unsigned int data[WORDS];
static volatile unsigned int *code;

/* Each changes what it has from its parent, has children, and finds its own unchanged. */
static void family(struct random *random, unsigned int depth, unsigned int seed) {
    pid_t children[3];
    unsigned int count = depth == 0 ? 0 : 1 + draw(random, LENGTH(children));
    EXPECT(filled(data, sizeof(data), seed));
    seed = draw(random, 1 << 30);
    fill(data, sizeof(data), seed);
    for (unsigned int i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            random->state += i;
            family(random, depth - 1, seed);
            _exit(0);
        }
        /* The limit may be reached. */
        EXPECT(children[i] > 0 || errno == EAGAIN);
        if (draw(random, 3) == 0) {
            sched_yield();
        }
    }
    EXPECT(filled(data, sizeof(data), seed));
    for (unsigned int i = 0; i < count; i++) {
        EXPECT(children[i] < 0 || ended_well(children[i]));
    }
    EXPECT(filled(data, sizeof(data), seed));
}

static void fork_storm(struct random *random) {
    unsigned int most = 6 + draw(random, 30);
    struct rlimit limit = {most, most};
    EXPECT(syscall(__NR_setrlimit, RLIMIT_NPROC, &limit) == 0);
    /* A user of its own: only what it starts counts. */
    EXPECT(syscall(__NR_setuid32, 1000 + getpid()) == 0);
    fill(data, sizeof(data), 1);
    family(random, 3, 1);
}

/* Many that are alive at once, and run in turn as they are woken, and are killed or end. */
static void many(struct random *random) {
    enum { MOST = 200, PIECE = 256 };
    static pid_t children[MOST];
    unsigned int count = draw(random, 4) == 0 ? MOST : 14 + draw(random, 60);
    int there[2], back[2];
    char token = 't';
    EXPECT(pipe(there) == 0 && pipe(back) == 0);
    for (unsigned int i = 0; i < count; i++) {
        children[i] = forked();
        if (children[i] == 0) {
            for (unsigned int round = 0;; round++) {
                fill(data, PIECE, i + round);
                EXPECT(read(there[0], &token, 1) == 1);
                EXPECT(filled(data, PIECE, i + round));
                EXPECT(write(back[1], &token, 1) == 1);
            }
        }
    }
    for (unsigned int i = 0; i < 2 * count; i++) {
        EXPECT(write(there[1], &token, 1) == 1);
        if (i % 4 == 3) {
            for (unsigned int k = 0; k < 4; k++) {
                EXPECT(read(back[0], &token, 1) == 1);
            }
        }
    }
    for (unsigned int i = 0; i < count; i++) {
        int status;
        EXPECT(kill(children[i], SIGKILL) == 0);
        EXPECT(waitpid(children[i], &status, 0) == children[i] && ended_by(status) == SIGKILL);
    }
}

/* An exit status that depends on the seed, 0 for none. */
static int status_for(unsigned int seed) {
    return 1 + seed % 200;
}

int executed_with(const char *seed) {
    unsigned int number = (unsigned int)atol(seed);
    for (unsigned int i = 0; i < WORDS; i++) {
        if (data[i] != 0) {
            printf("  data of a new program: word %u is %x\n", i, data[i]);
            return 0;
        }
    }
    fill(data, sizeof(data), number);
    sched_yield();
    return filled(data, sizeof(data), number) ? status_for(number) : 0;
}

/* Never inlined: after vfork() its variables would be in the frame that the parent goes on with. */
static __attribute__((noinline)) void execute(unsigned int seed, int is_large) {
    char text[16];
    char *const arguments[] = {(char *)"stress", (char *)"executed", text, NULL};
    char *const large[] = {(char *)"large", text, NULL};
    utoa_r(seed, text);
    execve(is_large ? "/bin/large" : "/proc/self/exe", is_large ? large : arguments, environ);
    _exit(255);
}

/* Programs that begin while others do, by fork() and by vfork(), some past 32 MB. */
static void exec_storm(struct random *random) {
    enum { MOST = 6 };
    pid_t children[MOST];
    unsigned int seeds[MOST], count = 1 + draw(random, MOST);
    int is_large[MOST];
    unsigned int own = draw(random, 1 << 30);
    fill(data, sizeof(data), own);
    for (unsigned int i = 0; i < count; i++) {
        seeds[i] = draw(random, 1 << 20);
        is_large[i] = draw(random, 8) == 0;
        /* Not in a function, which would have returned when the parent goes on. */
        children[i] = draw(random, 2) ? fork() : VFORK();
        if (children[i] == 0) {
            execute(seeds[i], is_large[i]);
        }
        EXPECT(children[i] > 0);
    }
    for (unsigned int i = 0; i < count; i++) {
        int status;
        EXPECT(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status));
        EXPECT(WEXITSTATUS(status) == (is_large[i] ? 0 : status_for(seeds[i])));
    }
    EXPECT(filled(data, sizeof(data), own));
}

/* A child in its parent's memory: what it writes is there. */
static void vforks(struct random *random) {
    for (unsigned int i = 0; i < 8; i++) {
        unsigned int seed = draw(random, 1 << 30);
        pid_t child;
        fill(data, sizeof(data), seed);
        child = VFORK();
        if (child == 0) {
            if (!filled(data, sizeof(data), seed)) {
                _exit(1);
            }
            fill(data, sizeof(data), seed + 1);
            _exit(0);
        }
        EXPECT(ended_well(child));
        EXPECT(filled(data, sizeof(data), seed + 1));
    }
}

/* A function that returns `value`: this, and RETURN after it. */
static unsigned int instruction(unsigned int value) {
    return LOAD_RESULT(value);
}

static unsigned int call(volatile unsigned int *at) {
    return ((unsigned int (*)(void))at)();
}

/* What the debugger does in a stop, and both draw: so many words, and one instruction. */
struct stop {
    unsigned int words[8], values[8], value;
};

static struct stop draw_stop(unsigned int seed, unsigned int number) {
    struct random random = drawn_from(seed, number);
    struct stop stop;
    for (unsigned int i = 0; i < LENGTH(stop.words); i++) {
        stop.words[i] = draw(&random, WORDS);
        stop.values[i] = draw(&random, 1 << 24);
    }
    stop.value = draw(&random, 256);
    return stop;
}

/* A process writes data and instructions of another, which has them in the caches. */
static void debugger(struct random *random) {
    enum { STOPS = 10 };
    unsigned int seed = draw(random, 1 << 24);
    int status;
    pid_t child;
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(code != MAP_FAILED);
    code[0] = instruction(77);
    code[1] = RETURN;
    EXPECT(flush_code((void *)code, 8) == 0);
    child = forked();
    if (child == 0) {
        EXPECT(trace(PTRACE_TRACEME, 0, 0, 0) == 0);
        EXPECT(call(code) == 77);
        for (unsigned int i = 0; i < STOPS; i++) {
            struct stop stop = draw_stop(seed, i);
            fill(data, sizeof(data), seed + i);
            kill(getpid(), SIGSTOP);
            for (unsigned int k = LENGTH(stop.words); k-- > 0;) {
                /* The last one that was written to the same word counts. */
                unsigned int again = 0;
                for (unsigned int later = k + 1; later < LENGTH(stop.words); later++) {
                    again |= stop.words[later] == stop.words[k];
                }
                EXPECT(again || data[stop.words[k]] == stop.values[k]);
            }
            EXPECT(call(code) == stop.value);
        }
        _exit(0);
    }
    for (unsigned int i = 0; i < STOPS; i++) {
        struct stop stop = draw_stop(seed, i);
        EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
        for (unsigned int k = 0; k < LENGTH(stop.words); k++) {
            unsigned long word = (unsigned long)&data[stop.words[k]];
            unsigned long was;
            EXPECT(trace(PTRACE_PEEKDATA, child, word, (unsigned long)&was) == 0);
            for (unsigned int before = 0; before < k; before++) {
                if (stop.words[before] == stop.words[k]) {
                    was = scramble(seed + i + stop.words[k] + 1);
                }
            }
            EXPECT(was == scramble(seed + i + stop.words[k] + 1));
            EXPECT(trace(PTRACE_POKEDATA, child, word, stop.values[k]) == 0);
        }
        EXPECT(trace(PTRACE_POKETEXT, child, (unsigned long)code, instruction(stop.value)) == 0);
        EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    }
    EXPECT(ended_well(child));
}

static volatile unsigned int handled;
static char *guarded;

static void count_signal(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    handled++;
}

static void open_page(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    handled++;
    if ((char *)info->si_addr < guarded || (char *)info->si_addr >= guarded + PAGE ||
        protect(guarded, PAGE, PROT_READ | PROT_WRITE) != 0) {
        _exit(2);
    }
}

/* Signals between processes, and those of accesses that are not allowed. */
static void signals(struct random *random) {
    enum { ROUNDS = 30 };
    unsigned int seed = draw(random, 1 << 24);
    struct turns turns;
    pid_t child, other;
    int own;
    guarded = fresh(PAGE, MAP_PRIVATE);
    EXPECT(handle(SIGUSR1, count_signal, SA_RESTART) == 0);
    EXPECT(handle(SIGSEGV, open_page, 0) == 0);
    turns_make(&turns, 2);
    child = forked();
    own = child == 0;
    other = own ? getppid() : child;
    for (unsigned int round = 0; round < ROUNDS; round++) {
        if (own || round != 0) {
            turn_wait(&turns, own);
        }
        /* What the partner sent comes before its turn ends. */
        EXPECT(handled == (own ? 2 * round + 1 : 2 * round));
        EXPECT(protect(guarded, PAGE, PROT_READ) == 0);
        EXPECT(round == 0 || filled(guarded, 512, seed + own + round - 1));
        fill(guarded, 512, seed + own + round);
        EXPECT(handled == (own ? 2 * round + 2 : 2 * round + 1));
        EXPECT(kill(other, SIGUSR1) == 0);
        turn_pass(&turns, !own);
    }
    if (own) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

const struct scene process_scenes[] = {
    {"fork-storm", fork_storm, 4},
    {"many", many, 2},
    {"exec-storm", exec_storm, 4},
    {"vforks", vforks, 2},
    {"debugger", debugger, 4},
    {"signals", signals, 3},
    {0},
};
