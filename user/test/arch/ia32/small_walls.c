/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments are the only wall between small spaces, so they are attacked here with each thing that a
 * program can do to them.
 */
#include "small_child.h"

#define PROTECTION 13u
#define DATA       0x23 /* the selector of programs' data */

/* Selectors that are not a program's: none can be loaded, by none of the ways. There is no local
 * table, not at address 0 either, where it is when the processor starts. */
static void selectors(void) {
    NEEDS_PROTECTION;
    static const uint8_t others[] = {0x08, 0x10, 0x0b, 0x13, 0x28, 0x2b,
                                     0x38, 0x3b, 0x07, 0x27, 0x7b};
    for (unsigned i = 0; i < sizeof others; i++) {
        for (unsigned way = 0; way < 8; way++) {
            uint8_t s = others[i];
            struct task *child = child_new();
            CHECK(child != NULL);
            L4_Word_t number = number_of(child);
            EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind,
                  OUTCOME_DONE);
            L4_Word_t *table = (void *)filled_page(child, 0, 0);
            for (unsigned k = 0; table != NULL && k < 8; k++) {
                table[k * 2] = 0x0000ffff; /* data of all linear addresses, for level 3 */
                table[k * 2 + 1] = 0x00cff300;
            }
            EQUAL(child_read(child, 0), 0x0000ffff);
            struct outcome o;
            switch (way) {
            case 0: /* movl $s, %eax; movl %eax, %ds */
                o = EXECUTE(child, 0xb8, s, 0, 0, 0, 0x8e, 0xd8);
                break;
            case 1: /* %fs, %gs, %es, %ss */
                o = EXECUTE(child, 0xb8, s, 0, 0, 0, 0x8e, 0xe0);
                break;
            case 2:
                o = EXECUTE(child, 0xb8, s, 0, 0, 0, 0x8e, 0xe8);
                break;
            case 3:
                o = EXECUTE(child, 0xb8, s, 0, 0, 0, 0x8e, 0xd0);
                break;
            case 4: /* pushl $s; popl %es */
                o = EXECUTE(child, 0x6a, s, 0x07);
                break;
            case 5: /* pushl $s; pushl $0; ldsl (%esp), %eax */
                o = EXECUTE(child, 0x6a, s, 0x6a, 0, 0xc5, 0x04, 0x24);
                break;
            case 6: /* lcall $s, $0: a gate, a code segment, the task's state */
                o = EXECUTE(child, 0x9a, 0, 0, 0, 0, s, 0);
                break;
            default: /* pushl $s; pushl $0; lret */
                o = EXECUTE(child, 0x6a, s, 0x6a, 0, 0xcb);
                break;
            }
            EQUAL(o.kind, OUTCOME_EXCEPTION);
            EQUAL(o.words[2], PROTECTION);
            EQUAL(o.words[3], s & ~3u);
            EQUAL(number_of(child), number);
            child_delete(child);
        }
    }
}

/* IRET within level 3 does what it says; to other levels, or beyond the limit, it reaches nothing.
 */
static void iret_frames(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    CHECK(child != NULL);
    /* pushfl; pushl $0x1b; call 1f; movl $5, %eax; ret; 1: iret (its frame: EIP, CS, EFLAGS) */
    struct outcome o =
        EXECUTE(child, 0x9c, 0x6a, 0x1b, 0xe8, 6, 0, 0, 0, 0xb8, 5, 0, 0, 0, 0xc3, 0xcf);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 5);
    CHECK(number_of(child) != 0);
    o = EXECUTE(child, 0x9c, 0x6a, 0x08, 0x6a, 0, 0xcf); /* to level 0 */
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[2], PROTECTION);
    child_delete(child);
    child = child_small();
    CHECK(child != NULL);
    uint8_t *frame = filled_page(child, least_limit(), 1);
    CHECK(frame != NULL);
    put_function(frame, 79);
    /* pushfl; pushl $0x1b; pushl $least_limit(); iret: then RET, to who has called us */
    o = EXECUTE(child, 0x9c, 0x6a, 0x1b, 0x68, WORD(least_limit()), 0xcf);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 79);
    EQUAL(number_of(child), 0);
}

/*
 * Another's memory by a segment register that it left behind: one small child loads FS, GS, ES and
 * DS with its own data and enters the kernel by each of the doors; the next one, reached by the
 * short path or not, reads through each.
 */
static void left_behind(bool by_message) {
    NEEDS_SMALL_SPACES;
    L4_Word_t me = L4_MyGlobalId().raw;
    for (unsigned prefix = 0; prefix < 6; prefix++) {
        static const uint8_t prefixes[] = {0x64, 0x65, 0x26,
                                           0x3e, 0x36, 0x2e}; /* FS GS ES DS SS CS */
        struct task *victim = child_small();
        struct task *reader = child_small();
        CHECK(victim != NULL && reader != NULL);
        CHECK(filled_page(victim, INSIDE, 0x77) != NULL &&
              filled_page(reader, INSIDE, 0x11) != NULL);
        CHECK(child_holds(victim, INSIDE, 64, 0x77) && child_holds(reader, INSIDE, 64, 0x11));
        /* What the kernel may look for at FS:0 and GS:0, as far as one can guess it. */
        L4_Word_t *zero = (void *)filled_page(victim, 0, 1);
        CHECK(zero != NULL);
        zero[0] = prefix % 2 == 0 ? TASK_UTCBS : ~TASK_UTCBS;
        EQUAL(child_read(victim, 0), zero[0]);
        uint8_t *code = task_add_page(reader, CODE, NULL, L4_FullyAccessible);
        CHECK(code != NULL);
        const uint8_t read[] = {prefixes[prefix], 0xa1, WORD(INSIDE),
                                0xc3}; /* movl %?s:INSIDE, %eax */
        memcpy(code, read, sizeof read);
        CHECK(child_do(reader, CHILD_READ, CODE, 0, 0, 0).kind == OUTCOME_DONE);
        uint8_t *loads = task_add_page(victim, CODE, NULL, L4_FullyAccessible);
        CHECK(loads != NULL);
        const uint8_t leave[] = {0xb8,
                                 DATA,
                                 0,
                                 0,
                                 0,
                                 0x8e,
                                 0xe0,
                                 0x8e,
                                 0xe8,
                                 0x8e,
                                 0xc0, /* all to its own data */
                                 0xb8,
                                 WORD(me),
                                 0x89,
                                 0xc2, /* to and from us */
                                 0xbe,
                                 0,
                                 0,
                                 CHILD_LABEL & 0xff,
                                 CHILD_LABEL >> 8, /* the tag */
                                 0x31,
                                 0xc9,
                                 0x31,
                                 0xdb,
                                 0x89,
                                 0xe5,
                                 0x0f,
                                 0x34}; /* sysenter */
        const uint8_t spin[] = {0xb8, DATA, 0,    0,    0,    0x8e, 0xe0,
                                0x8e, 0xe8, 0x8e, 0xc0, 0xeb, 0xfe};
        memcpy(loads, by_message ? leave : spin, by_message ? sizeof leave : sizeof spin);
        const L4_Word_t at[1] = {CODE};
        CHECK(child_send(victim, CHILD_EXECUTE, 1, at));
        L4_MsgTag_t tag = by_message ? L4_Receive(victim->id)
                                     : L4_Receive_Timeout(victim->id, L4_TimePeriod(3000));
        while (L4_IpcSucceeded(tag) && (L4_Label(tag) & L4_LABEL(-1)) == L4_LABEL_PAGEFAULT) {
            L4_Word_t address;
            L4_StoreMR(1, &address);
            CHECK(task_fault(victim, tag, address));
            EQUAL(error_of(L4_Send_Timeout(victim->id, PATIENCE)), 0);
            tag = by_message ? L4_Receive(victim->id)
                             : L4_Receive_Timeout(victim->id, L4_TimePeriod(3000));
        }
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
        L4_LoadMR(1, CHILD_EXECUTE);
        L4_LoadMR(2, CODE);
        tag = L4_Call(reader->id);
        L4_Word_t got;
        L4_StoreMR(1, &got);
        if (prefix < 2) { /* FS and GS are short */
            EQUAL(L4_Label(tag), L4_LABEL_EXCEPTION);
        } else {
            EQUAL(L4_Label(tag), CHILD_LABEL);
            EQUAL(got, CHILD_PATTERN(0x11, 0));
        }
        child_delete(victim);
        child_delete(reader);
    }
}

static void left_by_message(void) {
    left_behind(true);
}

static void left_by_preemption(void) {
    left_behind(false);
}

/* No way out of the kernel leaves a segment that reaches linear memory, where our own code is: not
 * CS, not SS, which SYSEXIT makes flat. */
static void not_flat(void) {
    NEEDS_SMALL_SPACES;
    static const uint8_t prefixes[] = {0x64, 0x65, 0x26, 0x3e, 0x36, 0x2e};
    L4_Word_t ours = L4_GetKernelInterface()->root_server.low;
    for (unsigned prefix = 0; prefix < 6; prefix++) {
        for (unsigned door = 0; door < 3; door++) {
            struct task *child = child_small();
            CHECK(child != NULL);
            struct outcome o;
            if (door == 0) { /* after SYSENTER, the short way */
                uint8_t *code = task_add_page(child, CODE, NULL, L4_FullyAccessible);
                CHECK(code != NULL);
                const uint8_t read[] = {prefixes[prefix], 0xa1, WORD(ours), 0xc3};
                memcpy(code, read, sizeof read);
                CHECK(child_do(child, CHILD_READ, CODE, 0, 0, 0).kind == OUTCOME_DONE);
                L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
                L4_LoadMR(1, CHILD_EXECUTE);
                L4_LoadMR(2, CODE);
                L4_MsgTag_t tag = L4_Call(child->id);
                CHECK(L4_Label(tag) != CHILD_LABEL);
                L4_StoreMRs(1, 2, o.words);
                o.kind = L4_Label(tag) == L4_LABEL_EXCEPTION ? OUTCOME_EXCEPTION : OUTCOME_FAULT;
            } else if (door == 1) { /* after INT: xorl %eax, %eax; int $0x42 */
                o = EXECUTE(child, 0x31, 0xc0, 0xcd, 0x42, prefixes[prefix], 0xa1, WORD(ours));
            } else { /* after the page fault on the code itself */
                o = EXECUTE(child, prefixes[prefix], 0xa1, WORD(ours));
            }
            EQUAL(o.kind, prefix < 2 ? OUTCOME_EXCEPTION : OUTCOME_FAULT);
            if (prefix >= 2) {
                EQUAL(o.words[0], ours);
            }
            child_delete(child);
        }
    }
}

/* A large space does not see the small ones, whichever directory is in force, with entries of whom.
 */
static void large_sees_none(void) {
    NEEDS_SMALL_SPACES;
    struct task *victim = child_small();
    struct task *large = child_new();
    CHECK(victim != NULL && large != NULL && set_number(large, L4_LargeSpace));
    CHECK(filled_page(victim, INSIDE, 1) != NULL && child_holds(victim, INSIDE, 64, 1));
    L4_Word_t at = area_start() + number_of(victim) / 2 * least_limit() + INSIDE;
    const struct child_ipc call = {
        .to = victim->id.raw,
        .from = victim->id.raw,
        .timeouts = L4_Timeouts(PATIENCE, PATIENCE),
        .num_buffers = 1,
        .num_words = 3,
        .words = {L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw, CHILD_READ, INSIDE}};
    for (unsigned i = 0; i < 4; i++) {
        CHECK(child_ipc(large, &call)); /* the victim runs under its directory */
        EQUAL(child_wait(large).words[5], CHILD_PATTERN(1, 0));
        struct outcome o = child_do(large, i % 2 != 0 ? CHILD_WRITE : CHILD_READ, at, 0, 0, 0);
        EQUAL(o.kind, OUTCOME_FAULT);
        EQUAL(o.words[0], at);
        if (i < 3) {
            child_delete(large);
            large = child_new();
            CHECK(large != NULL && set_number(large, L4_LargeSpace));
        }
    }
    CHECK(child_holds(victim, INSIDE, 64, 1));
}

const struct test small_wall_tests[] = {
    {"small_selectors", selectors},
    {"small_iret_frames", iret_frames},
    {"small_left_by_message", left_by_message},
    {"small_left_by_preemption", left_by_preemption},
    {"small_not_flat", not_flat},
    {"small_large_sees_none", large_sees_none},
    {NULL, NULL},
};
