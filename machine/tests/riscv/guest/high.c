/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel above 2^63, where Linux' is: Sv39, supervisor mode, floating-point arithmetic. */
#include <stdint.h>

extern uint64_t root[512];
uint64_t root[512] __attribute__((aligned(4096)));
volatile uint64_t counter;
volatile double sum;

/* All memory for supervisor mode; gigabytes: 0 and 2 where they are, 510 is 2 again; `high`. */
__asm__(".section .text.start, \"ax\", @progbits\n"
        ".global _start\n"
        "_start:\n"
        "    li    t0, -1\n"
        "    srli  t0, t0, 10\n"
        "    csrw  pmpaddr0, t0\n"
        "    li    t0, 0x1f\n"
        "    csrw  pmpcfg0, t0\n"
        "    li    t0, 0x3800\n"
        "    csrc  mstatus, t0\n"
        "    li    t0, 0x2800\n"
        "    csrs  mstatus, t0\n"
        "    la    t0, 1f\n"
        "    csrw  mepc, t0\n"
        "    mret\n"
        "1:  la    t0, root\n"
        "    li    t1, 0xcf\n"
        "    sd    t1, 0(t0)\n"
        "    li    t1, 0x200000cf\n"
        "    sd    t1, 16(t0)\n"
        "    addi  t2, t0, 2040\n"
        "    sd    t1, 2040(t2)\n"
        "    srli  t0, t0, 12\n"
        "    li    t1, 8\n"
        "    slli  t1, t1, 60\n"
        "    or    t0, t0, t1\n"
        "    csrw  satp, t0\n"
        "    sfence.vma\n"
        "    ld    t0, 2f\n"
        "    la    sp, stack_top\n"
        "    ld    t1, 3f\n"
        "    add   sp, sp, t1\n"
        "    jr    t0\n"
        "    .balign 8\n"
        "2:  .quad high\n"
        "3:  .quad 0xffffffff00000000\n");

void step(uint64_t number), high(void);

/* It ends where `high` begins, whose address t0 has all the while. */
__attribute__((noinline)) void step(uint64_t number) {
    counter += number;
    sum = sum + 1.5;
}

void high(void) {
    for (uint64_t number = 0; number < 10; number++) {
        step(number);
    }
    *(volatile uint32_t *)0x100000 = 0x5555;
    for (;;) {
    }
}
