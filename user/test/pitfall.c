/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that earlier implementations of fast address-space switching had, one test each.
 *
 * They look at results, so they hold under every scheme; where only the kernel's own counts show
 * the fault, the test is skipped for schemes that have no domains to count.
 */
#include "test.h"

#define PAGE  0x00040000u
#define HIGH  0x80000000u
#define CROWD 20u /* more than the 15 domains there are for spaces */
#define FEW   8u  /* less */

static struct task *child[CROWD];

static bool make(unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        child[i] = child_new();
        TRY(child[i] != NULL);
    }
    return true;
}

/* Lets all of the crowd run, so that every domain is taken from who had it. */
static bool run_crowd(unsigned from) {
    for (unsigned i = from; i < CROWD; i++) {
        TRY(child_read(child[i], child_kip(child[i])) == L4_KIP_MAGIC);
    }
    return true;
}

static bool have_domains(void) {
    if (L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED) == 0) {
        test_skip("this scheme has no domains");
        return false;
    }
    return true;
}

/* Domains taken so far from spaces that were dirty, which costs a cache flush. */
static L4_Word_t dirty_recycled(void) {
    return L4_KDB_Statistic(L4_STAT_DOMAINS_RECYCLED) - L4_KDB_Statistic(L4_STAT_RECYCLED_CLEAN);
}

/*
 * 1: a space whose switch came by one path (short call, long message, page fault, wake-up by
 * timeout, preemption) was not marked dirty, so its lines were lost with its domain. Where there
 * are domains the kernel's own count has to show that some were dirty.
 */
static void dirty_on_every_path(void) {
    NEEDS_PROTECTION;
    CHECK(make(CROWD));
    uint8_t *frame = task_add_page(child[0], PAGE, NULL, L4_ReadWriteOnly);
    CHECK(frame != NULL);
    CHECK(child_read(child[0], PAGE) == 0);
    for (L4_Word_t path = 0; path < 4; path++) {
        CHECK(run_crowd(1));
        switch (path) {
        case 0: /* a short message, answered at once */
            CHECK(child_write(child[0], PAGE + 64 * path, 0xd1000 + path));
            break;
        case 1: { /* a long one: the slow path */
            L4_Word_t words[60] = {PAGE + 64 * path, 0xd1000 + path};
            CHECK(child_send(child[0], CHILD_WRITE, 60, words));
            EQUAL(child_wait(child[0]).kind, OUTCOME_DONE);
            break;
        }
        case 2: { /* a send without a receive: the child runs when the scheduler lets it */
            const L4_Word_t words[2] = {PAGE + 64 * path, 0xd1000 + path};
            CHECK(child_send(child[0], CHILD_WRITE, 2, words));
            L4_Sleep(L4_TimePeriod(20000));
            EQUAL(child_wait(child[0]).kind, OUTCOME_DONE);
            break;
        }
        default: { /* back from a page fault */
            struct outcome o = child_do(child[0], CHILD_READ, HIGH, 0, 0, 0);
            EQUAL(o.kind, OUTCOME_FAULT);
            CHECK(child_forgive(child[0], &o));
            CHECK(child_write(child[0], PAGE + 64 * path, 0xd1000 + path));
            break;
        }
        }
        L4_Word_t dirty = dirty_recycled();
        CHECK(run_crowd(1));
        CHECK(L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED) == 0 || dirty_recycled() != dirty);
        EQUAL(child_read(child[0], PAGE + 64 * path), 0xd1000 + path);
        CHECK(run_crowd(1));
        EQUAL(*(volatile L4_Word32_t *)(void *)(frame + 64 * path), 0xd1000 + path);
    }
}

/*
 * 2: the kernel copies a message to or from a user's page through whoever's mapping is there.
 * Spaces that have their UTCBs at one high address, where nothing is relocated.
 */
static void kernel_access(void) {
    for (unsigned i = 0; i < FEW; i++) {
        child[i] = child_new_at(HIGH + 0x80000);
        CHECK(child[i] != NULL);
    }
    for (unsigned step = 0; step < 200; step++) {
        L4_Word_t r = random_word();
        unsigned to = r % FEW;
        L4_Word_t words[62];
        for (L4_Word_t w = 0; w < 62; w++) {
            words[w] = r + w * 0x01000193u;
        }
        unsigned n = 1 + (r >> 8) % 62;
        CHECK(child_send(child[to], CHILD_ECHO, n, words));
        struct outcome o = child_wait(child[to]);
        EQUAL(o.kind, OUTCOME_DONE);
        for (unsigned w = 0; w < n; w++) {
            EQUAL(o.words[w + 1], words[w]);
        }
        /* And from child to child, with no help of ours. */
        unsigned next = (to + 1) % FEW;
        const L4_Word_t receive[2] = {child[to]->id.raw, L4_Timeouts(L4_Never, PATIENCE)};
        CHECK(child_send(child[next], CHILD_RECEIVE, 2, receive));
        struct outcome sent = child_do(child[to], CHILD_SEND, child[next]->id.raw, r,
                                       L4_Timeouts(PATIENCE, L4_Never), 0);
        EQUAL(sent.words[0], 0);
        o = child_wait(child[next]);
        EQUAL(o.words[2], r);
        EQUAL(o.words[3], child[to]->id.raw);
    }
}

/* One megabyte of sigma0's, for the tests that need a section; got once and kept. */
static L4_Fpage_t megabyte(void) {
    return L4_Sigma0_GetAny(L4_nilthread, 20, L4_CompleteAddressSpace);
}

/* Maps the megabyte at `va` of the child, as a whole. */
static bool map_megabyte(struct task *to, L4_Fpage_t fpage, L4_Word_t va) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(fpage, L4_FullyAccessible), va));
    return child_map(to, &msg);
}

/* 3: after an unmap of 1 MB or more the caching page directory kept the entry. */
static void directory_learns_removals(void) {
    NEEDS_PROTECTION;
    L4_Fpage_t fpage = L4_FpageAddRights(megabyte(), L4_FullyAccessible);
    static const L4_Word_t places[] = {0x00300000, HIGH, 0x10000000};
    CHECK(L4_SizeLog2(fpage) == 20);
    CHECK(make(2));
    for (unsigned i = 0; i < 3; i++) {
        CHECK(map_megabyte(child[0], fpage, places[i]));
        CHECK(child_fill(child[0], places[i], 64, i));
        CHECK(child_fill(child[0], places[i] + 0xff000, 64, i));
        CHECK(child_read(child[1], child_kip(child[1])) == L4_KIP_MAGIC);
        CHECK(child_holds(child[0], places[i], 64, i));
        (void)L4_UnmapFpage(fpage);
        CHECK(child_denied(child[0], CHILD_READ, places[i], L4_Readable));
        CHECK(child_denied(child[0], CHILD_WRITE, places[i] + 0xff000, L4_Writable));
        CHECK(child_denied(child[1], CHILD_READ, places[i], L4_Readable));
        EQUAL(((volatile L4_Word32_t *)(uintptr_t)L4_Address(fpage))[3], CHILD_PATTERN(i, 3));
    }
    (void)L4_Flush(
        L4_FpageAddRights(L4_FpageLog2(L4_Address(fpage), MACHINE_TABLE_LOG2), L4_FullyAccessible));
}

/*
 * 3 again: a space gives up a megabyte of its own, page table included; the table's memory is
 * then used for others. The first space has to fault there, whatever the table holds by now.
 */
static void directory_learns_own_removal(void) {
    NEEDS_PROTECTION;
    static const L4_Word_t places[] = {HIGH, 0x00300000};
    for (unsigned i = 0; i < 2; i++) {
        struct task *first = child_new();
        CHECK(first != NULL);
        CHECK(task_add_page(first, places[i], NULL, L4_ReadWriteOnly) != NULL);
        CHECK(child_fill(first, places[i], 64, i));
        L4_Fpage_t all = L4_FpageAddRights(L4_FpageLog2(places[i], 20), L4_FullyAccessible);
        EQUAL(child_do(first, CHILD_UNMAP, L4_UNMAP_FLUSH, all.raw, 0, 0).kind, OUTCOME_DONE);
        frame_free(task_remove_page(first, places[i]));
        for (unsigned other = 0; other < 4; other++) {
            child[other] = child_new();
            CHECK(child[other] != NULL);
            CHECK(task_add_page(child[other], 0x00500000, NULL, L4_ReadWriteOnly) != NULL);
            CHECK(child_fill(child[other], 0x00500000, 64, 0x30 + other));
        }
        /* First where every other space has its KIP, if the table is that of its first megabyte. */
        CHECK(child_denied(first, CHILD_READ, places[i] + TASK_KIP, L4_Readable));
        CHECK(child_denied(first, CHILD_READ, places[i], L4_Readable));
        CHECK(child_denied(first, CHILD_WRITE, places[i], L4_Writable));
        for (unsigned other = 0; other < 4; other++) {
            CHECK(child_holds(child[other], 0x00500000, 64, 0x30 + other));
        }
    }
}

/* 4: entries of the directory's first and last megabytes, and of a slot's. */
static void index_arithmetic(void) {
    NEEDS_PROTECTION;
    static const L4_Word_t places[] = {0x00000000,
                                       0x01fff000,
                                       0x02000000,
                                       0x03fff000,
                                       0x7ff00000,
                                       0x80000000,
                                       L4_ROOT_UTCB_AREA - 0x100000,
                                       KERNEL_AREA - 0x1000};
    enum { N = sizeof places / sizeof places[0] };
    CHECK(make(FEW));
    for (unsigned i = 0; i < FEW; i++) {
        for (unsigned p = 0; p < N; p++) {
            CHECK(task_add_page(child[i], places[p], NULL, L4_ReadWriteOnly) != NULL);
            CHECK(child_fill(child[i], places[p], 16, i * N + p));
        }
    }
    for (unsigned p = 0; p < N; p++) {
        for (unsigned i = 0; i < FEW; i++) {
            CHECK(child_holds(child[i], places[p], 16, i * N + p));
        }
    }
    for (unsigned i = 0; i < FEW; i++) {
        for (unsigned p = 0; p < N; p++) {
            frame_free(task_remove_page(child[i], places[p]));
            CHECK(child_denied(child[i], CHILD_READ, places[p], L4_Readable));
        }
    }
}

/* 5: a domain that was clean when it was taken: its translations and instructions must go too. */
static void clean_recycling(void) {
    NEEDS_PROTECTION;
    CHECK(make(CROWD));
    for (unsigned i = 0; i < CROWD; i++) {
        uint8_t *frame = task_add_page(child[i], HIGH, NULL, L4_ReadeXecOnly);
        CHECK(frame != NULL);
        put_function(frame, i);
        *(volatile L4_Word32_t *)(void *)(frame + 512) = 0x5000 + i;
    }
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < CROWD; i++) {
            unsigned who = (i * 7 + round) % CROWD;
            EQUAL(child_execute(child[who], HIGH), who);
            EQUAL(child_read(child[who], HIGH + 512), 0x5000 + who);
        }
    }
}

/* 6: relocation that was never on. Spaces with everything at equal low addresses do not collide. */
static void relocation_is_on(void) {
    CHECK(make(FEW));
    if (!have_domains()) {
        return;
    }
    for (unsigned i = 0; i < FEW; i++) {
        CHECK(task_add_page(child[i], PAGE, NULL, L4_ReadWriteOnly) != NULL);
        CHECK(child_fill(child[i], PAGE, 16, i));
    }
    L4_Word_t collisions = L4_KDB_Statistic(L4_STAT_COLLISIONS);
    for (unsigned step = 0; step < 100; step++) {
        unsigned i = random_word() % FEW;
        CHECK(child_holds(child[i], PAGE, 16, i));
    }
    EQUAL(L4_KDB_Statistic(L4_STAT_COLLISIONS) - collisions, 0);
    /* The count does count: pages at an equal high address do collide. */
    for (unsigned i = 0; i < 2; i++) {
        CHECK(task_add_page(child[i], HIGH, NULL, L4_ReadWriteOnly) != NULL);
        CHECK(child_fill(child[i], HIGH, 16, i));
    }
    CHECK(child_holds(child[0], HIGH, 16, 0));
    CHECK(L4_KDB_Statistic(L4_STAT_COLLISIONS) - collisions >= 2);
}

/* 7: the address in a page-fault message is the program's, and a first write is a write. */
static void fault_addresses(void) {
    NEEDS_PROTECTION;
    CHECK(make(FEW));
    for (unsigned i = 0; i < FEW; i++) {
        L4_Word_t va = PAGE + i * 0x1004;
        CHECK(child_denied(child[i], CHILD_READ, va, L4_Readable));
        CHECK(child_denied(child[i], CHILD_WRITE, va + 0x1000, L4_Writable));
        CHECK(child_denied(child[i], CHILD_EXECUTE, va + 0x2000, L4_eXecutable));
        CHECK(child_denied(child[i], CHILD_WRITE, 0x01fffffc, L4_Writable));
        CHECK(child_denied(child[i], CHILD_WRITE, 0x02000000, L4_Writable));
    }
}

/* 8: UTCBs at equal addresses that make each IPC a collision. Warm IPC loads and collides never. */
static void utcbs_apart(void) {
    CHECK(make(FEW));
    if (!have_domains()) {
        return;
    }
    for (unsigned i = 0; i < 2 * FEW; i++) {
        EQUAL(child_read(child[i % FEW], child[i % FEW]->utcbs), child[i % FEW]->id.raw);
    }
    L4_Word_t collisions = L4_KDB_Statistic(L4_STAT_COLLISIONS);
    L4_Word_t loads = L4_KDB_Statistic(L4_STAT_CPD_LOADS);
    L4_Word_t flushes = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES);
    for (unsigned step = 0; step < 200; step++) {
        unsigned i = random_word() % FEW;
        EQUAL(child_read(child[i], child[i]->utcbs), child[i]->id.raw);
    }
    EQUAL(L4_KDB_Statistic(L4_STAT_COLLISIONS) - collisions, 0);
    EQUAL(L4_KDB_Statistic(L4_STAT_CPD_LOADS) - loads, 0);
    EQUAL(L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES) - flushes, 0);
}

/*
 * The caching page directory never loses an entry of a space that runs: while others take all
 * domains in turn, come and go, and give up megabytes of theirs, we find ours without a fault. (But
 * when we have just ceased to bypass the CPD, for which we gave them up.)
 */
static void running_space_keeps_entries(void) {
    NEEDS_PROTECTION;
    const volatile uint8_t *block = frames_block(); /* one of our megabytes; UTCBs are another's */
    const volatile L4_Word_t *utcb = (const volatile void *)L4_MyUtcb();
    CHECK(make(CROWD));
    CHECK(run_crowd(0));
    L4_Word_t all = L4_FpageAddRights(L4_FpageLog2(PAGE & ~0xfffffu, 20), L4_Readable).raw;
    (void)block[0]; /* in an earlier test we may have bypassed the CPD */
    (void)utcb[0];
    for (unsigned step = 0; step < 3 * CROWD; step++) {
        unsigned i = step % CROWD;
        L4_Word_t backs = L4_KDB_Statistic(L4_STAT_BYPASS_END);
        if (step % 7 == 3) {
            child_delete(child[i]);
            child[i] = child_new();
            CHECK(child[i] != NULL);
        } else if (step % 7 == 5) {
            EQUAL(child_do(child[i], CHILD_UNMAP, 0, all, 0, 0).kind, OUTCOME_DONE);
        } else {
            CHECK(child_read(child[i], child_kip(child[i])) == L4_KIP_MAGIC);
        }
        L4_Word_t loads = L4_KDB_Statistic(L4_STAT_CPD_LOADS);
        (void)block[step * 32 % FRAMES_BLOCK_SIZE];
        (void)utcb[0];
        if (L4_KDB_Statistic(L4_STAT_BYPASS_END) == backs) {
            EQUAL(L4_KDB_Statistic(L4_STAT_CPD_LOADS) - loads, 0);
        }
    }
}

/* 9: dirty lines of a page taken away, stale lines of a page that comes, one frame twice. */
static void unmap_and_remap(void) {
    NEEDS_PROTECTION;
    static const L4_Word_t places[] = {PAGE, HIGH, 0x00055000};
    CHECK(make(3));
    uint8_t *frame = task_add_page(child[0], places[0], NULL, L4_ReadWriteOnly);
    CHECK(frame != NULL);
    volatile L4_Word32_t *ours = (volatile L4_Word32_t *)(void *)frame;
    unsigned at = 0;
    for (L4_Word_t round = 0; round < 9; round++) {
        CHECK(child_fill(child[at], places[at], 1024, round));
        CHECK(task_remove_page(child[at], places[at]) == frame);
        if (round & 1) { /* we read it, or not, and leave lines of our own */
            EQUAL(ours[0], CHILD_PATTERN(round, 0));
            EQUAL(ours[1023], CHILD_PATTERN(round, 1023));
            ours[17] = (L4_Word32_t)round;
        }
        at = (at + 1) % 3;
        CHECK(task_add_page(child[at], places[at], frame, L4_ReadWriteOnly) != NULL);
        EQUAL(child_read(child[at], places[at] + 17 * 4),
              round & 1 ? round : CHILD_PATTERN(round, 17));
        EQUAL(child_read(child[at], places[at] + 1023 * 4), CHILD_PATTERN(round, 1023));
    }
    /* The same frame in two spaces and in ours, all writing in turn. */
    CHECK(task_add_page(child[(at + 1) % 3], places[(at + 1) % 3], frame, L4_ReadWriteOnly) !=
          NULL);
    for (L4_Word_t round = 0; round < 9; round++) {
        unsigned who = (at + (round & 1)) % 3;
        unsigned other = (at + 1 - (round & 1)) % 3;
        CHECK(child_write(child[who], places[who] + 0x20, 0x900 + round));
        EQUAL(child_read(child[other], places[other] + 0x20), 0x900 + round);
        EQUAL(ours[8], 0x900 + round);
        ours[8] = (L4_Word32_t)round;
        EQUAL(child_read(child[who], places[who] + 0x20), round);
    }
    CHECK(task_remove_page(child[(at + 1) % 3], places[(at + 1) % 3]) == frame);
}

/*
 * 9, within one space: a page written and then given up by its own space, seen at a second address
 * at once. No switch in between writes the lines back.
 */
static void unmap_own_page(void) {
    NEEDS_PROTECTION;
    CHECK(make(1));
    uint8_t *frame = task_add_page(child[0], PAGE, NULL, L4_ReadWriteOnly);
    CHECK(frame != NULL);
    CHECK(task_add_page(child[0], HIGH, frame, L4_ReadWriteOnly) != NULL);
    for (L4_Word_t round = 0; round < 4; round++) {
        CHECK(child_fill(child[0], PAGE, 64, round));
        CHECK(child_holds(child[0], HIGH, 64, round));
        CHECK(child_write(child[0], PAGE + 32, 1));
        L4_Word_t arguments[5] = {PAGE + 32, 0x700 + round, L4_UNMAP_FLUSH,
                                  L4_FpageLog2(PAGE, 12).raw | L4_FullyAccessible, HIGH + 32};
        CHECK(child_send(child[0], CHILD_WRITE_UNMAP_READ, 5, arguments));
        struct outcome o = child_wait(child[0]);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0x700 + round);
    }
    child[0]->num_pages--; /* one frame, given back once */
}

/* A space of one page, the KIP and a page of UTCBs, whose thread writes to that, where no UTCB of a
 * thread is (the kernel drops a UTCB's lines itself when it reads it), and then spins. A larger
 * space's pages would be so many to clean that everything is. */
static bool fill_utcb_and_die(void) {
    static const code_t code[] = CODE_CLEAR_UTCBS;
    _Static_assert(TASK_AREAS == 0xf0000 && TASK_UTCBS == CODE_UTCBS &&
                       L4_UTCB_SIZE == CODE_UTCB_SIZE,
                   "code");
    L4_ThreadId_t id = new_thread_id(), me = L4_MyGlobalId();
    void *no_utcb = (void *)~(uintptr_t)0;
    L4_Word_t old, *frame = frame_alloc();
    TRY(frame != NULL);
    memcpy(frame, code, sizeof code);
    TRY(L4_ThreadControl(id, id, me, L4_nilthread, no_utcb) == 1);
    TRY(L4_SpaceControl(id, 0, L4_FpageLog2(TASK_KIP, FRAME_LOG2),
                        L4_FpageLog2(TASK_UTCBS, TASK_UTCBS_LOG2), L4_nilthread, &old) == 1);
    TRY(L4_ThreadControl(id, id, me, me, (void *)(uintptr_t)TASK_UTCBS) == 1);
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, PAGE);
    L4_LoadMR(2, 0);
    TRY(error_of(L4_Send_Timeout(id, PATIENCE)) == 0);
    TRY(error_of(L4_Receive_Timeout(id, PATIENCE)) == 0); /* it has no code */
    L4_Fpage_t page = L4_FpageLog2((L4_Word_t)(uintptr_t)frame, FRAME_LOG2);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(page, L4_FullyAccessible), PAGE));
    L4_MsgLoad(&msg);
    TRY(error_of(L4_Send_Timeout(id, PATIENCE)) == 0);
    L4_Sleep(L4_TimePeriod(1000));
    TRY(L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, no_utcb) == 1);
    frame_free(frame);
    return true;
}

/*
 * 9, at the end of a space: its UTCB's lines, dirty in the cache, must not be written to the frame
 * when that is another's by now. Here the kernel may use it for page tables of a child that waits
 * for pages in many megabytes; then the cache is emptied.
 */
/* A page in the n-th: in each another entry of the table, for not all of the lines are in the cache
 * by then. */
#define MEGABYTE(n) (0x00300000u + (n) * 0x100000u + (n) * 37 % 256 * FRAME_SIZE)

static void utcb_of_the_dead(void) {
    NEEDS_PROTECTION;
    const volatile uint8_t *block = frames_block();
    /* Page tables are a quarter of a page. More, and the lines have left the cache too early. */
    for (L4_Word_t megabytes = 4; megabytes <= 28; megabytes += 4) {
        const L4_Word_t accept[2] = {L4_MyGlobalId().raw, L4_CompleteAddressSpace.raw};
        L4_Msg_t msg;
        child[0] = child_new();
        CHECK(child[0] != NULL);
        L4_MsgClear(&msg);
        L4_Set_MsgLabel(&msg, CHILD_LABEL);
        *(volatile L4_Word32_t *)(uintptr_t)block = (L4_Word32_t)(0x2000 + megabytes);
        L4_Fpage_t page = L4_FpageLog2((L4_Word_t)block, FRAME_LOG2);
        for (L4_Word_t i = 0; i < megabytes; i++) {
            L4_MsgAppendMapItem(&msg,
                                L4_MapItem(L4_FpageAddRights(page, L4_Readable), MEGABYTE(i)));
        }
        CHECK(child_send(child[0], CHILD_ACCEPT, 2, accept));
        CHECK(fill_utcb_and_die());
        L4_MsgLoad(&msg);
        EQUAL(error_of(L4_Send_Timeout(child[0]->id, PATIENCE)), 0);
        for (L4_Word_t at = 0; at < FRAMES_BLOCK_SIZE; at += 32) {
            (void)block[at];
        }
        EQUAL(child_wait(child[0]).kind, OUTCOME_DONE);
        for (L4_Word_t i = 0; i < megabytes; i++) {
            EQUAL(child_read(child[0], MEGABYTE(i)), 0x2000 + megabytes);
        }
        child_delete(child[0]);
    }
}

/* 9, too: the read buffer, which programs load themselves, keeps nothing of a page that another
 * space has written since. */
static void read_buffer(void) {
    NEEDS_PROTECTION;
    if (!probe_present() || test_board()->load_read_buffer == NULL) {
        test_skip("there is no read buffer");
        return;
    }
    CHECK(make(1));
    uint8_t *frame = task_add_page(child[0], PAGE, NULL, L4_ReadWriteOnly);
    CHECK(frame != NULL);
    volatile L4_Word32_t *ours = (volatile L4_Word32_t *)(void *)frame;
    for (L4_Word_t round = 1; round < 4; round++) {
        CHECK(child_write(child[0], PAGE, round));
        EQUAL(ours[0], round);
        test_board()->load_read_buffer(ours);
        CHECK(child_write(child[0], PAGE, round + 100));
        EQUAL(ours[0], round + 100);
    }
}

/* 10: the mini data cache is part of what a flush cleans. */
static void mini_cache(void) {
    L4_Word_t attributes[4] = {MEMORY_OTHER, 0, 0, 0};
    CHECK(make(CROWD));
    uint8_t *frame = task_add_page(child[0], PAGE, NULL, L4_ReadWriteOnly);
    CHECK(frame != NULL);
    L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2); /* low bits: attribute 0 */
    L4_LoadMR(0, fpage.raw);
    if (!L4_MemoryControl(0, attributes)) {
        test_skip("the kernel has no MemoryControl for the mini cache");
        return;
    }
    for (L4_Word_t round = 0; round < 3; round++) {
        CHECK(child_read(child[0], PAGE) != 0xdead);
        CHECK(child_fill(child[0], PAGE, 1024, round));
        CHECK(run_crowd(1));
        CHECK(child_holds(child[0], PAGE, 1024, round));
        CHECK(child_write(child[0], PAGE, 0xface));
        EQUAL(*(volatile L4_Word32_t *)(void *)frame, 0xface);
    }
    CHECK(task_remove_page(child[0], PAGE) == frame);
    attributes[0] = L4_MEMORY_DEFAULT;
    L4_LoadMR(0, fpage.raw);
    EQUAL(L4_MemoryControl(0, attributes), 1);
    frame_free(frame);
}

const struct test pitfall_tests[] = {
    {"pitfall_01_dirty_on_every_path", dirty_on_every_path},
    {"pitfall_02_kernel_access", kernel_access},
    {"pitfall_03_directory_learns_removals", directory_learns_removals},
    {"pitfall_03_directory_learns_own_removal", directory_learns_own_removal},
    {"pitfall_04_index_arithmetic", index_arithmetic},
    {"pitfall_05_clean_recycling", clean_recycling},
    {"pitfall_06_relocation_is_on", relocation_is_on},
    {"pitfall_07_fault_addresses", fault_addresses},
    {"pitfall_08_utcbs_apart", utcbs_apart},
    {"pitfall_running_space_keeps_entries", running_space_keeps_entries},
    {"pitfall_09_unmap_and_remap", unmap_and_remap},
    {"pitfall_09_unmap_own_page", unmap_own_page},
    {"pitfall_09_utcb_of_the_dead", utcb_of_the_dead},
    {"pitfall_09_read_buffer", read_buffer},
    {"pitfall_10_mini_cache", mini_cache},
    {NULL, NULL},
};
