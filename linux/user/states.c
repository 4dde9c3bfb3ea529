/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ARM and Thumb state in one program, and what ARMv5TE added to the state that a switch of
 * processes must keep. Nothing of it is there before ARMv5.
 */
#include "test.h"

#include <asm/sigcontext.h>
/* after it: */
#include <asm-generic/ucontext.h>

#if __ARM_ARCH >= 5

#define ARM   __attribute__((target("arm"), noinline))
#define THUMB __attribute__((target("thumb"), noinline))

static volatile int count;
static char *volatile fault_at;

static int in_thumb_state(void *context) {
    const struct ucontext *interrupted = context;
    return (interrupted->uc_mcontext.arm_cpsr & 0x20) != 0;
}

/* Functions of both states that call each other, as deep as `depth` says. */
typedef unsigned int step(unsigned int depth, unsigned int sum);
static step *volatile to_arm, *volatile to_thumb;

ARM static unsigned int arm_step(unsigned int depth, unsigned int sum) {
    unsigned int result = depth ? to_thumb(depth - 1, sum * 3 + depth) : sum;
    return result + 1;
}

THUMB static unsigned int thumb_step(unsigned int depth, unsigned int sum) {
    unsigned int result = depth ? to_arm(depth - 1, sum * 5 + depth) : sum;
    return result + 1;
}

static void calls(void) {
    unsigned int sum = 1;
    to_arm = arm_step;
    to_thumb = thumb_step;
    for (unsigned int depth = 100; depth; depth--) {
        sum = sum * (depth % 2 ? 5 : 3) + depth;
    }
    EXPECT(to_arm(100, 1) == sum + 101);
    EXPECT(((unsigned long)to_arm & 1) == 0 && ((unsigned long)to_thumb & 1) == 1);
}

/* A handler of each state interrupts a loop of each state. */
ARM static void arm_handler(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    count += in_thumb_state(context) ? 0x100 : 1;
}

THUMB static void thumb_handler(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    count += in_thumb_state(context) ? 0x100 : 1;
}

ARM static void arm_loop(void) {
    while (count == 0) {
    }
}

THUMB static void thumb_loop(void) {
    while (count == 0) {
    }
}

static void handlers(void) {
    handler_t *const handler[] = {arm_handler, thumb_handler};
    for (int i = 0; i < 4; i++) {
        count = 0;
        EXPECT(handle(SIGALRM, handler[i & 1], 0) == 0);
        EXPECT(interval_timer(15000, 0) == 0);
        if (i & 2) {
            thumb_loop();
        } else {
            arm_loop();
        }
        EXPECT(count == (i & 2 ? 0x100 : 1));
    }
}

static void repair(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    fault_at = info->si_addr;
    count++;
    EXPECT(protect((void *)((unsigned long)info->si_addr & -PAGE), PAGE,
                   PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

/* A Thumb call is two instructions. Between them: a fault, a handler, and the link is still right.
 */
static void split_call(void) {
    enum { LAST = PAGE / 2 - 1 };
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned short *code = (void *)pages;
    unsigned int (*call)(void) = (void *)(pages + PAGE - 4 + 1);
    EXPECT(pages != MAP_FAILED);
    code[LAST - 1] = 0xb500; /* push {lr} */
    code[LAST] = 0xf000;     /* bl, first half: lr = pc + 4 */
    code[LAST + 1] = 0xf801; /* second half: to the fourth instruction of this page */
    code[LAST + 2] = 0xbd00; /* pop {pc} */
    code[LAST + 3] = 0x2063; /* movs r0, #99: the call's target */
    code[LAST + 4] = 0x4770; /* bx lr */
    EXPECT(flush_code(pages, 2 * PAGE) == 0 && call() == 99);
    EXPECT(handle(SIGSEGV, repair, 0) == 0);
    for (int i = 0; i < 5; i++) {
        EXPECT(protect(pages + PAGE, PAGE, PROT_NONE) == 0);
        EXPECT(call() == 99 && count == i + 1 && fault_at == pages + PAGE);
    }
}

/* The sticky overflow flag, which is the process's own. */
ARM static unsigned int saturate(unsigned int a, unsigned int b) {
    unsigned int sum;
    __asm__ volatile("qadd %0, %1, %2" : "=r"(sum) : "r"(a), "r"(b) : "cc");
    return sum;
}

ARM static unsigned int flags(void) {
    unsigned int found;
    __asm__ volatile("mrs %0, cpsr" : "=r"(found));
    return found;
}

ARM static void clear_flags(void) {
    __asm__ volatile("msr cpsr_f, #0" ::: "cc");
}

static void sticky_overflow(void) {
    enum { Q = 1 << 27, ROUNDS = 20 };
    int there[2], back[2];
    char token = 't';
    pid_t child;
    EXPECT(pipe(there) == 0 && pipe(back) == 0);
    clear_flags();
    EXPECT(saturate(0x7ffffff0, 15) == 0x7fffffff && !(flags() & Q));
    child = fork();
    EXPECT(child >= 0);
    /* One of the two has it set, in turns with the other. */
    if (child == 0) {
        EXPECT(saturate(0x80000010, -17) == 0x80000000);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (child == 0) {
            EXPECT(read(there[0], &token, 1) == 1 && flags() & Q);
            EXPECT(write(back[1], &token, 1) == 1);
        } else {
            EXPECT(write(there[1], &token, 1) == 1);
            EXPECT(read(back[0], &token, 1) == 1 && !(flags() & Q));
        }
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

/* Two words at once, also where the second lies in a page of its own that is not there yet. */
ARM static unsigned long long load_two(const void *at) {
    register unsigned int low __asm__("r2");
    register unsigned int high __asm__("r3");
    __asm__ volatile("ldrd r2, r3, [%2]" : "=r"(low), "=r"(high) : "r"(at) : "memory");
    return (unsigned long long)high << 32 | low;
}

ARM static void store_two(void *at, unsigned int first, unsigned int second) {
    register unsigned int low __asm__("r2") = first;
    register unsigned int high __asm__("r3") = second;
    __asm__ volatile("strd r2, r3, [%0]" ::"r"(at), "r"(low), "r"(high) : "memory");
}

static void double_words(void) {
    char *pages = fresh(2 * PAGE, MAP_PRIVATE);
    EXPECT(handle(SIGSEGV, repair, 0) == 0);
    for (int i = 0; i < 8; i++) {
        void *at = pages + PAGE - 8 + (i % 2) * 8;
        EXPECT(protect(pages, 2 * PAGE, i < 4 ? PROT_READ | PROT_WRITE : PROT_NONE) == 0);
        store_two(at, 0x1111 * i, 0x2222 * i);
        EXPECT(load_two(at) == (0x222200000000ULL * i | 0x1111 * i));
    }
    EXPECT(count == 4);
}

const struct test state_tests[] = {
    {"calls between ARM and Thumb", calls},
    {"handlers in both states", handlers},
    {"a fault within a Thumb call", split_call},
    {"the sticky overflow flag", sticky_overflow},
    {"double words", double_words},
    {0},
};

#else

const struct test state_tests[] = {{0}};

#endif
