/* SPDX-License-Identifier: Apache-2.0 */
/* One address space (scheme `single-space`) and RISC-V's fences: what only a fence makes true. */
#include "../../test.h"

#define ROUNDS 4u

static bool is_one_space(void) {
    if (task_protected()) {
        test_skip("this scheme keeps spaces apart");
    }
    return !task_protected();
}

/* Nobody's addresses: who jumps there faults, and the fault says to which. */
#define NOWHERE    (MACHINE_APART_BASE + TASK_APART * MACHINE_APART_STEP)
#define AREAS      (NOWHERE + ROUNDS * FRAME_SIZE)
#define AREAS_LOG2 15u

/* A program's whole code: lui t0, NOWHERE + round pages; jr t0. */
static void put_jump(volatile L4_Word32_t *at, L4_Word_t round) {
    at[0] = (L4_Word32_t)(NOWHERE + round * FRAME_SIZE) | 0x2b7;
    at[1] = 0x00028067;
}

/* A space is new with its thread, whose first instruction is already the new code: nothing of a
 * KIP, and so no page that is fetched from for the first time, comes before it. */
static void first_instruction(void) {
    if (!is_one_space()) {
        return;
    }
    L4_Word32_t *frame = frame_alloc();
    for (L4_Word_t round = 0; round < ROUNDS; round++) {
        put_jump(frame, round);
        L4_ThreadId_t id = new_thread_id(), me = L4_MyGlobalId();
        void *no_utcb = (void *)~(uintptr_t)0;
        L4_Word_t utcbs = AREAS + (1u << AREAS_LOG2), old;
        CHECK(L4_ThreadControl(id, id, me, L4_nilthread, no_utcb) == 1);
        CHECK(L4_SpaceControl(id, 0, L4_FpageLog2(AREAS, FRAME_LOG2),
                              L4_FpageLog2(utcbs, AREAS_LOG2), L4_nilthread, &old) == 1);
        CHECK(L4_ThreadControl(id, id, me, me, (void *)(uintptr_t)utcbs) == 1);
        L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
        L4_LoadMR(1, (L4_Word_t)(uintptr_t)frame);
        L4_LoadMR(2, 0);
        CHECK(L4_IpcSucceeded(L4_Send_Timeout(id, PATIENCE)));
        L4_Word_t address;
        EQUAL(receive_word(id, &address), 0);
        CHECK(L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, no_utcb) == 1);
        EQUAL(address, NOWHERE + round * FRAME_SIZE);
    }
    frame_free(frame);
}

const struct test one_space_tests[] = {
    {"one_space_first_instruction", first_instruction},
    {NULL, NULL},
};
