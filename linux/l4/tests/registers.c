/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers are a task's own, the floating-point unit's as well, whatever tasks share: over a fork,
 * between threads, in a signal's handler and after it, for a debugger, and while one thread waits
 * for a page. A program of Linux' with system calls by INT 80h, native or on L4 (picture.c has its
 * beginning where it is alone).
 */
#include "registers.h"

#include "calls.h"

#include <stddef.h>

enum { SA_SIGINFO = 4, SA_RESTORER = 0x04000000, FPE_FLTDIV = 3 };
enum { CLONE_VM = 0x100, CLONE_FILES = 0x400 };
enum { PTRACE_TRACEME, PTRACE_CONT = 7, PTRACE_GETFPREGS = 14, PTRACE_SETFPREGS };

/* Control words: as after FNINIT, with other precisions, with division by zero unmasked. */
enum { INITIAL = 0x37f, DOUBLE = 0x27f, SINGLE = 0x07f, DIVISION = 0x37b };

/* ---- the unit ---- */

static void set_control(int word) {
    __asm__ volatile("fldcw %0" : : "m"(*(short *)&word));
}

static int control(void) {
    short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static void push(int number) {
    __asm__ volatile("fildl %0" : : "m"(number));
}

static int pop(void) {
    int number;
    __asm__ volatile("fistpl %0" : "=m"(number));
    return number;
}

/* ---- cases: what a child's function returns is its status; 0: right ---- */

static int of_a_fork(void) {
    int status;
    set_control(DOUBLE);
    push(3);
    int child = call(NR_FORK, 0, 0, 0, 0);
    if (child == 0) {
        int inherited = control() == DOUBLE && pop() == 3;
        set_control(SINGLE);
        push(4);
        end(inherited ? 0 : 1);
    }
    (void)call(NR_WAITPID, (unsigned)child, (unsigned)&status, 0, 0);
    return status != 0 ? 1 : control() == DOUBLE && pop() == 3 ? 0 : 2;
}

/* Another task in this space, with a stack of its own. */
static int thread(void (*body)(void)) {
    static unsigned stack[1024];
    int answer;
    __asm__ volatile("int $0x80\n testl %%eax, %%eax\n jnz 1f\n call *%%edi\n1:"
                     : "=a"(answer)
                     : "a"(NR_CLONE), "b"(CLONE_VM | CLONE_FILES | SIGCHLD), "c"(&stack[1024]),
                       "D"(body)
                     : "memory");
    return answer;
}

/* Its number stays where it is, over calls by which the other runs, and over ticks. */
static int keeps(int number, int word) {
    set_control(word);
    push(number);
    for (unsigned i = 0; i < 200; i++) {
        (void)call(NR_SCHED_YIELD, 0, 0, 0, 0);
        for (volatile unsigned wait = 0; wait < 5000; wait++) {
        }
        if (control() != word || pop() != number) {
            return 0;
        }
        push(number);
    }
    return 1;
}

static void second(void) {
    end(keeps(222, SINGLE) ? 0 : 1);
}

static int of_threads(void) {
    int status, other = thread(second), kept = keeps(111, DOUBLE);
    (void)call(NR_WAITPID, (unsigned)other, (unsigned)&status, 0, 0);
    return !kept ? 1 : status == 0 ? 0 : 2;
}

/* A handler gets a `struct sigcontext` after the signal's number. */
void enter(void), back(void);
__asm__("enter: leal 8(%esp), %eax\n pushl %eax\n call handle\n popl %eax\n ret\n"
        "back: popl %eax\n movl $119, %eax\n int $0x80\n");

static volatile int handled;

__attribute__((used)) static void handle(unsigned **context) {
    unsigned *frame = context[19]; /* fpstate */
    int initial = control() == INITIAL, told = (frame[0] & 0xffff) == DOUBLE;
    set_control(SINGLE);
    push(9);
    frame[0] ^= DOUBLE ^ DIVISION;
    handled = !initial ? 1 : !told ? 2 : -1;
}

static int of_a_handler(void) {
    const unsigned action[] = {(unsigned)enter, 0, SA_RESTORER, (unsigned)back};
    (void)call(NR_SIGACTION, SIGUSR1, (unsigned)action, 0, 0);
    set_control(DOUBLE);
    push(1234);
    (void)call(NR_KILL, (unsigned)call(NR_GETPID, 0, 0, 0, 0), SIGUSR1, 0, 0);
    if (handled != -1) {
        return handled != 0 ? handled : 3;
    }
    return pop() != 1234 ? 4 : control() == DIVISION ? 0 : 5; /* as the handler left the frame */
}

static void divided(int signal, const int *information) {
    end(signal == SIGFPE && information[2] == FPE_FLTDIV ? 0 : 1);
}

static int of_an_exception(void) {
    const unsigned action[] = {(unsigned)divided, SA_SIGINFO | SA_RESTORER, (unsigned)back, 0, 0};
    (void)call(NR_RT_SIGACTION, SIGFPE, (unsigned)action, 0, 8);
    set_control(DIVISION);
    __asm__ volatile("fld1\n fldz\n fdivrp\n fwait");
    return 2;
}

static int of_a_debugger(void) {
    unsigned words[27];
    int status, child = call(NR_FORK, 0, 0, 0, 0);
    if (child == 0) {
        set_control(DOUBLE);
        push(77);
        (void)call(NR_PTRACE, PTRACE_TRACEME, 0, 0, 0);
        (void)call(NR_KILL, (unsigned)call(NR_GETPID, 0, 0, 0, 0), SIGSTOP, 0, 0);
        end(control() == SINGLE && pop() == 77 ? 0 : 1);
    }
    set_control(DIVISION); /* not the debugger's own */
    (void)call(NR_WAITPID, (unsigned)child, (unsigned)&status, 0, 0);
    int told = call(NR_PTRACE, PTRACE_GETFPREGS, (unsigned)child, 0, (unsigned)words) == 0 &&
               (words[0] & 0xffff) == DOUBLE;
    words[0] ^= DOUBLE ^ SINGLE;
    (void)call(NR_PTRACE, PTRACE_SETFPREGS, (unsigned)child, 0, (unsigned)words);
    (void)call(NR_PTRACE, PTRACE_CONT, (unsigned)child, 0, 0);
    (void)call(NR_WAITPID, (unsigned)child, (unsigned)&status, 0, 0);
    return !told ? 1 : status != 0 ? 2 : control() == DIVISION ? 0 : 3;
}

/* ---- a thread that waits for a page, while the other runs ---- */

/* linux/userfaultfd.h */
#define UFFDIO_API      0xc018aa3f
#define UFFDIO_REGISTER 0xc020aa00
#define UFFDIO_ZEROPAGE 0xc020aa04
enum { UFFD_API = 0xaa, MISSING = 1, PAGE = 4096 };

static int faults;
static char page[2 * PAGE] __attribute__((aligned(4096)));

/* Brings the page when the first has waited for it, with all registers in use. */
static void pager(void) {
    unsigned message[8];
    const unsigned long long zero[] = {(unsigned)page, PAGE, 0, 0};
    int read = call(NR_READ, (unsigned)faults, (unsigned)message, sizeof message, 0);
    __asm__ volatile("pushal\n movl $-1, %%ebp\n movl $-1, %%edi\n movl $-1, %%ecx\n popal"
                     :
                     :
                     : "memory");
    end(read != sizeof message ||
        call(NR_IOCTL, (unsigned)faults, UFFDIO_ZEROPAGE, (unsigned)zero, 0) != 0);
}

static int of_a_fault(void) {
    unsigned long long api[] = {UFFD_API, 0, 0}, range[] = {(unsigned)page, PAGE, MISSING, 0};
    int status, word = -1;
    unsigned sum;
    faults = call(NR_USERFAULTFD, 0, 0, 0, 0);
    if (faults < 0) {
        return 0; /* this kernel has none */
    }
    if (call(NR_IOCTL, (unsigned)faults, UFFDIO_API, (unsigned)api, 0) != 0 ||
        call(NR_IOCTL, (unsigned)faults, UFFDIO_REGISTER, (unsigned)range, 0) != 0) {
        return 1;
    }
    int other = thread(pager);
    push(5);
    __asm__ volatile(
        "pushl %%ebp\n movl $1, %%ebx\n movl $2, %%ecx\n movl $4, %%edx\n"
        "movl $8, %%edi\n movl $16, %%ebp\n movl (%%esi), %%eax\n"
        "addl %%ebx, %%ecx\n addl %%ecx, %%edx\n addl %%edx, %%edi\n addl %%ebp, %%edi\n"
        "popl %%ebp"
        : "=a"(word), "=D"(sum)
        : "S"(page)
        : "ebx", "ecx", "edx", "memory");
    int kept = pop() == 5;
    (void)call(NR_WAITPID, (unsigned)other, (unsigned)&status, 0, 0);
    return word != 0 ? 2 : sum != 31 ? 3 : !kept ? 4 : status == 0 ? 0 : 5;
}

static const struct {
    const char *name;
    int (*function)(void);
} cases[] = {
    {"of a fork", of_a_fork},         {"of threads", of_threads},
    {"of a handler", of_a_handler},   {"of an exception", of_an_exception},
    {"of a debugger", of_a_debugger}, {"of a page fault", of_a_fault},
};

void registers_of_tasks(void) {
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = 0, child = call(NR_FORK, 0, 0, 0, 0);
        if (child == 0) {
            end(cases[i].function());
        }
        (void)call(NR_WAITPID, (unsigned)child, (unsigned)&status, 0, 0);
        say("registers ");
        say(cases[i].name);
        if (status == 0) {
            say(": right\n");
        } else {
            char number[] = ": WRONG, status 00\n";
            number[16] = "0123456789abcdef"[(status > 255 ? status >> 12 : status >> 4) & 15];
            number[17] = "0123456789abcdef"[(status > 255 ? status >> 8 : status) & 15];
            say(number);
        }
    }
}
