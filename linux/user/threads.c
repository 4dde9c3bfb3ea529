/* SPDX-License-Identifier: GPL-2.0-only */
#include "threads.h"

/* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM, _CHILD_CLEARTID of <linux/sched.h>, whose
 * names are nolibc's only in part. */
enum { FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x200000 };

/*
 * clone() that begins a function on a stack of its own: nothing may return through the frames of
 * who called. The thread ends with the function.
 */
int clone_call(unsigned long flags, void *stack, int *tid, void (*function)(struct thread *),
               struct thread *argument);
#ifdef __arm__
__asm__(".text\n"
        ".arm\n.align 2\n"
        ".globl clone_call\n"
        ".type clone_call, %function\n"
        "clone_call:\n"
        "    push {r4, r5, r6, r7, r8, lr}\n"
        "    mov r5, r3\n"        /* the function */
        "    ldr r6, [sp, #24]\n" /* its argument */
        "    mov r4, r2\n"        /* the child's tid, cleared at its end */
        "    mov r2, #0\n"
        "    mov r3, #0\n"
        "    mov r7, #120\n" /* __NR_clone */
        "    swi #0\n"
        "    cmp r0, #0\n"
        "    popne {r4, r5, r6, r7, r8, pc}\n"
        "    mov r0, r6\n"
        "    push {r5}\n"
        "    mov lr, pc\n"
        "    pop {pc}\n" /* to Thumb, too */
        "    mov r0, #0\n"
        "    mov r7, #1\n" /* __NR_exit, of this thread */
        "    swi #0\n"
        ".size clone_call, . - clone_call\n");
#endif

int thread_begin(struct thread *thread, void (*function)(struct thread *thread)) {
    thread->tid = 1;
    return clone_call(FLAGS, thread->stack + THREAD_STACK, &thread->tid, function, thread) > 0;
}

void thread_wait(struct thread *thread) {
    while (*(volatile int *)&thread->tid != 0) {
        futex_wait(&thread->tid, 1);
    }
}
