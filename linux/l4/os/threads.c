// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linux' threads inside the server: all are one thread of L4, which changes stacks.
 */
#include <linux/sched.h>
#include <as-layout.h>
#include <kern_util.h>
#include <longjmp.h>
#include <os.h>
#include <skas.h>

#include "layer.h"

/* Why the first stack is returned to. */
enum { BEGIN, CALL_BACK, HALT, REBOOT };

static jmp_buf initial;

static struct {
    void (*function)(void *arg);
    void *arg;
    jmp_buf *from;
} callback;

static void start_at(jmp_buf *buf, void *stack, void (*function)(void)) {
    (*buf)[0].JB_IP = (unsigned long)function;
    (*buf)[0].JB_SP = (unsigned long)stack + THREAD_SIZE - sizeof(void *);
}

void new_thread(void *stack, jmp_buf *buf, void (*handler)(void)) {
    start_at(buf, stack, handler);
}

void switch_threads(jmp_buf *me, jmp_buf *you) {
    if (switches_counted) {
        count_switch();
    }
    if (UML_SETJMP(me) == 0) {
        UML_LONGJMP(you, 1);
    }
}

/* Returns when Linux has ended: 1 if it is to start again. */
int start_idle_thread(void *stack, jmp_buf *switch_buf) {
    switch (setjmp(initial)) {
    case BEGIN:
        start_at(switch_buf, stack, uml_finishsetup);
        break;
    case CALL_BACK:
        callback.function(callback.arg);
        longjmp(*callback.from, 1);
        break;
    case HALT:
        return 0;
    default:
        return 1;
    }
    longjmp(*switch_buf, 1);
    return 0;
}

void initial_thread_cb_skas(void (*function)(void *), void *arg) {
    jmp_buf here;

    callback.function = function;
    callback.arg = arg;
    callback.from = &here;
    block_signals();
    if (UML_SETJMP(&here) == 0) {
        UML_LONGJMP(&initial, CALL_BACK);
    }
    unblock_signals();
}

void halt_skas(void) {
    block_signals();
    UML_LONGJMP(&initial, HALT);
}

void reboot_skas(void) {
    block_signals();
    UML_LONGJMP(&initial, REBOOT);
}

unsigned long get_thread_reg(int reg, jmp_buf *buf) {
    switch (reg) {
    case HOST_IP:
        return (*buf)[0].JB_IP;
    case HOST_SP:
        return (*buf)[0].JB_SP;
    case HOST_BP:
        return (*buf)[0].__ebp;
    default:
        return 0;
    }
}

void init_new_thread_signals(void) {
}

void set_sigstack(void *stack, int size) {
}

int os_is_signal_stack(void) {
    return 0;
}
