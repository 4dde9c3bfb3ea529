/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls through the kernel's page of code (vDSO), which uses SYSENTER where the processor
 * has it: the same as through INT 0x80.
 */
#include "fault.h"

enum { AT_SYSINFO_ENTRY = 32 }; /* AT_SYSINFO, which 64-bit headers lack */

unsigned int vdso_entry;

/* A system call by the code at `vdso_entry`. */
long vdso_call(long number, long a, long b, long c, long d, long e, long f);
__asm__(".text\n"
        "vdso_call:\n"
        "    push %ebp\n"
        "    push %ebx\n"
        "    push %esi\n"
        "    push %edi\n"
        "    mov 20(%esp), %eax\n"
        "    mov 24(%esp), %ebx\n"
        "    mov 28(%esp), %ecx\n"
        "    mov 32(%esp), %edx\n"
        "    mov 36(%esp), %esi\n"
        "    mov 40(%esp), %edi\n"
        "    mov 44(%esp), %ebp\n"
        "    call *vdso_entry\n"
        "    pop %edi\n"
        "    pop %esi\n"
        "    pop %ebx\n"
        "    pop %ebp\n"
        "    ret\n");

static int has_sysenter(void) {
    enum { SEP = 1 << 11 };
    unsigned int eax = 1, ebx, ecx, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
    return (edx & SEP) != 0;
}

static void find_entry(void) {
    vdso_entry = getauxval(AT_SYSINFO_ENTRY);
    EXPECT(vdso_entry != 0);
}

/* The kernel's page has the instruction, if CPUID reports it. */
static void is_used(void) {
    const unsigned char *code;
    int found = 0;
    find_entry();
    code = (const unsigned char *)vdso_entry;
    for (int i = 0; i < 32; i++) {
        found |= code[i] == 0x0f && code[i + 1] == 0x34;
    }
    EXPECT(found == has_sysenter());
}

static void results(void) {
    find_entry();
    EXPECT(vdso_call(__NR_getpid, 0, 0, 0, 0, 0, 0) == getpid());
    EXPECT(vdso_call(__NR_close, -1, 0, 0, 0, 0, 0) == -EBADF);
    EXPECT(vdso_call(100000, 0, 0, 0, 0, 0, 0) == -ENOSYS);
    for (int i = 0; i < 1000; i++) {
        EXPECT(vdso_call(__NR_getppid, 0, 0, 0, 0, 0, 0) == getppid());
    }
}

/* The sixth is in EBP, which the kernel reads from the stack. */
static void arguments(void) {
    int fd = scratch_file(3 * PAGE, 5);
    void *page;
    find_entry();
    page = (void *)vdso_call(__NR_mmap2, 0, PAGE, PROT_READ, MAP_PRIVATE, fd, 2);
    EXPECT(filled(page, PAGE, 5 + 2 * PAGE / sizeof(unsigned int)));
}

static volatile int count;

static void note(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    (void)context;
    count++;
}

/* A signal ends one, or is followed by the call anew: by INT 0x80, which stands after SYSENTER. */
static void interrupted_calls(void) {
    enum { RESTART = 0x10000000 };
    int ends[2];
    char byte = 0;
    pid_t child;
    find_entry();
    EXPECT(pipe(ends) == 0);
    EXPECT(handle(SIGALRM, note, 0) == 0);
    EXPECT(interval_timer(20000, 0) == 0);
    EXPECT(vdso_call(__NR_read, ends[0], (long)&byte, 1, 0, 0, 0) == -EINTR && count == 1);
    EXPECT(handle(SIGALRM, note, RESTART) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        sleep_for(100000000);
        EXPECT(write(ends[1], "x", 1) == 1);
        _exit(0);
    }
    EXPECT(interval_timer(20000, 20000) == 0);
    EXPECT(vdso_call(__NR_read, ends[0], (long)&byte, 1, 0, 0, 0) == 1 && byte == 'x');
    EXPECT(count >= 3);
    EXPECT(interval_timer(0, 0) == 0);
    EXPECT(ended_well(child));
}

/* With TF set SYSENTER enters the kernel as ever, and steps go on after it. */
static void single_steps(void) {
    int result = __NR_getpid;
    find_entry();
    EXPECT(handle(SIGTRAP, note, 0) == 0);
    __asm__ volatile("pushf\n"
                     "orl $0x100, (%%esp)\n"
                     "popf\n"
                     "call *%1\n"
                     "pushf\n"
                     "andl $~0x100, (%%esp)\n"
                     "popf"
                     : "+a"(result)
                     : "r"(vdso_entry)
                     : "ecx", "edx", "memory", "cc");
    EXPECT(result == getpid());
    EXPECT(count > 6);
}

const struct test call_tests[] = {
    {"SYSENTER where there is one", is_used},
    {"system calls by the kernel's page", results},
    {"six arguments", arguments},
    {"signals in system calls by the kernel's page", interrupted_calls},
    {"single steps through a system call", single_steps},
    {0},
};
