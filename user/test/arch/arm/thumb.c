/* SPDX-License-Identifier: Apache-2.0 */
/* Thumb state, where the processor has it: nobody gets another thread's state, and faults are told
 * rightly. */
#include "../../test.h"

#define CODE   0x00040000u
#define TARGET 0x00050000u

_Noreturn void thumb_count(volatile L4_Word_t *counter);
void thumb_call(L4_Word_t to);

static bool has_thumb(void) {
    if (test_board()->thumb) {
        return true;
    }
    test_skip("the processor has no Thumb state");
    return false;
}

static volatile L4_Word_t in_thumb, in_arm;

static void count_in_thumb(void) {
    thumb_count(&in_thumb);
}

static void count_and_yield(void) {
    for (;;) {
        in_arm++;
        L4_Yield();
    }
}

static volatile L4_ThreadId_t thumb_thread;

static void count_and_switch(void) {
    for (;;) {
        in_arm++;
        L4_ThreadSwitch(thumb_thread);
    }
}

/* Preempted, and switched to by ThreadSwitch: each goes on in its own state. */
static void preempted(void) {
    if (!has_thumb()) {
        return;
    }
    static void (*const others[2])(void) = {count_and_yield, count_and_switch};
    for (unsigned i = 0; i < 2; i++) {
        in_thumb = in_arm = 0;
        thumb_thread = worker_start(count_in_thumb, TEST_PRIORITY - 1);
        L4_ThreadId_t other = worker_start(others[i], TEST_PRIORITY - 1);
        for (unsigned round = 0; round < 3; round++) {
            L4_Word_t thumb = in_thumb, arm = in_arm;
            L4_Sleep(L4_TimePeriod(25000));
            CHECK(in_thumb != thumb && in_arm != arm);
        }
        worker_delete(thumb_thread);
        worker_delete(other);
    }
}

static volatile L4_Word_t returned;

static void call_from_thumb(void) {
    for (;;) {
        thumb_call(L4_Pager().raw);
        returned++;
    }
}

/* A message from Thumb state finds us in ARM state, as we were. */
static void ipc(void) {
    if (!has_thumb()) {
        return;
    }
    returned = 0;
    L4_ThreadId_t id = worker_start(call_from_thumb, TEST_PRIORITY - 1);
    for (L4_Word_t i = 0; i < 5; i++) {
        L4_MsgTag_t tag = L4_Receive(id); /* without timeout: the short way */
        EQUAL(tag.raw, 0);
        EQUAL(returned, i);
        L4_Set_MsgTag(L4_Niltag);
        EQUAL(error_of(L4_Send_Timeout(id, PATIENCE)), 0);
    }
    /* One that was preempted in Thumb state and then calls: it goes on in ARM state when its call
     * is cancelled. */
    (void)L4_Receive(id);
    (void)L4_ExregsControl(id, L4_EXREGS_RECV_CANCEL, 0, 0);
    EQUAL(error_of(L4_Receive_Timeout(id, PATIENCE)), 0);
    EQUAL(returned, 6);
}

/* Reads and writes are told apart by Thumb's instructions, too. */
static void faults(void) {
    static const struct {
        L4_Word_t instruction, access;
    } cases[] = {
        {0x6000, L4_Writable}, /* str r0, [r0] */
        {0x6800, L4_Readable}, /* ldr r0, [r0] */
        {0x7000, L4_Writable}, /* strb */
        {0x7800, L4_Readable}, /* ldrb */
        {0x8000, L4_Writable}, /* strh */
        {0x8800, L4_Readable}, /* ldrh */
        {0xc002, L4_Writable}, /* stmia r0!, {r1} */
        {0xc802, L4_Readable}, /* ldmia r0!, {r1} */
    };
    NEEDS_PROTECTION;
    if (!has_thumb()) {
        return;
    }
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct task *child = child_new();
        CHECK(child != NULL);
        L4_Word_t *code = (L4_Word_t *)(void *)task_add_page(child, CODE, NULL, L4_FullyAccessible);
        CHECK(code != NULL);
        code[0] = 0xe28f0001u;                          /* add r0, pc, #1 */
        code[1] = 0xe12fff10u;                          /* bx r0 */
        code[2] = 0x4801u | cases[i].instruction << 16; /* ldr r0, target */
        code[3] = 0x46c04770u;                          /* bx lr; nop */
        code[4] = TARGET;
        struct outcome o = child_do(child, CHILD_EXECUTE, CODE, 0, 0, 0);
        EQUAL(o.kind, OUTCOME_FAULT);
        EQUAL(o.words[0], TARGET);
        EQUAL(o.words[1], CODE + 10);
        FAIL_IF(o.access != cases[i].access, "access", cases[i].instruction, o.access);
        CHECK(child_forgive(child, &o));
        child_delete(child);
    }
}

const struct test thumb_tests[] = {
    {"thumb_preempted", preempted},
    {"thumb_ipc", ipc},
    {"thumb_faults", faults},
    {NULL, NULL},
};
