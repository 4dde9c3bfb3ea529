/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small spaces: who gets which part of the area, what lies beyond a limit, what segments can be
 * made to reach, and what becomes of a part when it changes hands. Segments are the only wall
 * between small spaces, so they are attacked here with each thing that a program can do to them.
 */
#include "../../test.h"

#include <small_space.h>

#define CODE   0x00050000u
#define INSIDE 0x00060000u
#define LIMIT  0x00400000u /* of the smallest part */

#define PROTECTION 13u
#define DATA       0x23 /* selectors of programs: code, data, the UTCB pointer's */
#define UTCB_WORDS 0x33

static L4_Word_t control(const struct task *child, L4_Word_t word) {
    L4_Word_t old = 0;
    if (!L4_SpaceControl(child->id, word, L4_Nilpage, L4_Nilpage, L4_nilthread, &old)) {
        test_fail(__FILE_NAME__, __LINE__, "SpaceControl", L4_ErrorCode(), 0);
    }
    return old;
}

static L4_Word_t number_of(const struct task *child) {
    return control(child, 0) & L4_SMALL_SPACE_NUMBER;
}

static bool set_number(const struct task *child, L4_Word_t number) {
    return (control(child, L4_SMALL_SPACE_SET | number) & L4_SMALL_SPACE_DONE) != 0;
}

/* Is there a scheme that gives parts away by itself? Not where the processor (QEMU's) checks no
 * limits. */
static bool has_small_spaces(void) {
    struct task *child = child_new();
    bool has = child != NULL && number_of(child) != 0;
    if (!has) {
        test_skip("no small spaces, or no limits of segments");
    }
    child_delete(child);
    return has;
}
#define NEEDS_SMALL_SPACES                                                                         \
    do {                                                                                           \
        if (!has_small_spaces()) {                                                                 \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* A page of the child's at `va`, filled with words of this seed. */
static uint8_t *page(struct task *child, L4_Word_t va, L4_Word_t seed) {
    uint8_t *frame = task_add_page(child, va, NULL, L4_FullyAccessible);
    for (unsigned i = 0; frame != NULL && i < FRAME_SIZE / 4; i++) {
        ((L4_Word_t *)(void *)frame)[i] = CHILD_PATTERN(seed, i);
    }
    return frame;
}

/* Has the child execute code, which ends with RET and may use all registers but ESP and EBP. */
static struct outcome execute(struct task *child, const uint8_t *code, unsigned size) {
    struct task_page *old = task_page_at(child, CODE);
    uint8_t *frame =
        old != NULL ? old->frame : task_add_page(child, CODE, NULL, L4_FullyAccessible);
    static const uint8_t keep[] = {0x53, 0x56, 0x57, 0xe8, 4, 0, 0, 0, /* push, call 1f */
                                   0x5f, 0x5e, 0x5b, 0xc3};            /* pop, ret; 1: */
    memcpy(frame, keep, sizeof keep);
    memcpy(frame + sizeof keep, code, size);
    return child_do(child, CHILD_EXECUTE, CODE, 0, 0, 0);
}
#define EXECUTE(child, ...)                                                                        \
    execute(child, (const uint8_t[]){__VA_ARGS__, 0xc3},                                           \
            (unsigned)sizeof((const uint8_t[]){__VA_ARGS__, 0xc3}))
#define WORD(w) (w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24

/* A child with an exception handler, us, that is small. */
static struct task *child_small(void) {
    struct task *child = child_new();
    if (child == NULL || number_of(child) == 0 ||
        child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind != OUTCOME_DONE) {
        test_fail(__FILE_NAME__, __LINE__, "a small child", 0, 1);
        return NULL;
    }
    return child;
}

/* ---- parts ---- */

/* Each of many children has a part of its own, and they do not see each other. */
static void assigned(void) {
    NEEDS_SMALL_SPACES;
    enum { N = 12 };
    struct task *child[N];
    L4_Word_t numbers[N];
    for (unsigned i = 0; i < N; i++) {
        child[i] = child_small();
        CHECK(child[i] != NULL && page(child[i], INSIDE, i) != NULL);
        numbers[i] = number_of(child[i]);
        EQUAL(numbers[i] & 1, 1); /* the least size */
        for (unsigned k = 0; k < i; k++) {
            CHECK(numbers[k] != numbers[i]);
        }
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++) {
            CHECK(child_holds(child[i], INSIDE, 64, i + round * N));
            CHECK(child_fill(child[i], INSIDE, 64, i + (round + 1) * N));
            EQUAL(number_of(child[i]), numbers[i]);
        }
    }
}

/* By number: sizes and places, what is taken, what is too small, and large. */
static void by_number(void) {
    struct task *a = child_new();
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    if (!set_number(a, L4_SmallSpace(256, 16))) {
        test_skip("no small spaces");
        return;
    }
    EQUAL(number_of(a), L4_SmallSpace(256, 16));
    CHECK(page(a, INSIDE, 1) != NULL && page(b, INSIDE, 2) != NULL);
    CHECK(page(a, 16 * 0x100000 - FRAME_SIZE, 3) != NULL);
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(a, 16 * 0x100000 - FRAME_SIZE, 64, 3));
    L4_Word_t was = number_of(b);
    CHECK(!set_number(b, L4_SmallSpace(256, 16)));
    CHECK(!set_number(b, L4_SmallSpace(256, 256)));
    CHECK(!set_number(b, L4_SmallSpace(260, 4)));
    EQUAL(number_of(b), was);
    L4_Word_t old = control(b, L4_SMALL_SPACE_SET | L4_SmallSpace(272, 4));
    EQUAL(old & (L4_SMALL_SPACE_DONE | L4_SMALL_SPACE_NUMBER), L4_SMALL_SPACE_DONE | was);
    CHECK(set_number(a, L4_SmallSpace(256, 8))); /* in what it has already */
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(b, INSIDE, 64, 2));
    CHECK(set_number(a, L4_LargeSpace));
    EQUAL(number_of(a), 0);
    CHECK(set_number(b, L4_SmallSpace(256, 256)));
    CHECK(child_holds(a, INSIDE, 64, 1) && child_holds(b, INSIDE, 64, 2));
    struct task *high = child_new_at(0x00500000);
    CHECK(high != NULL);
    CHECK(!set_number(high, L4_SmallSpace(0x80, 4))); /* without its KIP */
    CHECK(set_number(high, L4_SmallSpace(0x80, 8)));
    EQUAL(child_do(high, CHILD_IDENTITY, 0, 0, 0, 0).words[2], 0x00500000);
}

/* Where there is no room any more, programs are large, and there is room when others end. */
static void area_full(void) {
    NEEDS_SMALL_SPACES;
    struct task *any = child_new();
    CHECK(any != NULL);
    if (control(any, 0) >> L4_SMALL_SPACE_GROUP != 0) {
        test_skip("there are groups, and so other areas");
        return;
    }
    child_delete(any);
    struct task *holder[9];
    L4_Word_t size = 256, at = 0;
    for (unsigned i = 0; size >= 4; i++, at += size, size /= 2) {
        holder[i] = child_new();
        CHECK(holder[i] != NULL);
        (void)set_number(holder[i], L4_LargeSpace);
    }
    at = 0;
    size = 256;
    for (unsigned i = 0; size >= 4; i++) {
        CHECK(set_number(holder[i], L4_SmallSpace(at, size)));
        at += size;
        size /= 2;
    }
    struct task *last = child_new(); /* in the 4 MB that are left */
    struct task *large = child_new();
    CHECK(last != NULL && large != NULL);
    CHECK(number_of(last) != 0);
    EQUAL(number_of(large), 0);
    CHECK(page(large, INSIDE, 1) != NULL && child_holds(large, INSIDE, 64, 1));
    child_delete(holder[0]);
    struct task *next = child_new();
    CHECK(next != NULL && number_of(next) != 0);
}

/* ---- the limit ---- */

/* The access succeeds, in a space that is large then, as if there had been no limit. */
static void promoted(unsigned operation) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    struct task *other = child_small();
    CHECK(child != NULL && other != NULL);
    uint8_t *frame = page(child, LIMIT, 5);
    CHECK(frame != NULL && page(child, INSIDE, 6) != NULL && page(other, INSIDE, 7) != NULL);
    CHECK(child_holds(child, INSIDE, 64, 6) && child_holds(other, INSIDE, 64, 7));
    if (operation == CHILD_READ) {
        EQUAL(child_read(child, LIMIT), CHILD_PATTERN(5, 0));
    } else if (operation == CHILD_WRITE) {
        CHECK(child_write(child, LIMIT, 0x1234));
        EQUAL(((L4_Word_t *)(void *)frame)[0], 0x1234);
    } else {
        put_function(frame, 77);
        EQUAL(child_execute(child, LIMIT), 77);
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
    static const L4_Word_t above[] = {LIMIT,      LIMIT + 0x1000,  0x00800000,          0x40000000,
                                      0x80000000, KERNEL_AREA - 4, KERNEL_AREA + 0x1000};
    for (unsigned i = 0; i < sizeof above / sizeof above[0]; i++) {
        struct task *child = child_small();
        CHECK(child != NULL);
        CHECK(child_denied(child, CHILD_READ, LIMIT - 4, L4_Readable));
        CHECK(child_denied(child, CHILD_WRITE, LIMIT - 0x1000, L4_Writable));
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
        uint8_t *below = page(child, LIMIT - FRAME_SIZE, 1);
        uint8_t *above = page(child, LIMIT, 2);
        CHECK(below != NULL && above != NULL);
        struct outcome o;
        switch (kind) {
        case 0: /* movl LIMIT - 2, %eax */
            o = EXECUTE(child, 0xa1, WORD(LIMIT - 2));
            EQUAL(o.words[0], CHILD_PATTERN(1, 1023) >> 16 | CHILD_PATTERN(2, 0) << 16);
            break;
        case 1: /* movl $LIMIT - 64, %edi; movl $32, %ecx; movl $INSIDE's value, %eax; rep stosl */
            o = EXECUTE(child, 0xbf, WORD(LIMIT - 64), 0xb9, WORD(32), 0xb8, WORD(0x5a5a5a5au),
                        0xf3, 0xab);
            EQUAL(((L4_Word_t *)(void *)below)[1023], 0x5a5a5a5au);
            EQUAL(((L4_Word_t *)(void *)above)[15], 0x5a5a5a5au);
            EQUAL(((L4_Word_t *)(void *)above)[16], CHILD_PATTERN(2, 16));
            break;
        case 2: /* std; movl $LIMIT + 60, %edi; movl $32, %ecx; ... rep stosl; cld */
            o = EXECUTE(child, 0xfd, 0xbf, WORD(LIMIT + 60), 0xb9, WORD(32), 0xb8,
                        WORD(0x5a5a5a5au), 0xf3, 0xab, 0xfc);
            EQUAL(((L4_Word_t *)(void *)below)[1008], 0x5a5a5a5au);
            EQUAL(((L4_Word_t *)(void *)above)[15], 0x5a5a5a5au);
            break;
        case 3: /* the same by MOVS: movl $LIMIT - 64, %esi; movl $LIMIT - 4096, %edi; ... rep movsl
                 */
            o = EXECUTE(child, 0xbe, WORD(LIMIT - 64), 0xbf, WORD(LIMIT - 4096), 0xb9, WORD(32),
                        0xf3, 0xa5);
            EQUAL(((L4_Word_t *)(void *)below)[15], CHILD_PATTERN(1, 1023));
            EQUAL(((L4_Word_t *)(void *)below)[31], CHILD_PATTERN(2, 15));
            break;
        case 4: /* the stack: movl %esp, %edx; movl $LIMIT + 8, %esp; pushl $7; movl %edx, %esp */
            o = EXECUTE(child, 0x89, 0xe2, 0xbc, WORD(LIMIT + 8), 0x6a, 7, 0x89, 0xd4);
            EQUAL(((L4_Word_t *)(void *)above)[1], 7);
            break;
        default: /* code that runs over it */
            memset(below, 0x90, FRAME_SIZE);
            put_function(above, 78);
            o = child_do(child, CHILD_EXECUTE, LIMIT - 16, 0, 0, 0);
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
    CHECK(child != NULL && page(child, 0, 1) != NULL);
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
        struct outcome o = execute(child, instructions[i], 4);
        EQUAL(o.kind, OUTCOME_EXCEPTION);
        EQUAL(o.words[2], PROTECTION);
        FAIL_IF(number_of(child) == 0, "it is small as before", i, 0);
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
    uint8_t *frame = page(child, LIMIT, 1);
    CHECK(frame != NULL);
    put_function(frame, 80);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, 1, 0).raw);
    L4_LoadMR(1, LIMIT);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    o = child_wait(child);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 80);
    EQUAL(number_of(child), 0);

    uint8_t *undefined = page(other, LIMIT, 1);
    CHECK(undefined != NULL);
    undefined[0] = 0x0f;
    undefined[1] = 0x0b;
    CHECK(L4_ExregsControl(other->id, L4_EXREGS_IP, 0, LIMIT).raw != 0);
    L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
    L4_LoadMR(1, 0x1234);
    L4_LoadMR(2, 0x5678);
    L4_MsgTag_t tag = L4_Call(other->id);
    while ((L4_Label(tag) & 0xfff0) == L4_LABEL_PAGEFAULT) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        CHECK(task_fault(other, tag, address));
        tag = L4_Call(other->id);
    }
    EQUAL(L4_Label(tag), L4_LABEL_EXCEPTION);
    L4_StoreMRs(1, L4_IA32_EXCEPTION_WORDS, o.words);
    EQUAL(o.words[0], LIMIT);
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

/* ---- segment registers ---- */

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
            L4_Word_t *table = (void *)page(child, 0, 0);
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
    uint8_t *frame = page(child, LIMIT, 1);
    CHECK(frame != NULL);
    put_function(frame, 79);
    /* pushfl; pushl $0x1b; pushl $LIMIT; iret: then RET, to who has called us */
    o = EXECUTE(child, 0x9c, 0x6a, 0x1b, 0x68, WORD(LIMIT), 0xcf);
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
        CHECK(page(victim, INSIDE, 0x77) != NULL && page(reader, INSIDE, 0x11) != NULL);
        CHECK(child_holds(victim, INSIDE, 64, 0x77) && child_holds(reader, INSIDE, 64, 0x11));
        /* What the kernel may look for at FS:0 and GS:0, as far as one can guess it. */
        L4_Word_t *zero = (void *)page(victim, 0, 1);
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
        while (L4_IpcSucceeded(tag) && (L4_Label(tag) & 0xfff0) == L4_LABEL_PAGEFAULT) {
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
            if (door == 0) { /* behind SYSENTER, the short way */
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
            } else if (door == 1) { /* behind INT: xorl %eax, %eax; int $0x42 */
                o = EXECUTE(child, 0x31, 0xc0, 0xcd, 0x42, prefixes[prefix], 0xa1, WORD(ours));
            } else { /* behind the page fault on the code itself */
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
    CHECK(page(victim, INSIDE, 1) != NULL && child_holds(victim, INSIDE, 64, 1));
    L4_Word_t at = KERNEL_AREA + number_of(victim) / 2 * LIMIT + INSIDE;
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

/* ---- the kernel on behalf of small spaces ---- */

/* Strings from below the limit to above it and back: the kernel copies them as if there were none,
 * and nobody becomes large for it. */
static void strings(void) {
    NEEDS_SMALL_SPACES;
    struct task *from = child_small();
    struct task *to = child_small();
    CHECK(from != NULL && to != NULL);
    for (unsigned i = 0; i < 2; i++) {
        L4_Word_t va = LIMIT - FRAME_SIZE + i * FRAME_SIZE;
        uint8_t *source = page(from, va, 0x20 + i), *target = page(to, va, 0x30 + i);
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
                                .buffers = {1, FRAME_SIZE << 10, LIMIT - FRAME_SIZE / 2}};
    struct child_ipc send = {
        .to = to->id.raw,
        .timeouts = L4_Timeouts(PATIENCE, L4_Never),
        .num_buffers = 1,
        .buffers = {0},
        .num_words = 3,
        .words = {L4_MakeMsgTag(CHILD_LABEL, 0, 2).raw, FRAME_SIZE << 10, LIMIT - FRAME_SIZE / 2}};
    CHECK(me != 0 && child_ipc(to, &receive) && child_ipc(from, &send));
    struct outcome sent = child_wait(from), got = child_wait(to);
    EQUAL(sent.kind, OUTCOME_DONE);
    EQUAL(sent.words[0], 0);
    EQUAL(got.words[0], 0);
    CHECK(number_of(from) != 0 && number_of(to) != 0);
    EQUAL(child_read(to, LIMIT - FRAME_SIZE / 2), CHILD_PATTERN(0x20, 512));
    EQUAL(child_read(to, LIMIT), CHILD_PATTERN(0x21, 0));
    EQUAL(child_read(to, LIMIT + FRAME_SIZE / 2), CHILD_PATTERN(0x31, 512));
}

/* ---- a part changes hands ---- */

/* The part of one becomes another's, while many directories have its entries: neither sees what was
 * there. */
static void revoked(void) {
    NEEDS_SMALL_SPACES;
    enum { LARGE = 6 };
    struct task *large[LARGE];
    struct task *first = child_small();
    struct task *second = child_small();
    CHECK(first != NULL && second != NULL);
    CHECK(page(first, INSIDE, 1) != NULL && page(second, INSIDE, 2) != NULL);
    CHECK(page(first, 0x00200000, 3) != NULL);
    CHECK(child_holds(first, INSIDE, 64, 1) && child_holds(first, 0x00200000, 64, 3));
    for (unsigned i = 0; i < LARGE; i++) {
        large[i] = child_new();
        CHECK(large[i] != NULL && set_number(large[i], L4_LargeSpace));
        CHECK(page(large[i], INSIDE, 10 + i) != NULL);
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < LARGE;
             i++) { /* from a large one to a small one, its directory in force */
            struct child_ipc call = {
                .to = first->id.raw,
                .from = first->id.raw,
                .timeouts = L4_Timeouts(PATIENCE, PATIENCE),
                .num_buffers = 1,
                .num_words = 5,
                .words = {L4_MakeMsgTag(CHILD_LABEL, 4, 0).raw, CHILD_COMPARE, INSIDE, 64, 1}};
            CHECK(child_ipc(large[i], &call));
            struct outcome o = child_wait(large[i]);
            EQUAL(o.kind, OUTCOME_DONE);
            EQUAL(o.words[0], 0); /* no error */
            EQUAL(o.words[5], 0); /* no word differs */
            CHECK(child_holds(large[i], INSIDE, 64, 10 + i));
        }
        L4_Word_t a = number_of(first), b = number_of(second);
        CHECK(set_number(first, L4_LargeSpace) && set_number(second, a) && set_number(first, b));
        CHECK(child_denied(second, CHILD_READ, 0x00200000, L4_Readable));
        CHECK(child_holds(second, INSIDE, 64, 2) && child_holds(first, INSIDE, 64, 1));
        CHECK(child_holds(first, 0x00200000, 64, 3));
        CHECK(set_number(second, L4_LargeSpace)); /* its pages are not global any more */
        CHECK(child_holds(second, INSIDE, 64, 2) && child_holds(large[0], INSIDE, 64, 10));
        CHECK(set_number(second, a));
    }
    /* Of the directories that have entries one ends, and its frame is somebody else's. */
    child_delete(large[LARGE / 2]);
    CHECK(child_new() != NULL);
    L4_Word_t a = number_of(first);
    CHECK(child_holds(first, INSIDE, 64, 1) && child_holds(first, 0x00200000, 64, 3));
    CHECK(set_number(first, L4_LargeSpace) && set_number(second, a));
    CHECK(child_denied(second, CHILD_READ, 0x00200000, L4_Readable));
    CHECK(child_holds(second, INSIDE, 64, 2));
}

/*
 * A small space takes a page back from the large one under whose directory it runs: that one then
 * goes on without a load of CR3, and without the page.
 */
static void unmapped_while_shown(void) {
    NEEDS_SMALL_SPACES;
    enum { THERE = 0x00070000 };
    struct task *small = child_small();
    struct task *large = child_new();
    CHECK(small != NULL && large != NULL && set_number(large, L4_LargeSpace));
    CHECK(page(small, INSIDE, 1) != NULL && child_holds(small, INSIDE, 64, 1));
    L4_Word_t fpage = L4_FpageAddRights(L4_FpageLog2(INSIDE, FRAME_LOG2), L4_FullyAccessible).raw;
    CHECK(child_transfer(small, fpage, THERE, L4_ITEM_MAP, large, L4_CompleteAddressSpace.raw));
    EQUAL(child_read(large, THERE), CHILD_PATTERN(1, 0));
    L4_Word_t ipc = child_kip(large) + L4_GetKernelInterface()->Ipc;
    struct outcome o =
        EXECUTE(large, 0x55, 0xa1, WORD(THERE), /* pushl %ebp; movl THERE, %eax */
                0xc7, 0x05, WORD(TASK_UTCBS + L4_UTCB_MR + 4), WORD(CHILD_UNMAP), /* MR 1 to 3 */
                0xc7, 0x05, WORD(TASK_UTCBS + L4_UTCB_MR + 8), WORD(0),           /**/
                0xc7, 0x05, WORD(TASK_UTCBS + L4_UTCB_MR + 12), WORD(fpage),      /**/
                0xb8, WORD(small->id.raw), 0x89, 0xc2, 0xbe, WORD(CHILD_LABEL << 16 | 3), 0x31,
                0xc9, 0xbf, WORD(ipc), 0xff, 0xd7, 0x5d, /* call *%edi; popl %ebp */
                0xa1, WORD(THERE));
    EQUAL(o.kind, OUTCOME_FAULT);
    EQUAL(o.words[0], THERE);
    CHECK(number_of(small) != 0);
}

/* All pages of 4 MB of a small space go, and with them their page table, while others' directories
 * know it. */
static void table_goes(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    CHECK(child != NULL && set_number(child, L4_SmallSpace(128, 8)));
    CHECK(page(child, LIMIT, 1) != NULL && child_holds(child, LIMIT, 64, 1));
    L4_Word_t all = L4_FpageAddRights(L4_FpageLog2(LIMIT, 22), L4_FullyAccessible).raw;
    for (unsigned i = 0; i < 3; i++) {
        /* 0x40: from itself too. Then its page table is free, for anybody's use. */
        CHECK(child_do(child, CHILD_UNMAP, 0x40, all, 0, 0).kind == OUTCOME_DONE);
        struct task *other = child_new();
        CHECK(other != NULL);
        for (L4_Word_t va = 0x00900000; va < 0x03000000; va += LIMIT) {
            CHECK(page(other, va, 2) != NULL && child_holds(other, va, 64, 2));
        }
        /* Where the other one has its pages, in its first page table and in others. */
        CHECK(child_denied(child, CHILD_READ, LIMIT + TASK_UTCBS, L4_Readable));
        CHECK(child_denied(child, CHILD_READ, LIMIT + TASK_KIP, L4_Readable));
        CHECK(child_denied(child, CHILD_READ, LIMIT + 0x100000, L4_Readable));
        CHECK(child_holds(child, LIMIT, 64, 1));
        child_delete(other);
    }
    CHECK(number_of(child) != 0);
}

/* A page of 4 MB of a small space is split, and goes: its directory entry, of which others'
 * directories have copies, is another one each time. */
static void large_page(void) {
    NEEDS_SMALL_SPACES;
    enum { OURS = 0x02000000 }; /* memory that nobody has, at its own address */
    struct task *child = child_small();
    CHECK(child != NULL && set_number(child, L4_SmallSpace(128, 8)));
    L4_Fpage_t all = L4_FpageAddRights(L4_FpageLog2(OURS, 22), L4_FullyAccessible);
    CHECK(!L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, all)));
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(all, LIMIT));
    CHECK(child_map(child, &msg));
    CHECK(child_write(child, LIMIT + 0x123000, 1) && child_write(child, LIMIT + 0x124000, 2));
    EQUAL(*(volatile L4_Word_t *)(uintptr_t)(OURS + 0x123000), 1);
    (void)L4_UnmapFpage(
        L4_FpageAddRights(L4_FpageLog2(OURS + 0x123000, FRAME_LOG2), L4_FullyAccessible));
    CHECK(child_denied(child, CHILD_READ, LIMIT + 0x123000, L4_Readable));
    EQUAL(child_read(child, LIMIT + 0x124000), 2);
    (void)L4_Flush(all);
    CHECK(child_denied(child, CHILD_READ, LIMIT + 0x124000, L4_Readable));
    CHECK(child_denied(child, CHILD_READ, LIMIT + 0x125000, L4_Readable));
    CHECK(number_of(child) != 0);
}

/* Who ends leaves nothing to the next who gets the part; and pages that a small space loses are
 * gone. */
static void ended(void) {
    NEEDS_SMALL_SPACES;
    for (unsigned i = 0; i < 5; i++) {
        struct task *first = child_small();
        CHECK(first != NULL && page(first, INSIDE, i) != NULL &&
              page(first, 0x00200000, 3) != NULL);
        CHECK(child_holds(first, INSIDE, 64, i) && child_holds(first, 0x00200000, 64, 3));
        L4_Word_t number = number_of(first);
        frame_free(task_remove_page(first, INSIDE));
        CHECK(child_denied(first, CHILD_READ, INSIDE, L4_Readable));
        CHECK(number_of(first) == number);
        child_delete(first);
        struct task *second = child_small();
        CHECK(second != NULL);
        EQUAL(number_of(second), number);
        CHECK(child_denied(second, CHILD_READ, 0x00200000, L4_Readable));
        child_delete(second);
    }
}

const struct test small_tests[] = {
    {"small_assigned", assigned},
    {"small_by_number", by_number},
    {"small_area_full", area_full},
    {"small_limit_read", limit_read},
    {"small_limit_write", limit_write},
    {"small_limit_execute", limit_execute},
    {"small_limit_faults", limit_faults},
    {"small_limit_crossed", limit_crossed},
    {"small_limit_wraps", limit_wraps},
    {"small_limit_is_not_meant", limit_is_not_meant},
    {"small_limit_of_resumed", limit_of_resumed},
    {"small_interrupted", interrupted},
    {"small_selectors", selectors},
    {"small_iret_frames", iret_frames},
    {"small_left_by_message", left_by_message},
    {"small_left_by_preemption", left_by_preemption},
    {"small_not_flat", not_flat},
    {"small_large_sees_none", large_sees_none},
    {"small_strings", strings},
    {"small_revoked", revoked},
    {"small_unmapped_while_shown", unmapped_while_shown},
    {"small_table_goes", table_goes},
    {"small_large_page", large_page},
    {"small_ended", ended},
    {NULL, NULL},
};
