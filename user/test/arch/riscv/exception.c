/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions as messages: what RISC-V's say, and what an answer changes. */
#include "../../paged.h"

/* scause. */
#define CAUSE_ILLEGAL          2u
#define CAUSE_STORE_MISALIGNED 6u
#define CAUSE_ECALL            8u

/* Words of the message, from MR 1 on. */
enum { PC, SP, RA, CAUSE, VALUE, A0 };

static bool answer(struct task *child, const struct outcome *o, L4_Word_t words) {
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, words, 0).raw);
    L4_LoadMRs(1, words, o->words);
    TRY(error_of(L4_Send_Timeout(child->id, PATIENCE)) == 0);
    return true;
}

/* A child whose exceptions come to us. */
static struct task *handled(void) {
    struct task *child = child_new();
    return child != NULL && child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind ==
                                OUTCOME_DONE
               ? child
               : NULL;
}

static void undefined_instruction(void) {
    struct task *child = handled();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(L4_UntypedWords(o.tag), L4_RISCV_EXCEPTION_WORDS);
    EQUAL(o.words[CAUSE], CAUSE_ILLEGAL);
    EQUAL(o.words[A0], 0x77);
    o.words[PC] += 4;
    CHECK(answer(child, &o, L4_RISCV_EXCEPTION_WORDS));
    struct outcome after = child_wait(child);
    EQUAL(after.kind, OUTCOME_DONE);
    EQUAL(after.words[0], 0x77);
}

/* A handler can answer a system call that there is not: it sets a0. */
static void unknown_call(void) {
    struct task *child = handled();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_SWI, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[CAUSE], CAUSE_ECALL);
    EQUAL(o.words[A0], 0x77);
    o.words[PC] += 4;
    o.words[A0] = 0x99;
    CHECK(answer(child, &o, L4_RISCV_EXCEPTION_WORDS));
    struct outcome after = child_wait(child);
    EQUAL(after.kind, OUTCOME_DONE);
    EQUAL(after.words[0], 0x99);
}

const struct test exception_tests[] = {
    {"fault_undefined_instruction", undefined_instruction},
    {"fault_unknown_call", unknown_call},
    {NULL, NULL},
};
