/* SPDX-License-Identifier: GPL-2.0-only */
/* How ../threads.c begins a thread on RISC-V. */
__asm__(".text\n"
        ".globl clone_call\n"
        ".type clone_call, @function\n"
        "clone_call:\n"
        "    addi a1, a1, -16\n" /* the stack's end */
        "    sd a3, 0(a1)\n"     /* the function */
        "    sd a4, 8(a1)\n"     /* its argument */
        "    mv a4, a2\n"        /* the child's tid, cleared at its end */
        "    li a2, 0\n"
        "    li a3, 0\n"
        "    li a7, 220\n" /* __NR_clone */
        "    ecall\n"
        "    beqz a0, 1f\n"
        "    ret\n"
        "1:  ld t0, 0(sp)\n"
        "    ld a0, 8(sp)\n"
        "    jalr t0\n"
        "    li a0, 0\n"
        "    li a7, 93\n" /* __NR_exit, of this thread */
        "    ecall\n"
        ".size clone_call, . - clone_call\n");
