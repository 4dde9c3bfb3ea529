/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does the way into the kernel take on IA-32? The cheapest system calls that there are, each
 * by both ways that programs have:
 *
 *     getpid-int80       by INT 80h, which the kernel leaves by IRET
 *     getppid-int80
 *     getpid-sysenter    by the kernel's page of code (vDSO), which has SYSENTER where the
 *     getppid-sysenter   processor has it
 *
 * Like `null` of call.c they are so short that there are 20 of each in a round.
 *
 * Parameters: case= rounds= warmup=
 */
#include "suite.h"

enum { AT_SYSINFO_ENTRY = 32 }; /* AT_SYSINFO, which 64-bit headers lack */

/* System calls without arguments. EBX, ESI, EDI and EBP come back, from the page of code, too. */
static long by_interrupt(long number) {
    __asm__ volatile("int $0x80" : "+a"(number) : : "memory", "cc");
    return number;
}

static unsigned long page_entry; /* where the kernel's page is called */

static long by_page(long number) {
    __asm__ volatile("call *%1" : "+a"(number) : "m"(page_entry) : "ecx", "edx", "memory", "cc");
    return number;
}

static bool getpid_int80(void *context) {
    (void)context;
    return by_interrupt(__NR_getpid) > 0;
}

static bool getppid_int80(void *context) {
    (void)context;
    return by_interrupt(__NR_getppid) >= 0;
}

static bool getpid_sysenter(void *context) {
    (void)context;
    return by_page(__NR_getpid) > 0;
}

static bool getppid_sysenter(void *context) {
    (void)context;
    return by_page(__NR_getppid) >= 0;
}

static const struct {
    const char *name;
    operation *run;
} cases[] = {
    {"getpid-int80", getpid_int80},
    {"getppid-int80", getppid_int80},
    {"getpid-sysenter", getpid_sysenter},
    {"getppid-sysenter", getppid_sysenter},
};

static bool entry(void) {
    bool good = true;
    page_entry = getauxval(AT_SYSINFO_ENTRY);
    if (page_entry == 0) {
        return failed("the kernel's page of code");
    }
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good &= measure(&(struct measured){.stream = 1 + i,
                                               .name = cases[i].name,
                                               .run = cases[i].run,
                                               .rounds = 1000,
                                               .each = 20,
                                               .warmup = 20,
                                               .per = 1});
        }
    }
    return good;
}

const struct question question_entry = {"entry", "a system call by INT 80h and by SYSENTER", entry};
