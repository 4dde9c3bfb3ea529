/* SPDX-License-Identifier: GPL-2.0-only */
/* Exceptions as the signals that Linux makes of them, and flags in the frames of signals. */
#include "fault.h"

#include <linux/ptrace.h>

/* A function for attempt() whose instruction NAME_at faults; its argument is at 4(%esp). */
#define TRAP(name, before, instruction)                                                            \
    void name(void *argument);                                                                     \
    extern const char name##_at[], name##_behind[];                                                \
    __asm__(".text\n" #name ":\n" before "\n" #name "_at: " instruction "\n" #name "_behind: "     \
            "ret\n")

TRAP(divides_by_zero, "xor %ecx, %ecx\n mov $5, %eax\n cltd", "idivl %ecx");
TRAP(divides_too_much, "mov $0x80000000, %eax\n mov $-1, %ecx\n cltd", "idivl %ecx");
TRAP(breaks, "nop", "int3");
TRAP(overflows, "mov $0x7fffffff, %eax\n inc %eax", "into");
TRAP(leaves_bounds, "mov 4(%esp), %ecx\n mov $9, %eax", "bound %eax, (%ecx)");
TRAP(is_undefined, "nop", "ud2");
TRAP(locks_a_register, "nop", ".byte 0xf0, 0x01, 0xc0"); /* lock add %eax, %eax */
TRAP(halts, "nop", "hlt");
TRAP(masks_interrupts, "nop", "cli");
TRAP(loads_a_control_register, "xor %eax, %eax", "mov %eax, %cr3");
TRAP(calls_a_kernels_gate, "nop", "int $0x81");
TRAP(reads, "mov 4(%esp), %ecx", "mov (%ecx), %eax");
TRAP(writes, "mov 4(%esp), %ecx", "movl $1, (%ecx)");
TRAP(changes, "mov 4(%esp), %ecx", "addl $1, (%ecx)");

/* Where EIP is: at the instruction of a fault, after that of a trap. */
static void expect_at(void (*function)(void *), void *argument, const void *at, int signal,
                      unsigned int vector, unsigned int error) {
    EXPECT(attempt(function, argument));
    EXPECT(fault.signal == signal && fault.vector == vector);
    EXPECT(fault.error == error);
    EXPECT(fault.eip == (unsigned int)at);
}

static void divisions(void) {
    enum { INT_DIV = 1 }; /* FPE_INTDIV */
    catch_faults();
    expect_at(divides_by_zero, NULL, divides_by_zero_at, SIGFPE, EX_DE, 0);
    EXPECT(fault.code == INT_DIV && fault.address == divides_by_zero_at);
    expect_at(divides_too_much, NULL, divides_too_much_at, SIGFPE, EX_DE, 0);
}

static void traps(void) {
    static const int bounds[2] = {-3, 8};
    catch_faults();
    expect_at(breaks, NULL, breaks_behind, SIGTRAP, EX_BP, 0);
    expect_at(overflows, NULL, overflows_behind, SIGSEGV, EX_OF, 0);
    expect_at(leaves_bounds, (void *)bounds, leaves_bounds_at, SIGSEGV, EX_BR, 0);
}

static void undefined_instructions(void) {
    catch_faults();
    expect_at(is_undefined, NULL, is_undefined_at, SIGILL, EX_UD, 0);
    EXPECT(fault.address == is_undefined_at);
    expect_at(locks_a_register, NULL, locks_a_register_at, SIGILL, EX_UD, 0);
}

static void privileges(void) {
    enum { OF_IDT = 2 };
    catch_faults();
    expect_at(halts, NULL, halts_at, SIGSEGV, EX_GP, 0);
    expect_at(masks_interrupts, NULL, masks_interrupts_at, SIGSEGV, EX_GP, 0);
    expect_at(loads_a_control_register, NULL, loads_a_control_register_at, SIGSEGV, EX_GP, 0);
    expect_at(calls_a_kernels_gate, NULL, calls_a_kernels_gate_at, SIGSEGV, EX_GP,
              0x81 << 3 | OF_IDT);
}

/* The error code says what was tried, CR2 where. */
static void page_faults(void) {
    enum { PRESENT = 1, WRITE = 2, USER = 4 };
    char *pages = fresh(2 * PAGE, MAP_PRIVATE);
    char *at = pages + PAGE + 12;
    catch_faults();
    EXPECT(munmap(pages + PAGE, PAGE) == 0);
    expect_at(reads, at, reads_at, SIGSEGV, EX_PF, USER);
    EXPECT(fault.page == (unsigned int)at && fault.address == at);
    expect_at(writes, at, writes_at, SIGSEGV, EX_PF, USER | WRITE);
    if (!is_qemu()) { /* which reads first */
        expect_at(changes, at, changes_at, SIGSEGV, EX_PF, USER | WRITE);
    }
    /* Over the end of the page before: the first byte that is missing. */
    expect_at(writes, pages + PAGE - 2, writes_at, SIGSEGV, EX_PF, USER | WRITE);
    EXPECT(fault.page == (unsigned int)pages + PAGE);
    pages[0] = 1;
    EXPECT(protect(pages, PAGE, PROT_READ) == 0);
    EXPECT(!attempt(reads, pages));
    expect_at(writes, pages, writes_at, SIGSEGV, EX_PF, USER | WRITE | PRESENT);
    /* The kernel's memory is there, for the kernel. */
    expect_at(reads, (void *)0xc1000000, reads_at, SIGSEGV, EX_PF, USER | PRESENT);
}

static volatile unsigned int steps, stepped[16];

static void step(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    if (steps < LENGTH(stepped)) {
        stepped[steps] = interrupted(context)->eip;
    }
    steps++;
}

/* From the instruction after the one that sets TF to the one that clears it. */
void single_steps(void);
extern const char step_1[], step_2[], step_3[], step_4[];
__asm__(".text\n"
        "single_steps:\n"
        "    pushf\n"
        "    orl $0x100, (%esp)\n"
        "    popf\n"
        "    nop\n"
        "step_1: mov $3, %ecx\n"
        "step_2: rep; stosb\n"
        "step_3: pushf\n"
        "step_4: andl $~0x100, (%esp)\n"
        "    popf\n"
        "    ret\n");

static void single_stepping(void) {
    static char bytes[3];
    EXPECT(handle(SIGTRAP, step, 0) == 0);
    /* Each element of a string instruction is a step. */
    char *to = bytes;
    __asm__ volatile("call single_steps" : "+D"(to) : "a"(7) : "ecx", "memory", "cc");
    EXPECT(stepped[0] == (unsigned int)step_1 && stepped[1] == (unsigned int)step_2);
    EXPECT(stepped[2] == (unsigned int)step_2 && stepped[3] == (unsigned int)step_2);
    EXPECT(stepped[4] == (unsigned int)step_3 && stepped[5] == (unsigned int)step_4);
    EXPECT(steps == 8 && bytes[2] == 7);
}

static volatile unsigned int seen_flags, set_flags;

static void change_flags(int signal, siginfo_t *info, void *context) {
    struct sigcontext *at = interrupted(context);
    unsigned int own;
    (void)signal;
    (void)info;
    __asm__ volatile("pushf\n pop %0" : "=r"(own));
    EXPECT((own & FLAG_DF) == 0);
    seen_flags = at->eflags;
    at->eflags ^= set_flags;
}

/* Loads flags, has int 0x80 send a signal to itself, and returns the flags after that. */
static unsigned int flags_over_signal(unsigned int flags) {
    unsigned int after;
    register unsigned int result __asm__("eax") = __NR_kill;
    __asm__ volatile("pushf\n"
                     "andl $~0xcd5, (%%esp)\n"
                     "orl %2, (%%esp)\n"
                     "popf\n"
                     "int $0x80\n"
                     "pushf\n"
                     "pop %1\n"
                     "cld"
                     : "+r"(result), "=&d"(after)
                     : "S"(flags), "b"(getpid()), "c"(SIGUSR1)
                     : "memory", "cc");
    return after;
}

static void flags_in_frames(void) {
    enum { ALL = FLAG_CF | FLAG_PF | FLAG_ZF | FLAG_SF | FLAG_DF | FLAG_OF };
    static const unsigned int some[] = {0,       FLAG_CF,           FLAG_ZF | FLAG_SF,
                                        FLAG_DF, FLAG_OF | FLAG_PF, ALL};
    EXPECT(handle(SIGUSR1, change_flags, 0) == 0);
    for (size_t i = 0; i < LENGTH(some); i++) {
        for (size_t k = 0; k < LENGTH(some); k++) {
            unsigned int after;
            set_flags = some[k];
            after = flags_over_signal(some[i]);
            EXPECT((seen_flags & ALL) == some[i]);
            EXPECT((after & ALL) == (some[i] ^ some[k]));
        }
    }
}

/* With AC set and CR0.AM, which Linux sets. */
static void alignment(void) {
    static unsigned int words[2];
    catch_faults();
    for (int offset = 0; offset < 5; offset++) {
        void *at = (char *)words + offset;
        int ended;
        __asm__ volatile("pushf\n orl %0, (%%esp)\n popf" : : "i"(FLAG_AC) : "memory", "cc");
        ended = attempt(reads, at);
        __asm__ volatile("pushf\n andl %0, (%%esp)\n popf" : : "i"(~FLAG_AC) : "memory", "cc");
        if (offset % 4 == 0 || is_qemu()) {
            EXPECT(!ended);
        } else {
            EXPECT(ended && fault.signal == SIGBUS && fault.vector == EX_AC && fault.error == 0);
        }
    }
}

/* Where a debugger finds debug register n of a process (u_debugreg of <asm/user.h>). */
static unsigned long debug_register(unsigned int n) {
    return 252 + 4 * n;
}

static void run_to(pid_t child, int signal) {
    int status;
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == signal);
}

/* The kernel answers with a result below 0: only where the word is read is it in `data`. */
static unsigned long peek_user(pid_t child, unsigned long at) {
    unsigned long data = 0;
    EXPECT(trace(PTRACE_PEEKUSR, child, at, (unsigned long)&data) == 0);
    return data;
}

static volatile unsigned int watched[4];

/* A debugger's breakpoints in the processor: of the child alone, at data and at instructions. */
static void breakpoints(void) {
    enum { LOCAL_0 = 1, LOCAL_1 = 4, WRITES_4 = 0xd << 16, HIT_0 = 1, HIT_1 = 2 };
    int status;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        EXPECT(trace(PTRACE_TRACEME, 0, 0, 0) == 0);
        kill(getpid(), SIGSTOP);
        for (unsigned int i = 0; i < LENGTH(watched); i++) {
            watched[i] = i + 1;
        }
        reads((void *)watched);
        _exit(5);
    }
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
    EXPECT(trace(PTRACE_POKEUSR, child, debug_register(0), (unsigned long)&watched[2]) == 0);
    EXPECT(trace(PTRACE_POKEUSR, child, debug_register(1), (unsigned long)breaks_behind) == 0);
    EXPECT(trace(PTRACE_POKEUSR, child, debug_register(7), LOCAL_0 | WRITES_4) == 0);
    /* The parent writes there, too, and is not stopped. */
    watched[2] = 9;
    run_to(child, SIGTRAP);
    EXPECT((peek_user(child, debug_register(6)) & 0xf) == HIT_0);
    EXPECT(trace(PTRACE_POKEUSR, child, debug_register(1), (unsigned long)reads_at) == 0);
    EXPECT(trace(PTRACE_POKEUSR, child, debug_register(7), LOCAL_0 | LOCAL_1 | WRITES_4) == 0);
    run_to(child, SIGTRAP);
    EXPECT((peek_user(child, debug_register(6)) & 0xf) == HIT_1);
    EXPECT(peek_user(child, EIP * 4) == (unsigned long)reads_at);
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

const struct test trap_tests[] = {
    {"division by zero", divisions},
    {"INT3, INTO and BOUND", traps},
    {"undefined instructions", undefined_instructions},
    {"privileged instructions", privileges},
    {"error codes of page faults", page_faults},
    {"single steps", single_stepping},
    {"flags in signal frames", flags_in_frames},
    {"alignment checks", alignment},
    {"breakpoints in debug registers", breakpoints},
    {0},
};
