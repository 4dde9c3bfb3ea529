/* SPDX-License-Identifier: GPL-2.0-only */
/* How ../threads.c begins a thread on IA-32. */
__asm__(".text\n"
        ".globl clone_call\n"
        ".type clone_call, @function\n"
        "clone_call:\n"
        "    push %ebp\n"
        "    push %ebx\n"
        "    push %esi\n"
        "    push %edi\n"
        "    mov 20(%esp), %ebx\n" /* flags */
        "    mov 24(%esp), %ecx\n" /* the stack's end */
        "    mov 28(%esp), %edi\n" /* the child's tid, cleared at its end */
        "    mov 32(%esp), %ebp\n" /* the function */
        "    mov 36(%esp), %eax\n" /* its argument, at the top of that stack */
        "    sub $16, %ecx\n"
        "    mov %eax, (%ecx)\n"
        "    xor %edx, %edx\n"
        "    xor %esi, %esi\n"
        "    mov $120, %eax\n" /* __NR_clone */
        "    int $0x80\n"
        "    test %eax, %eax\n"
        "    jz 1f\n"
        "    pop %edi\n"
        "    pop %esi\n"
        "    pop %ebx\n"
        "    pop %ebp\n"
        "    ret\n"
        "1:  call *%ebp\n"
        "    xor %ebx, %ebx\n"
        "    mov $1, %eax\n" /* __NR_exit, of this thread */
        "    int $0x80\n"
        ".size clone_call, . - clone_call\n");
