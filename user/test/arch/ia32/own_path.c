/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A segment of a thread's own (own_segment.h) over short messages, of which the kernel makes
 * little: whoever goes on has his, where its space lies now, and nobody else has it. And the change
 * of its kind keeps all registers.
 */
#include "small_child.h"

#include <binding.h>

#define PAGE   0x00300000u
#define BASE   (PAGE + 0x804u)
#define RESULT 0x100u /* in the page */
#define OTHERS 9u     /* of the page that others have there */

#define ABSENT 11u
#define NUMBER 2
#define TAG    L4_MakeMsgTag(CHILD_LABEL, 0, 0).raw

/* Code: a segment of this base; none; a word to be stored, and EAX and EDX. */
#define SET(base)        0xb9, WORD((L4_Word_t)(base)), 0xb8, WORD(1u), 0xcd, L4_IA32_OWN_CALL
#define DROP             0x31, 0xc0, 0xcd, L4_IA32_OWN_CALL
#define STORE(va, value) 0xc7, 0x05, WORD((L4_Word_t)(va)), WORD((L4_Word_t)(value))
#define STORE_EAX(at)    0xa3, WORD(PAGE + RESULT + 4 * (at))
#define LOAD_OWN(offset) 0x65, 0xa1, WORD((L4_Word_t)(offset)) /* movl %gs:..., %eax */

/* Code: an empty message to a thread, a wait for one; all registers but EDI and those of the stack
 * are lost. The call's address to return to is that of the jump. */
#define CALL_SHORT(to, from)                                                                       \
    0xb8, WORD(to), 0xba, WORD(from), 0xbe, WORD(TAG), 0x31, 0xc9, 0x31, 0xdb, /* registers */     \
        0x55, 0xe8, WORD(2u), 0xeb, 4, /* pushl %ebp; call 1f; jmp 2f */                           \
        0x89, 0xe5, 0x0f, 0x34, 0x5d   /* 1: movl %esp, %ebp; sysenter; 2: popl %ebp */

/* A child with the pages for that, and code in it. */
static struct task *prepared(uint8_t **frame, const uint8_t *code, unsigned size) {
    struct task *child = child_new();
    if (child == NULL || (*frame = filled_page(child, PAGE, 5)) == NULL ||
        child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind != OUTCOME_DONE) {
        return NULL;
    }
    (void)child_read(child, PAGE);
    if (EXECUTE(child, 0x90).kind != OUTCOME_DONE) {
        return NULL;
    }
    memcpy(task_page_at(child, CODE)->frame + CODE_FIRST, code, size);
    return child;
}
#define PREPARED(frame, ...)                                                                       \
    prepared(frame, (const uint8_t[]){__VA_ARGS__, 0xc3},                                          \
             (unsigned)sizeof((const uint8_t[]){__VA_ARGS__, 0xc3}))

static L4_Word_t result(const uint8_t *frame, unsigned i) {
    return ((const volatile L4_Word_t *)(frame + RESULT))[i];
}

/* It executes the code, up to its message to us. */
static bool start(struct task *child) {
    const L4_Word_t at[] = {CODE};
    return child_send(child, CHILD_EXECUTE, 1, at) &&
           L4_Label(L4_Receive_Timeout(child->id, PATIENCE)) == CHILD_LABEL;
}

/* An empty message and the next one from there, which is no fault. */
static bool go_on(const struct task *child) {
    L4_LoadMR(0, TAG);
    return L4_Label(L4_Call(child->id)) == CHILD_LABEL;
}

/* Code that a partner begins with `begin`, up to its third message: from then on each waits as soon
 * as it has sent, and both ways are short. */
#define BEGIN(to, from) CALL_SHORT(to, to), CALL_SHORT(to, to), CALL_SHORT(to, from)

static bool begin(struct task *child) {
    return start(child) && go_on(child) && go_on(child);
}

/* With a partner in another space that has none, and a third there. */
static void over_ipc(void) {
    L4_Word_t me = L4_MyGlobalId().raw;
    uint8_t *frame, *unused;
    struct task *owner = PREPARED(&frame, STORE(BASE - 4, 66), STORE(BASE + 4, 77), /* */
                                  0x65, 0xa1, WORD(0u), STORE_EAX(0), /* movl %gs:0, %eax */
                                  SET(BASE), BEGIN(me, me),           /* */
                                  0x8c, 0xe8, STORE_EAX(1),           /* movl %gs, %eax */
                                  LOAD_OWN(4u), STORE_EAX(2), CALL_SHORT(me, me), /* */
                                  LOAD_OWN(-4u), STORE_EAX(3),                    /* */
                                  0x64, 0xa1, WORD(0u), STORE_EAX(4), /* movl %fs:0, %eax */
                                  DROP);
    struct task *thief =
        PREPARED(&unused, BEGIN(me, me), 0xb8, WORD((L4_Word_t)L4_IA32_OWN_SELECTOR), 0x8e, 0xe8);
    CHECK(owner != NULL && thief != NULL && begin(thief) && begin(owner));
    L4_LoadMR(0, TAG);
    EQUAL(L4_Label(L4_Call(thief->id)), L4_LABEL_EXCEPTION); /* at movl %eax, %gs */
    L4_Word_t number;
    L4_StoreMR(1 + NUMBER, &number);
    EQUAL(number, ABSENT);
    CHECK(go_on(owner));
    __asm__ volatile("movw %%ds, %%ax; movw %%ax, %%fs" : : : "eax"); /* not as it will have it */
    CHECK(go_on(owner));
    EQUAL(result(frame, 1) & 0xffff, L4_IA32_OWN_SELECTOR);
    EQUAL(result(frame, 2), 77);
    EQUAL(result(frame, 3), 66);
    EQUAL(result(frame, 4), result(frame, 0));
}

/* From one that has one to another that has. */
static void to_another(void) {
    L4_Word_t me = L4_MyGlobalId().raw, a_id = 0x11111111u;
    uint8_t *frame, *frame_b;
    struct task *b = PREPARED(&frame_b, STORE(BASE + 4, 55), SET(BASE), BEGIN(me, -1u),
                              LOAD_OWN(4u), STORE_EAX(0), /* */
                              CALL_SHORT(a_id, -1u));     /* (its id is put there below) */
    CHECK(b != NULL);
    struct task *a = PREPARED(&frame, STORE(BASE + 12, 88), SET(BASE + 8), BEGIN(me, me),
                              CALL_SHORT(b->id.raw, b->id.raw), /* */
                              LOAD_OWN(4u), STORE_EAX(0), DROP);
    CHECK(a != NULL);
    uint8_t *code = task_page_at(b, CODE)->frame + CODE_FIRST;
    while (memcmp(code, &a_id, sizeof a_id) != 0) {
        code++;
    }
    memcpy(code, &a->id.raw, sizeof a_id);
    CHECK(begin(b) && begin(a) && go_on(a));
    EQUAL(result(frame_b, 0), 55);
    EQUAL(result(frame, 0), 88);
}

/* While it waits its space goes elsewhere, and another's is where it was. */
static void moved(void) {
    NEEDS_SMALL_SPACES;
    L4_Word_t me = L4_MyGlobalId().raw;
    uint8_t *frame;
    struct task *owner = PREPARED(&frame, STORE(BASE + 4, 77), SET(BASE), BEGIN(me, me),
                                  LOAD_OWN(4u), STORE_EAX(0), /* */
                                  CALL_SHORT(me, me), LOAD_OWN(4u), STORE_EAX(1), DROP);
    CHECK(owner != NULL && begin(owner));
    L4_Word_t number = number_of(owner), next = number + 2;
    CHECK(number != 0);
    while (!set_number(owner, next)) {
        CHECK(next < 200);
        next += 2;
    }
    struct task *other = child_new();
    CHECK(other != NULL && (number_of(other) == number || set_number(other, number)));
    CHECK(filled_page(other, PAGE, OTHERS) != NULL && child_holds(other, PAGE, 64, OTHERS));
    CHECK(go_on(owner));
    EQUAL(result(frame, 0), 77);
    CHECK(set_number(owner, L4_LargeSpace) && go_on(owner));
    EQUAL(result(frame, 1), 77);
    CHECK(child_holds(other, PAGE, 64, OTHERS));
}

/* ... or loses its upper half, which another gets. */
static void shrunk(void) {
    NEEDS_SMALL_SPACES;
    L4_Word_t me = L4_MyGlobalId().raw, size = least_limit();
    uint8_t *frame;
    struct task *owner = PREPARED(&frame, SET(BASE), BEGIN(me, me), /* */
                                  LOAD_OWN(size + PAGE - BASE), STORE_EAX(0));
    L4_Word_t half = 1; /* number of the lower one */
    while (owner != NULL && !set_number(owner, half + 1)) {
        CHECK(half < 200);
        half += 4;
    }
    CHECK(owner != NULL && begin(owner) && set_number(owner, half));
    struct task *other = child_new();
    CHECK(other != NULL && (number_of(other) == half + 2 || set_number(other, half + 2)));
    CHECK(filled_page(other, PAGE, OTHERS) != NULL && child_holds(other, PAGE, 64, OTHERS));
    L4_LoadMR(0, TAG);
    L4_MsgTag_t tag = L4_Call(owner->id);
    EQUAL(L4_Label(tag) & L4_LABEL(-1), L4_LABEL_PAGEFAULT);
    L4_Word_t address;
    L4_StoreMR(1, &address);
    EQUAL(address, size + PAGE);
}

/* ... or becomes so small that the segment begins beyond its end: it is large again. */
static void beyond(void) {
    NEEDS_SMALL_SPACES;
    L4_Word_t me = L4_MyGlobalId().raw;
    uint8_t *frame;
    struct task *owner = PREPARED(&frame, SET(least_limit() + BASE), BEGIN(me, me), 0xa1,
                                  WORD(PAGE), STORE_EAX(0), DROP);
    CHECK(owner != NULL);
    L4_Word_t number = number_of(owner);
    CHECK(set_number(owner, L4_LargeSpace) && begin(owner) && set_number(owner, number));
    CHECK(go_on(owner));
    EQUAL(number_of(owner), 0);
    EQUAL(result(frame, 0), CHILD_PATTERN(5, 0));
}

/* From one kind to the other, and back. */
static void registers(void) {
    static const L4_Word_t pushed[] = {7, 6, 5, 0, 4, 3, 2, 1}; /* by PUSHA, but for ESP */
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *frame;
        struct task *child = PREPARED(
            &frame, STORE(BASE - 4, 11), STORE(BASE + 4, 12), SET(BASE), /* */
            0x65, 0xa1, WORD(i == 0 ? 4u : -4u), 0x55,                   /* ...; pushl %ebp */
            0xb8, WORD(1u), 0xb9, WORD(2u), 0xba, WORD(3u), 0xbb, WORD(4u), 0xbd, WORD(5u), /* */
            0xbe, WORD(6u), 0xbf, WORD(7u), 0x65, 0x83, 0x3d, WORD(i == 0 ? -4u : 4u),
            (uint8_t)(11 + i),                      /* cmpl $..., %gs:... */
            0x75, 18,                               /* jne 1f */
            0x60, 0x89, 0xe6,                       /* pusha; movl %esp, %esi */
            0xbf, WORD(PAGE + RESULT),              /* movl $..., %edi */
            0xb9, WORD(8u), 0xfc, 0xf3, 0xa5, 0x61, /* movl $8, %ecx; cld; rep movsl; popa */
            0x5d, DROP);                            /* 1: popl %ebp */
        CHECK(child != NULL);
        const L4_Word_t at[] = {CODE};
        CHECK(child_send(child, CHILD_EXECUTE, 1, at));
        EQUAL(child_wait(child).kind, OUTCOME_DONE);
        for (unsigned n = 0; n < 8; n++) {
            if (pushed[n] != 0) {
                EQUAL(result(frame, n), pushed[n]);
            }
        }
    }
}

const struct test own_path_tests[] = {
    {"own_over_ipc", over_ipc},
    {"own_to_another", to_another},
    {"own_moved", moved},
    {"own_shrunk", shrunk},
    {"own_beyond", beyond},
    {"own_keeps_registers", registers},
    {NULL, NULL},
};
