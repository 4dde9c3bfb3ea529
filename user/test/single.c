/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One address space for all programs (scheme `single-space`): what it promises instead of
 * protection, and what of its own can go wrong.
 */
#include "test.h"

#define FEW 6u

static bool is_single(void) {
    if (task_protected()) {
        test_skip("this scheme keeps spaces apart");
    }
    return !task_protected();
}

/* A switch flushes nothing, and nobody faults. */
static void nothing_flushed(void) {
    struct task *child[FEW];
    if (!is_single()) {
        return;
    }
    for (unsigned i = 0; i < FEW; i++) {
        child[i] = child_new();
        CHECK(child[i] != NULL);
    }
    L4_Word_t flushes = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES);
    L4_Word_t tlbs = L4_KDB_Statistic(L4_STAT_TLB_FLUSHES);
    for (unsigned step = 0; step < 200; step++) {
        L4_Word_t r = random_word();
        L4_Word_t words[60];
        for (unsigned w = 0; w < 60; w++) {
            words[w] = r + w * 0x01000193u;
        }
        CHECK(child_send(child[r % FEW], CHILD_ECHO, 60, words));
        struct outcome o = child_wait(child[r % FEW]);
        EQUAL(o.kind, OUTCOME_DONE);
        for (unsigned w = 0; w < 60; w++) {
            EQUAL(o.words[w + 1], words[w]);
        }
    }
    EQUAL(L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES), flushes);
    EQUAL(L4_KDB_Statistic(L4_STAT_TLB_FLUSHES), tlbs);
}

/* Everybody sees the same memory at the same address, at once, and nobody is asked. */
static void one_memory(void) {
    if (!is_single()) {
        return;
    }
    struct task *one = child_new();
    struct task *other = child_new();
    CHECK(one != NULL && other != NULL);
    volatile L4_Word32_t *frame = frame_alloc();
    L4_Word_t va = (L4_Word_t)(uintptr_t)frame;
    for (L4_Word_t round = 0; round < 8; round++) {
        frame[0] = (L4_Word32_t)round;
        EQUAL(child_read(one, va), round);
        CHECK(child_write(other, va, round + 100));
        EQUAL(child_read(one, va), round + 100);
        EQUAL(frame[0], round + 100);
    }
    frame_free((void *)(uintptr_t)va);
}

/* Strings go from anywhere to anywhere, though no page is on the kernel's books. */
static void strings(void) {
    if (!is_single()) {
        return;
    }
    struct task *child = child_new();
    uint8_t *source = frames_alloc(2);
    uint8_t *target = frames_alloc(2);
    CHECK(child != NULL && source != NULL && target != NULL);
    for (L4_Word_t size = 1; size < 5000; size = size * 3 + 1) {
        for (L4_Word_t i = 0; i < size; i++) {
            source[i + 3] = (uint8_t)(i * 7 + size);
        }
        const struct child_ipc receive = {
            .from = L4_MyGlobalId().raw,
            .timeouts = L4_Timeouts(L4_Never, PATIENCE),
            .num_buffers = 3,
            .buffers = {1, size << 10, (L4_Word_t)(uintptr_t)target + 1}};
        L4_Msg_t msg;
        CHECK(child_ipc(child, &receive));
        L4_MsgClear(&msg);
        L4_MsgAppendSimpleStringItem(&msg, L4_StringItem(size, source + 3));
        L4_MsgLoad(&msg);
        EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
        struct outcome o = child_wait(child);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0);
        for (L4_Word_t i = 0; i < size; i++) {
            EQUAL(target[i + 1], (uint8_t)(i * 7 + size));
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        frame_free(source + i * FRAME_SIZE);
        frame_free(target + i * FRAME_SIZE);
    }
}

/* Programs that are linked at one address have been moved apart, their data with them. */
static void programs_apart(void) {
    if (!is_single()) {
        return;
    }
    struct task *child[FEW];
    for (unsigned i = 0; i < FEW; i++) {
        child[i] = child_new();
        CHECK(child[i] != NULL && child[i]->moved != 0);
        for (unsigned k = 0; k < i; k++) {
            CHECK(child[k]->moved != child[i]->moved && child[k]->utcbs != child[i]->utcbs);
        }
    }
    for (unsigned i = 0; i < FEW; i++) { /* each knows itself */
        struct outcome o = child_do(child[i], CHILD_IDENTITY, 0, 0, 0, 0);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], child[i]->id.raw);
        EQUAL(o.words[1], child[i]->utcbs);
    }
}

/* Code that was written as data, where other code was before: a program that is made after that
 * runs what is there now. Nothing else flushes in between. */
static void new_program_new_code(void) {
    if (!is_single()) {
        return;
    }
    volatile L4_Word32_t *frame = frame_alloc();
    L4_Word_t va = (L4_Word_t)(uintptr_t)frame;
    for (L4_Word_t round = 0; round < FEW; round++) {
        put_function((void *)(uintptr_t)va, round);
        struct task *child = child_new();
        CHECK(child != NULL);
        EQUAL(child_execute(child, va), round);
    }
    frame_free((void *)(uintptr_t)va);
}

/* Pitfall 9 again: a dead space's UTCB, dirty in the cache, is written over another's. */
static void utcb_of_the_dead(void) {
    if (!is_single()) {
        return;
    }
    const volatile uint8_t *block = frames_block();
    for (unsigned round = 0; round < 4; round++) {
        struct task *child = child_new();
        L4_Word_t words[60];
        CHECK(child != NULL);
        memset(words, 0x5a, sizeof words);
        CHECK(child_send(child, CHILD_ECHO, 60, words)); /* it writes all its registers */
        EQUAL(child_wait(child).kind, OUTCOME_DONE);
        child_delete(child);
        child = child_new();
        CHECK(child != NULL);
        for (L4_Word_t at = 0; at < FRAMES_BLOCK_SIZE; at += 32) {
            (void)block[at];
        }
        EQUAL(child_read(child, child->utcbs + L4_UTCB_MR + 50 * 4), 0);
        child_delete(child);
    }
}

#define ROOMY (MACHINE_APART_BASE + TASK_APART * MACHINE_APART_STEP) /* a megabyte of nobody's */
#define ROOMY_LOG2 15u

/* A dead UTCB without a new space: the frame becomes one of a space's that there is already. */
static void utcb_of_the_dead_reused(void) {
    if (!is_single()) {
        return;
    }
    const volatile uint8_t *block = frames_block();
    L4_ThreadId_t space = new_thread_id(), me = L4_MyGlobalId();
    void *no_utcb = (void *)~(uintptr_t)0;
    L4_Word_t old, wrong = 0;
    CHECK(L4_ThreadControl(space, space, me, L4_nilthread, no_utcb) == 1);
    CHECK(L4_SpaceControl(space, 0, L4_FpageLog2(ROOMY, FRAME_LOG2),
                          L4_FpageLog2(ROOMY + (1u << ROOMY_LOG2), ROOMY_LOG2), L4_nilthread,
                          &old) == 1);
    L4_ThreadId_t thread[7];
    for (L4_Word_t page = 0; page < 7; page++) {
        struct task *child = child_new();
        L4_Word_t words[60];
        CHECK(child != NULL);
        memset(words, 0x5a, sizeof words);
        CHECK(child_send(child, CHILD_ECHO, 60, words));
        EQUAL(child_wait(child).kind, OUTCOME_DONE);
        child_delete(child);
        L4_Word_t utcb = ROOMY + (1u << ROOMY_LOG2) + page * FRAME_SIZE;
        thread[page] = new_thread_id();
        CHECK(L4_ThreadControl(thread[page], space, me, me,
                               (void *)(uintptr_t)(utcb + L4_UTCB_SIZE)) == 1);
        for (L4_Word_t at = 0; at < FRAMES_BLOCK_SIZE; at += 32) {
            (void)block[at];
        }
        for (L4_Word_t at = 0; at < L4_UTCB_SIZE; at += sizeof at) {
            wrong += *(volatile L4_Word_t *)(uintptr_t)(utcb + at) != 0;
        }
    }
    for (L4_Word_t page = 0; page < 7; page++) {
        CHECK(L4_ThreadControl(thread[page], L4_nilthread, L4_nilthread, L4_nilthread, no_utcb));
    }
    CHECK(L4_ThreadControl(space, L4_nilthread, L4_nilthread, L4_nilthread, no_utcb));
    EQUAL(wrong, 0);
}

/* The areas of a space that has ended are nobody's: an access faults. */
static void areas_of_the_dead(void) {
    if (!is_single()) {
        return;
    }
    struct task *dead = child_new();
    struct task *other = child_new();
    CHECK(dead != NULL && other != NULL);
    L4_Word_t kip = child_kip(dead);
    EQUAL(child_read(other, kip), L4_KIP_MAGIC);
    child_delete(dead);
    struct outcome o = child_do(other, CHILD_READ, kip, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_FAULT);
    EQUAL(o.words[0], kip);
}

const struct test single_tests[] = {
    {"single_nothing_flushed", nothing_flushed},
    {"single_one_memory", one_memory},
    {"single_strings", strings},
    {"single_programs_apart", programs_apart},
    {"single_new_program_new_code", new_program_new_code},
    {"single_utcb_of_the_dead", utcb_of_the_dead},
    {"single_utcb_of_the_dead_reused", utcb_of_the_dead_reused},
    {"single_areas_of_the_dead", areas_of_the_dead},
    {NULL, NULL},
};
