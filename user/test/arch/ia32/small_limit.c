/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of a small space: what lies beyond it, and how a space becomes large. */
#include "small_child.h"

#define PROTECTION 13u

/* The access succeeds, in a space that is large then, as if there had been no limit. */
static void promoted(unsigned operation) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    struct task *other = child_small();
    CHECK(child != NULL && other != NULL);
    uint8_t *frame = filled_page(child, least_limit(), 5);
    CHECK(frame != NULL && filled_page(child, INSIDE, 6) != NULL &&
          filled_page(other, INSIDE, 7) != NULL);
    CHECK(child_holds(child, INSIDE, 64, 6) && child_holds(other, INSIDE, 64, 7));
    if (operation == CHILD_READ) {
        EQUAL(child_read(child, least_limit()), CHILD_PATTERN(5, 0));
    } else if (operation == CHILD_WRITE) {
        CHECK(child_write(child, least_limit(), 0x1234));
        EQUAL(((L4_Word_t *)(void *)frame)[0], 0x1234);
    } else {
        put_function(frame, 77);
        EQUAL(child_execute(child, least_limit()), 77);
    }
    EQUAL(number_of(child), 0);
    CHECK(number_of(other) != 0);
    CHECK(child_holds(child, INSIDE, 64, 6) && child_holds(other, INSIDE, 64, 7));
}

static void limit_read(void) {
    promoted(CHILD_READ);
}

static void limit_write(void) {
    promoted(CHILD_WRITE);
}

static void limit_execute(void) {
    promoted(CHILD_EXECUTE);
}

/* What is not there is a page fault with its address, below the limit and above, and only above it
 * the space becomes large. */
static void limit_faults(void) {
    NEEDS_SMALL_SPACES;
    const L4_Word_t above[] = {
        least_limit(), least_limit() + 0x1000, 2 * least_limit(),    0x40000000,
        0x80000000,    area_start() - 4,       area_start() + 0x1000};
    for (unsigned i = 0; i < sizeof above / sizeof above[0]; i++) {
        struct task *child = child_small();
        CHECK(child != NULL);
        CHECK(child_denied(child, CHILD_READ, least_limit() - 4, L4_Readable));
        CHECK(child_denied(child, CHILD_WRITE, least_limit() - 0x1000, L4_Writable));
        CHECK(number_of(child) != 0);
        struct outcome o =
            child_do(child, i % 2 != 0 ? CHILD_WRITE : CHILD_READ, above[i], 0, 0, 0);
        EQUAL(o.kind, OUTCOME_FAULT);
        EQUAL(o.words[0], above[i]);
        EQUAL(o.access, i % 2 != 0 ? L4_Writable : L4_Readable);
        EQUAL(number_of(child), 0);
        child_delete(child);
    }
}

/* Instructions whose operand crosses the limit, or that get there step by step. */
static void limit_crossed(void) {
    NEEDS_SMALL_SPACES;
    for (unsigned kind = 0; kind < 6; kind++) {
        struct task *child = child_small();
        CHECK(child != NULL);
        uint8_t *below = filled_page(child, least_limit() - FRAME_SIZE, 1);
        uint8_t *above = filled_page(child, least_limit(), 2);
        CHECK(below != NULL && above != NULL);
        struct outcome o;
        switch (kind) {
        case 0: /* movl least_limit() - 2, %eax */
            o = EXECUTE(child, 0xa1, WORD(least_limit() - 2));
            EQUAL(o.words[0], CHILD_PATTERN(1, 1023) >> 16 | CHILD_PATTERN(2, 0) << 16);
            break;
        case 1: /* movl $least_limit() - 64, %edi; movl $32, %ecx; movl $INSIDE's value, %eax; rep
                   stosl */
            o = EXECUTE(child, 0xbf, WORD(least_limit() - 64), 0xb9, WORD(32), 0xb8,
                        WORD(0x5a5a5a5au), 0xf3, 0xab);
            EQUAL(((L4_Word_t *)(void *)below)[1023], 0x5a5a5a5au);
            EQUAL(((L4_Word_t *)(void *)above)[15], 0x5a5a5a5au);
            EQUAL(((L4_Word_t *)(void *)above)[16], CHILD_PATTERN(2, 16));
            break;
        case 2: /* std; movl $least_limit() + 60, %edi; movl $32, %ecx; ... rep stosl; cld */
            o = EXECUTE(child, 0xfd, 0xbf, WORD(least_limit() + 60), 0xb9, WORD(32), 0xb8,
                        WORD(0x5a5a5a5au), 0xf3, 0xab, 0xfc);
            EQUAL(((L4_Word_t *)(void *)below)[1008], 0x5a5a5a5au);
            EQUAL(((L4_Word_t *)(void *)above)[15], 0x5a5a5a5au);
            break;
        case 3: /* the same by MOVS: movl $least_limit() - 64, %esi; movl $least_limit() - 4096,
                 * %edi; ... rep movsl
                 */
            o = EXECUTE(child, 0xbe, WORD(least_limit() - 64), 0xbf, WORD(least_limit() - 4096),
                        0xb9, WORD(32), 0xf3, 0xa5);
            EQUAL(((L4_Word_t *)(void *)below)[15], CHILD_PATTERN(1, 1023));
            EQUAL(((L4_Word_t *)(void *)below)[31], CHILD_PATTERN(2, 15));
            break;
        case 4: /* the stack: movl %esp, %edx; movl $least_limit() + 8, %esp; pushl $7; movl %edx,
                   %esp */
            o = EXECUTE(child, 0x89, 0xe2, 0xbc, WORD(least_limit() + 8), 0x6a, 7, 0x89, 0xd4);
            EQUAL(((L4_Word_t *)(void *)above)[1], 7);
            break;
        default: /* code that runs over it */
            memset(below, 0x90, FRAME_SIZE);
            put_function(above, 78);
            o = child_do(child, CHILD_EXECUTE, least_limit() - 16, 0, 0, 0);
            EQUAL(o.words[0], 78);
            break;
        }
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(number_of(child), 0);
        child_delete(child);
    }
}

/* An operand that goes round at 4 GB does not come out at 0. */
static void limit_wraps(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    CHECK(child != NULL && filled_page(child, 0, 1) != NULL);
    struct outcome o = EXECUTE(child, 0xa1, WORD(0xfffffffeu)); /* movl 0xfffffffe, %eax */
    CHECK(o.kind != OUTCOME_DONE);
}

/* What programs may not execute is an exception, and says nothing of limits. */
static void limit_is_not_meant(void) {
    NEEDS_SMALL_SPACES;
    static const uint8_t instructions[][4] = {
        {0xfa, 0xc3},             /* cli */
        {0xf4, 0xc3},             /* hlt */
        {0xe4, 0x20, 0xc3},       /* in $0x20, %al: a port of the kernel's */
        {0x3e, 0xe4, 0x20, 0xc3}, /* the same, with a prefix */
        {0x0f, 0x20, 0xc0, 0xc3}, /* mov %cr0, %eax */
        {0x0f, 0x35, 0xc3},       /* sysexit */
        {0x0f, 0x01, 0x38, 0xc3}, /* invlpg (%eax) */
        {0xcd, 0x30, 0xc3},       /* int $0x30 */
        {0xcd, 0x0d, 0xc3},       /* int $13 */
    };
    for (unsigned i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        struct task *child = child_small();
        CHECK(child != NULL);
        struct outcome o = child_run_code(child, instructions[i], 4);
        EQUAL(o.kind, OUTCOME_EXCEPTION);
        EQUAL(o.words[2], PROTECTION);
        FAIL_IF(number_of(child) == 0, "it is small as before", i, 0);
        child_delete(child);
    }
}

/* An access by a null selector, or by the UTCB pointer's, is an exception under every scheme: no
 * limit of the scheme's was meant, so the space stays what it is, and the way back must not repair
 * it. */
static void limit_of_null(void) {
    if (!limits_are_checked()) {
        return;
    }
    static const uint8_t selectors[] = {0, 3, 0x33};
    static const uint8_t accesses[][10] = {
        /* %eax to DS or ES, and an access by it: movl INSIDE, %eax; movl %eax, INSIDE; */
        {0x8e, 0xd8, 0xa1, WORD(INSIDE), 0xc3},
        {0x8e, 0xd8, 0xa3, WORD(INSIDE), 0xc3},
        /* incl INSIDE; movzbl INSIDE, %eax; lock, with a prefix; */
        {0x8e, 0xd8, 0xff, 0x05, WORD(INSIDE), 0xc3},
        {0x8e, 0xd8, 0x0f, 0xb6, 0x05, WORD(INSIDE), 0xc3},
        {0x8e, 0xd8, 0xf0, 0xff, 0x05, WORD(INSIDE), 0xc3},
        /* movl %es:INSIDE, %eax; stosl; lodsl */
        {0x8e, 0xc0, 0x26, 0xa1, WORD(INSIDE), 0xc3},
        {0x8e, 0xc0, 0xbf, WORD(INSIDE), 0xab, 0xc3},
        {0x8e, 0xd8, 0xbe, WORD(INSIDE), 0xad, 0xc3},
    };
    for (unsigned i = 0; i < sizeof selectors; i++) {
        for (unsigned k = 0; k < sizeof accesses / sizeof accesses[0]; k++) {
            struct task *child = child_with_handler();
            CHECK(child != NULL);
            L4_Word_t number = number_of(child);
            uint8_t code[5 + sizeof accesses[0]] = {0xb8, selectors[i]}; /* movl $selector, %eax */
            memcpy(code + 5, accesses[k], sizeof accesses[k]);
            struct outcome o = child_run_code(child, code, sizeof code);
            FAIL_IF(o.kind != OUTCOME_EXCEPTION, "there is an exception", i, k);
            EQUAL(o.words[2], PROTECTION);
            EQUAL(o.words[3], 0);
            EQUAL(number_of(child), number);
            child_delete(child);
        }
    }
}

/* What goes beyond the limit by another register, or is no access to data, is about the limit all
 * the same. */
static void limit_beside_null(void) {
    NEEDS_SMALL_SPACES;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct task *child = child_small();
        CHECK(child != NULL);
        uint8_t *frame = filled_page(child, least_limit(), 5);
        CHECK(frame != NULL);
        struct outcome o;
        switch (kind) {
        case 0: /* DS is null: movl %es:least_limit(), %eax */
            o = EXECUTE(child, 0x31, 0xc0, 0x8e, 0xd8, 0x26, 0xa1, WORD(least_limit()));
            EQUAL(o.words[0], CHILD_PATTERN(5, 0));
            break;
        case 1: /* FS is null: movl least_limit(), %eax */
            o = EXECUTE(child, 0x31, 0xc0, 0x8e, 0xe0, 0xa1, WORD(least_limit()));
            EQUAL(o.words[0], CHILD_PATTERN(5, 0));
            break;
        default: /* DS and ES are null: movl $least_limit(), %eax; jmp *%eax */
            put_function(frame, 81);
            o = EXECUTE(child, 0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0, 0xb8, WORD(least_limit()), 0xff,
                        0xe0);
            EQUAL(o.words[0], 81);
            break;
        }
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(number_of(child), 0);
        child_delete(child);
    }
}

/* The kernel's own way to a program whose next instruction is beyond the limit, by IRET and from
 * the short path. */
static void limit_of_resumed(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    struct task *other = child_small();
    CHECK(child != NULL && other != NULL);
    uint8_t *frame = filled_page(child, least_limit(), 1);
    CHECK(frame != NULL);
    put_function(frame, 80);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, 1, 0).raw);
    L4_LoadMR(1, least_limit());
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    o = child_wait(child);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 80);
    EQUAL(number_of(child), 0);

    uint8_t *undefined = filled_page(other, least_limit(), 1);
    CHECK(undefined != NULL);
    undefined[0] = 0x0f;
    undefined[1] = 0x0b;
    CHECK(L4_ExregsControl(other->id, L4_EXREGS_IP, 0, least_limit()).raw != 0);
    L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
    L4_LoadMR(1, 0x1234);
    L4_LoadMR(2, 0x5678);
    L4_MsgTag_t tag = L4_Call(other->id);
    while ((L4_Label(tag) & L4_LABEL(-1)) == L4_LABEL_PAGEFAULT) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        CHECK(task_fault(other, tag, address));
        tag = L4_Call(other->id);
    }
    EQUAL(L4_Label(tag), L4_LABEL_EXCEPTION);
    L4_StoreMRs(1, L4_IA32_EXCEPTION_WORDS, o.words);
    EQUAL(o.words[0], least_limit());
    EQUAL(o.words[8], 0x1234); /* EBX and EBP: the message, as it arrived */
    EQUAL(o.words[6], 0x5678);
    EQUAL(number_of(other), 0);
}

/* Interrupts come while short messages go to and fro, most of them as the kernel is left: both
 * programs go on with what they had. */
static void interrupted(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    CHECK(child != NULL);
    L4_Word64_t end = L4_SystemClock().raw + 150000; /* ticks are 10 ms apart */
    for (L4_Word_t i = 0; i % 64 != 0 || L4_SystemClock().raw < end; i++) {
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
        L4_LoadMR(1, CHILD_ECHO);
        L4_LoadMR(2, i);
        L4_MsgTag_t tag = L4_Call(child->id);
        L4_Word_t words[2];
        L4_StoreMRs(1, 2, words);
        EQUAL(L4_Label(tag), CHILD_LABEL);
        EQUAL(words[0], CHILD_ECHO);
        EQUAL(words[1], i);
    }
    CHECK(number_of(child) != 0);
}

/* ---- the kernel on behalf of small spaces ---- */

/* Strings from below the limit to above it and back: the kernel copies them as if there were none,
 * and nobody becomes large for it. */
static void strings(void) {
    NEEDS_SMALL_SPACES;
    struct task *from = child_small();
    struct task *to = child_small();
    CHECK(from != NULL && to != NULL);
    for (unsigned i = 0; i < 2; i++) {
        L4_Word_t va = least_limit() - FRAME_SIZE + i * FRAME_SIZE;
        uint8_t *source = filled_page(from, va, 0x20 + i), *target = filled_page(to, va, 0x30 + i);
        CHECK(source != NULL && target != NULL);
        /* Mapped without an access of theirs. */
        L4_Msg_t msg;
        for (unsigned k = 0; k < 2; k++) {
            L4_Fpage_t f = L4_FpageLog2((L4_Word_t)(k == 0 ? source : target), FRAME_LOG2);
            L4_MsgClear(&msg);
            L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(f, L4_FullyAccessible), va));
            CHECK(child_map(k == 0 ? from : to, &msg));
        }
    }
    L4_Word_t me = L4_MyGlobalId().raw;
    struct child_ipc receive = {.from = from->id.raw,
                                .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                                .num_buffers = 3,
                                .buffers = {1, FRAME_SIZE << 10, least_limit() - FRAME_SIZE / 2}};
    struct child_ipc send = {.to = to->id.raw,
                             .timeouts = L4_Timeouts(PATIENCE, L4_Never),
                             .num_buffers = 1,
                             .buffers = {0},
                             .num_words = 3,
                             .words = {L4_MakeMsgTag(CHILD_LABEL, 0, 2).raw, FRAME_SIZE << 10,
                                       least_limit() - FRAME_SIZE / 2}};
    CHECK(me != 0 && child_ipc(to, &receive) && child_ipc(from, &send));
    struct outcome sent = child_wait(from), got = child_wait(to);
    EQUAL(sent.kind, OUTCOME_DONE);
    EQUAL(sent.words[0], 0);
    EQUAL(got.words[0], 0);
    CHECK(number_of(from) != 0 && number_of(to) != 0);
    EQUAL(child_read(to, least_limit() - FRAME_SIZE / 2), CHILD_PATTERN(0x20, 512));
    EQUAL(child_read(to, least_limit()), CHILD_PATTERN(0x21, 0));
    EQUAL(child_read(to, least_limit() + FRAME_SIZE / 2), CHILD_PATTERN(0x31, 512));
}

const struct test small_limit_tests[] = {
    {"small_limit_read", limit_read},
    {"small_limit_write", limit_write},
    {"small_limit_execute", limit_execute},
    {"small_limit_faults", limit_faults},
    {"small_limit_crossed", limit_crossed},
    {"small_limit_wraps", limit_wraps},
    {"small_limit_is_not_meant", limit_is_not_meant},
    {"small_limit_of_null", limit_of_null},
    {"small_limit_beside_null", limit_beside_null},
    {"small_limit_of_resumed", limit_of_resumed},
    {"small_interrupted", interrupted},
    {"small_strings", strings},
    {NULL, NULL},
};
