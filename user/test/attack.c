/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One space tries to get at another's memory, or at the kernel's: each attempt has to fault.
 *
 * The switching scheme may put a space's low 32 MB anywhere (a PID slot), so attackers try every
 * slot; they try addresses that others use, that they used themselves, and that were somebody's.
 */
#include "test.h"

#define PAGE      0x00040000u
#define HIGH      0x80000000u
#define SLOT_SIZE 0x02000000u
#define USER_END  SLOTS_END

/* A child with a page at `va` filled with `seed`. */
static struct task *owner(L4_Word_t va, L4_Word_t seed) {
    struct task *child = child_new();
    if (child == NULL || task_add_page(child, va, NULL, L4_FullyAccessible) == NULL ||
        !child_fill(child, va, 1024, seed)) {
        return NULL;
    }
    return child;
}

/* Read, write and execute at `va`, in turns with the victim's running in between. */
static bool all_denied(struct task *attacker, L4_Word_t va, struct task *victim) {
    TRY(child_denied(attacker, CHILD_READ, va, L4_Readable));
    TRY(child_read(victim, TASK_KIP) == L4_KIP_MAGIC);
    TRY(child_denied(attacker, CHILD_WRITE, va, L4_Writable));
    TRY(child_read(victim, TASK_KIP) == L4_KIP_MAGIC);
    TRY(child_denied(attacker, CHILD_EXECUTE, va, L4_eXecutable));
    return true;
}

/* The same address in the low 32 MB. */
static void same_low_address(void) {
    NEEDS_PROTECTION;
    struct task *victim = owner(PAGE, 1);
    struct task *attacker = child_new();
    CHECK(victim != NULL && attacker != NULL);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(child_holds(victim, PAGE, 1024, 1));
        CHECK(all_denied(attacker, PAGE, victim));
        CHECK(child_holds(victim, PAGE, 1024, 1));
    }
}

/* The same address above: where there is no relocation, and so a collision. */
static void same_high_address(void) {
    NEEDS_PROTECTION;
    struct task *victim = owner(HIGH, 2);
    struct task *attacker = child_new();
    CHECK(victim != NULL && attacker != NULL);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(child_holds(victim, HIGH, 1024, 2));
        CHECK(all_denied(attacker, HIGH, victim));
        CHECK(child_holds(victim, HIGH, 1024, 2));
    }
    /* Another page of the same megabyte, where the attacker does have something. */
    CHECK(task_add_page(attacker, HIGH + 0x1000, NULL, L4_FullyAccessible) != NULL);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(child_fill(attacker, HIGH + 0x1000, 64, 3));
        CHECK(all_denied(attacker, HIGH, victim));
        CHECK(child_holds(victim, HIGH, 1024, 2));
        CHECK(child_denied(victim, CHILD_READ, HIGH + 0x1000, L4_Readable));
    }
}

/*
 * Every slot's absolute address of the victim's page. In the attacker's own slot lies its own page,
 * which it may see there; what it must not see is the victim's.
 */
static void all_slots(void) {
    NEEDS_PROTECTION;
    struct task *victim = owner(PAGE, 4);
    struct task *attacker = owner(PAGE, 5);
    CHECK(victim != NULL && attacker != NULL);
    for (L4_Word_t base = SLOT_SIZE; base < USER_END; base += SLOT_SIZE) {
        CHECK(child_holds(victim, PAGE, 8, 4));
        struct outcome o = child_do(attacker, CHILD_READ, base + PAGE + 8, 0, 0, 0);
        if (o.kind == OUTCOME_DONE) {
            EQUAL(o.words[0], CHILD_PATTERN(5, 2));
            continue;
        }
        EQUAL(o.kind, OUTCOME_FAULT);
        EQUAL(o.words[0], base + PAGE + 8);
        CHECK(child_forgive(attacker, &o));
        CHECK(child_holds(victim, PAGE, 8, 4));
        CHECK(child_denied(attacker, CHILD_WRITE, base + PAGE + 8, L4_Writable));
        CHECK(child_denied(attacker, CHILD_EXECUTE, base + PAGE, L4_eXecutable));
    }
    CHECK(child_holds(victim, PAGE, 1024, 4));
    CHECK(child_holds(attacker, PAGE, 1024, 5));
}

/* The victim's UTCB and code, in every slot, and ours. */
static void utcbs(void) {
    NEEDS_PROTECTION;
    struct task *victim = child_new();
    struct task *attacker = child_new();
    CHECK(victim != NULL && attacker != NULL);
    for (L4_Word_t base = SLOT_SIZE; base < USER_END; base += SLOT_SIZE) {
        EQUAL(child_read(victim, TASK_KIP), L4_KIP_MAGIC);
        struct outcome o = child_do(attacker, CHILD_READ, base + TASK_UTCBS, 0, 0, 0);
        if (o.kind == OUTCOME_DONE) {
            EQUAL(o.words[0], (L4_Word32_t)attacker->id.raw);
            continue;
        }
        EQUAL(o.kind, OUTCOME_FAULT);
        CHECK(child_forgive(attacker, &o));
    }
    CHECK(all_denied(attacker, L4_ROOT_UTCB_AREA, victim));
    CHECK(all_denied(attacker, L4_ROOT_KIP, victim));
}

/* Root's code, data and frames, at the addresses where root has them. */
static void root_memory(void) {
    NEEDS_PROTECTION;
    struct task *victim = owner(PAGE, 6);
    struct task *attacker = child_new();
    CHECK(victim != NULL && attacker != NULL);
    const L4_KernelInterfacePage_t *k = L4_GetKernelInterface();
    L4_Word_t frame = (L4_Word_t)task_page_at(victim, PAGE)->frame;
    CHECK(all_denied(attacker, k->root_server.low, victim));
    CHECK(all_denied(attacker, frame, victim));
    CHECK(child_holds(victim, PAGE, 1024, 6));
}

/* The KIP is for reading. */
static void kip(void) {
    NEEDS_PROTECTION;
    struct task *victim = child_new();
    struct task *attacker = child_new();
    CHECK(victim != NULL && attacker != NULL);
    struct outcome o = child_do(attacker, CHILD_WRITE, TASK_KIP, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_FAULT);
    EQUAL(o.access, L4_Writable);
    child_delete(attacker);
    EQUAL(child_read(victim, TASK_KIP), L4_KIP_MAGIC);
    EQUAL(L4_GetKernelInterface()->magic, L4_KIP_MAGIC);
}

/* Kernel addresses: reading, writing and running them never succeeds. */
static void kernel_memory(void) {
    static const L4_Word_t places[] = {KERNEL_FUNCTIONS};
    static const L4_Word_t operations[] = {CHILD_READ, CHILD_WRITE, CHILD_EXECUTE};
    for (unsigned p = 0; p < sizeof places / sizeof places[0]; p++) {
        for (unsigned o = 0; o < 3; o++) {
            struct task *attacker = child_new();
            CHECK(attacker != NULL);
            struct outcome got = child_do(attacker, operations[o], places[p], 0, 0, 0);
            FAIL_IF(got.kind == OUTCOME_DONE, "a kernel address is denied", places[p], o);
            child_delete(attacker);
        }
    }
    struct task *attacker = child_new();
    CHECK(attacker != NULL);
    EQUAL(child_do(attacker, CHILD_WRITE, UTCB_WORD, 0, 0, 0).kind, OUTCOME_FAULT);
}

/* After the page was taken away: not from the cache, not from the TLB. */
static void after_unmap(void) {
    NEEDS_PROTECTION;
    struct task *child = owner(PAGE, 7);
    struct task *other = owner(HIGH, 8);
    CHECK(child != NULL && other != NULL);
    uint8_t *frame = task_remove_page(child, PAGE);
    frame_free(frame);
    frame = task_remove_page(other, HIGH);
    frame_free(frame);
    CHECK(all_denied(child, PAGE, other));
    CHECK(all_denied(other, HIGH, child));
}

/* After the frame went to another space, at the same and at another address. */
static void after_remap(void) {
    NEEDS_PROTECTION;
    struct task *first = owner(PAGE, 9);
    struct task *second = child_new();
    CHECK(first != NULL && second != NULL);
    uint8_t *frame = task_remove_page(first, PAGE);
    CHECK(frame != NULL);
    CHECK(task_add_page(second, PAGE, frame, L4_FullyAccessible) != NULL);
    CHECK(child_holds(second, PAGE, 1024, 9));
    CHECK(child_fill(second, PAGE, 1024, 10));
    CHECK(all_denied(first, PAGE, second));
    CHECK(child_holds(second, PAGE, 1024, 10));
    frame = task_remove_page(second, PAGE);
    CHECK(task_add_page(first, HIGH, frame, L4_FullyAccessible) != NULL);
    CHECK(child_holds(first, HIGH, 1024, 10));
    CHECK(child_fill(first, HIGH, 1024, 11));
    CHECK(all_denied(second, PAGE, first));
    CHECK(all_denied(first, PAGE, second));
    CHECK(child_holds(first, HIGH, 1024, 11));
}

/* A new space does not inherit what a deleted one had: same thread number, slot or domain. */
static void after_deletion(void) {
    NEEDS_PROTECTION;
    for (L4_Word_t i = 0; i < 20; i++) {
        struct task *victim = owner(PAGE, 0x20 + i);
        CHECK(victim != NULL);
        CHECK(task_add_page(victim, HIGH, NULL, L4_FullyAccessible) != NULL);
        CHECK(child_fill(victim, HIGH, 1024, 0x40 + i));
        child_delete(victim);
        struct task *attacker = child_new();
        struct task *third = child_new();
        CHECK(attacker != NULL && third != NULL);
        CHECK(all_denied(attacker, PAGE, third));
        CHECK(all_denied(attacker, HIGH, third));
        child_delete(attacker);
        child_delete(third);
    }
}

/* A page that is ours to read is not ours to write, in whatever order who ran. */
static void read_only_sharing(void) {
    NEEDS_PROTECTION;
    struct task *writer = owner(PAGE, 12);
    CHECK(writer != NULL);
    uint8_t *frame = task_page_at(writer, PAGE)->frame;
    struct task *reader = child_new();
    CHECK(reader != NULL);
    const volatile L4_Word32_t *ours = (const volatile L4_Word32_t *)(void *)frame;
    L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2);
    for (L4_Word_t i = 0; i < 4; i++) {
        struct outcome o = child_do(reader, CHILD_READ, PAGE, 0, 0, 0);
        if (o.kind == OUTCOME_FAULT) {
            L4_Msg_t msg;
            L4_MsgClear(&msg);
            L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(fpage, L4_Readable), PAGE));
            L4_MsgLoad(&msg);
            EQUAL(error_of(L4_Send_Timeout(reader->id, PATIENCE)), 0);
            o = child_wait(reader);
        }
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], CHILD_PATTERN(12 + i, 0));
        EQUAL(ours[5], CHILD_PATTERN(12 + i, 5));
        o = child_do(reader, CHILD_WRITE, PAGE + 4, 0xbad, 0, 0);
        EQUAL(o.kind, OUTCOME_FAULT);
        EQUAL(o.access, L4_Writable);
        CHECK(child_forgive(reader, &o));
        CHECK(child_holds(writer, PAGE, 1024, 12 + i));
        CHECK(child_fill(writer, PAGE, 1024, 13 + i));
    }
}

const struct test attack_tests[] = {
    {"attack_same_low_address", same_low_address},
    {"attack_same_high_address", same_high_address},
    {"attack_all_slots", all_slots},
    {"attack_utcbs", utcbs},
    {"attack_root_memory", root_memory},
    {"attack_kip", kip},
    {"attack_kernel_memory", kernel_memory},
    {"attack_after_unmap", after_unmap},
    {"attack_after_remap", after_remap},
    {"attack_after_deletion", after_deletion},
    {"attack_read_only_sharing", read_only_sharing},
    {NULL, NULL},
};
