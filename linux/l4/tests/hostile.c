/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of Linux on L4 that knows of L4, and tries what it can to do harm: to Linux, to the
 * root task, to sigma0, to other programs. It is one of Linux' programs, static, with system calls
 * by INT 80h, and L4's library. As the first process it ends the run when it is through; otherwise
 * its status says how many attacks did something.
 *
 * Each attack is a child, which ends by itself, by a signal, or never, and is killed then: how, the
 * table says. After each the others have to go on: a witness, with memory of its own and a pattern
 * in it, answers through a pipe. Before, it does what is no attack, says whether registers are a
 * task's own, draws a picture, which nobody is to harm either, and says what a call takes.
 */
#include <l4/l4.h>

#include "attacks.h"
#include "calls.h"
#include "picture.h"
#include "registers.h"

static unsigned cycles(void) {
    unsigned low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "edx");
    return low;
}

/* ---- no attack ---- */

/* The least that a call takes, as a benchmark has it: of 100. */
static unsigned least(int number, L4_Word_t a, L4_Word_t b, L4_Word_t c) {
    unsigned best = ~0u;
    for (unsigned i = 0; i < 100; i++) {
        unsigned begin = cycles();
        (void)call(number, a, b, c, 0);
        unsigned took = cycles() - begin;
        best = took < best ? took : best;
    }
    return best;
}

static void say_calls(void) {
    L4_Word_t time[2];
    say("getpid ");
    say_number(least(NR_GETPID, 0, 0, 0));
    say(", gettimeofday ");
    say_number(least(NR_GETTIMEOFDAY, (L4_Word_t)time, 0, 0));
    say(" cycles\n");
}

static volatile int private = 1;

static void caught(int signal) {
    end(signal == SIGSEGV ? 5 : 6);
}

/* Children, with memory of their own, signals, pipes, thread-local storage on both sides of its
 * base. The number of what is wrong. */
static int ordinary(void) {
    int status = 0, child = fork();
    if (child == 0) {
        private = 7;
        end(private);
    }
    if (call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0) != child || status != 7 << 8 ||
        private != 1) {
        return 1;
    }
    child = fork();
    if (child == 0) {
        (void)call(NR_SIGNAL, SIGSEGV, (L4_Word_t)caught, 0, 0);
        *(volatile int *)8 = 1;
        end(0);
    }
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    if (status != 5 << 8) {
        return 2;
    }
    child = fork();
    if (child == 0) {
        static int storage[3] = {11, 22, 33};
        struct {
            unsigned entry, base, limit, flags;
        } area = {~0u, (unsigned)&storage[1], 0xfffff, 0x51};
        int at, below;
        (void)call(NR_SET_THREAD_AREA, (L4_Word_t)&area, 0, 0, 0);
        __asm__ volatile("movw %w2, %%gs\n movl %%gs:0, %0\n movl %%gs:(%3), %1"
                         : "=r"(at), "=r"(below)
                         : "r"(area.entry << 3 | 3), "r"(-4));
        end(at == 22 && below == 11 ? 0 : 1);
    }
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    return status == 0 ? 0 : 3;
}

static int draws(void) {
    int status = -1, child = fork();
    if (child == 0) {
        end(picture());
    }
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    return status;
}
/* ---- the witness ---- */

enum { PATTERN = 0x5a17c0de, WORDS = 4096 }; /* four pages */

static int to_witness[2], from_witness[2];
static L4_Word_t pattern[WORDS];

static void witness(void) {
    char byte;
    for (L4_Word_t i = 0; i < WORDS; i++) {
        pattern[i] = PATTERN + i;
    }
    while (call(NR_READ, (L4_Word_t)to_witness[0], (L4_Word_t)&byte, 1, 0) == 1) {
        for (L4_Word_t i = 0; i < WORDS; i++) {
            byte = pattern[i] == PATTERN + i ? byte : '!';
        }
        (void)call(NR_WRITE, (L4_Word_t)from_witness[1], (L4_Word_t)&byte, 1, 0);
    }
    end(0);
}

static bool witness_lives(void) {
    char byte = 'w';
    (void)call(NR_WRITE, (L4_Word_t)to_witness[1], (L4_Word_t)&byte, 1, 0);
    byte = '?';
    return call(NR_READ, (L4_Word_t)from_witness[0], (L4_Word_t)&byte, 1, 0) == 1 && byte == 'w';
}
/* How a child ended: its status as waitpid has it. One that does not end is killed. */
static int outcome(int child) {
    int status = 0;
    for (unsigned ms = 0; ms < 100; ms += 20) {
        if (call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, WNOHANG, 0) == child) {
            return status;
        }
        sleep_ms(20);
    }
    (void)call(NR_KILL, (L4_Word_t)child, SIGKILL, 0, 0);
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    return status;
}

static unsigned attack(void) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < attack_count; i++) {
        int child = fork();
        if (child == 0) {
            end(attacks[i].function());
        }
        int status = outcome(child);
        bool lives = witness_lives();
        say(attacks[i].name);
        if (status != attacks[i].signal || !lives) {
            wrong++;
            say(lives ? ": WRONG, status " : ": THE WITNESS IS HARMED, status ");
            say_number((unsigned)status);
            say("\n");
        } else {
            say(": repelled\n");
        }
    }
    return wrong;
}

void l4_startup(void);

__attribute__((used)) static void begin(void) {
    unsigned wrong;
    int pid = call(NR_GETPID, 0, 0, 0, 0), failed = ordinary(), drawn = draws();
    registers_of_tasks();
    say("ordinary: ");
    say_number((unsigned)failed);
    say("\npicture: ");
    say_number((unsigned)drawn);
    say("\n");
    say_calls();
    l4_startup();
    find_victims();
    (void)call(NR_PIPE, (L4_Word_t)to_witness, 0, 0, 0);
    (void)call(NR_PIPE, (L4_Word_t)from_witness, 0, 0, 0);
    if (fork() == 0) {
        (void)call(NR_CLOSE, (L4_Word_t)to_witness[1], 0, 0, 0);
        witness();
    }
    wrong = witness_lives() ? attack() : 100;
    say("attacks that did something: ");
    say_number(wrong);
    say("\n");
    if (pid == 1) {
        restart();
    }
    end(failed != 0 ? 100 + failed : (int)wrong);
}
__asm__(".globl _start\n_start: call begin\n");
