/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults that a test wants. */
#include "fault.h"

volatile struct fault fault;

/* What attempt() goes back to, also from a stack that is none. */
unsigned int attempt_stack;
extern const char attempt_ended[];

__asm__(".text\n"
        ".globl attempt\n"
        "attempt:\n"
        "    push %ebp\n"
        "    push %ebx\n"
        "    push %esi\n"
        "    push %edi\n"
        "    mov %esp, attempt_stack\n"
        "    mov 20(%esp), %eax\n"
        "    push 24(%esp)\n"
        "    call *%eax\n"
        "    xor %eax, %eax\n"
        "attempt_ended:\n"
        "    mov attempt_stack, %esp\n"
        "    pop %edi\n"
        "    pop %esi\n"
        "    pop %ebx\n"
        "    pop %ebp\n"
        "    ret\n");

static unsigned short flat_data(void) {
    unsigned short selector;
    __asm__("mov %%ss, %0" : "=r"(selector));
    return selector;
}

static unsigned short flat_code(void) {
    unsigned short selector;
    __asm__("mov %%cs, %0" : "=r"(selector));
    return selector;
}

/* The kernel calls handlers with the flat segments and its own flags. */
static void end_attempt(int signal, siginfo_t *info, void *context) {
    struct sigcontext *at = interrupted(context);
    fault.signal = signal;
    fault.code = info->si_code;
    fault.address = info->si_addr;
    fault.vector = at->trapno;
    fault.error = at->err;
    fault.eip = at->eip;
    fault.eflags = at->eflags;
    fault.page = at->cr2;
    at->eip = (unsigned int)attempt_ended;
    at->eax = 1;
    at->eflags &= ~(unsigned int)(FLAG_TF | FLAG_DF | FLAG_AC);
    at->cs = flat_code();
    at->ds = at->es = at->ss = flat_data();
}

void catch_faults(void) {
    enum { ON_STACK = 0x08000000 };
    static char stack[4 * PAGE];
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    const struct {
        void *start;
        int flags;
        unsigned int bytes;
    } other = {stack, 0, sizeof(stack)};
    EXPECT(syscall(__NR_sigaltstack, &other, NULL) == 0);
    for (size_t i = 0; i < LENGTH(signals); i++) {
        EXPECT(handle(signals[i], end_attempt, ON_STACK) == 0);
    }
}

int is_qemu(void) {
    enum { HYPERVISOR = 0x40000000 };
    unsigned int eax = HYPERVISOR, ebx, ecx, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
    return ebx == 0x54474354; /* "TCGT", of its "TCGTCGTCGTCG" */
}
