/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The long random test: workers in spaces of their own map, grant, unmap, send strings, are killed
 * and made again, in an order that the seed decides, while a model says who may see which page and
 * what is in it (model.h). Each access that the model denies has to fault, each that it allows has
 * to find what the model has. At the end the kernel has all its memory back.
 *
 *   seed=N operations=N    on the command line
 *
 * Prints what was done, then, as the kernel tests do: PASS or FAIL, RESULT, END.
 */
#include <lib/print.h>
#include <lib/string.h>

#include "../common/frames.h"
#include "../common/probe.h"
#include "workers.h"

#define MIN_LOG2 12u
#define MAX_LOG2 21u

static L4_Word_t seed = 1, operations = 100000;
static L4_Word_t step; /* operations so far: accesses count, each */
static L4_Word_t counts[8];
enum { MAPS, GRANTS, UNMAPS, STRINGS, KILLS, ATTRIBUTES, GIVES, ACCESSES };
static L4_Word32_t state;
static L4_Word_t pages_before;

static void finish(unsigned status) {
    print("END status=%u\n", status);
    if (probe_present()) {
        probe_write(PROBE_EXIT, status);
    }
    for (;;) {
        L4_Sleep(L4_Never);
    }
}

_Noreturn void mismatch(const char *what, unsigned space, L4_Word_t va, L4_Word_t got,
                        L4_Word_t expected) {
    print("FAIL random: %s: space %u va 0x%x: got 0x%x, expected 0x%x; seed %u, step %u\n", what,
          space, va, got, expected, seed, step);
    print("RESULT passed=0 failed=1 free_pages_before=0 free_pages_after=0\n");
    finish(1);
    __builtin_unreachable();
}

/* ---- chance ---- */

static L4_Word32_t random_word(void) { /* xorshift32 */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

unsigned random_below(L4_Word_t n) {
    return (unsigned)((random_word() >> 8) % n);
}

static bool chance(L4_Word_t percent) {
    return random_below(100) < percent;
}

/* Small ones mostly: a large one takes as long as its pages if it is in pieces. */
static unsigned random_log2(void) {
    static const uint8_t logs[] = {12, 12, 12, 12, 12, 12, 12, 12, 13, 13,
                                   14, 15, 16, 16, 16, 16, 17, 18, 20, 20};
    return chance(1) ? MAX_LOG2 : logs[random_below(sizeof logs)];
}

static L4_Word_t random_rights(void) {
    return chance(50) ? L4_FullyAccessible : 1 + random_below(7);
}

/* Some page of the space, aligned to `log2`; one with something in it, mostly. */
static unsigned random_page(unsigned space, unsigned log2, bool mapped) {
    unsigned pages = space == 0 ? FRAMES : PAGES;
    unsigned page = 0;
    for (unsigned tries = 0; tries < 24; tries++) {
        page = random_below(pages) & ~((1u << (log2 - MIN_LOG2)) - 1);
        if (!mapped || model_pages[space][page] != NULL) {
            break;
        }
    }
    return page;
}

static unsigned random_worker(void) {
    return 1 + random_below(SPACES - 1);
}

static L4_Word_t fpage(unsigned space, unsigned page, unsigned log2, L4_Word_t rights) {
    return L4_FpageLog2(page_va(space, page), log2).raw | rights;
}

static L4_Word_t low_mask(unsigned log2) {
    return (1u << log2) - 1;
}

/* ---- operations ---- */

/* From any space to a worker. The placement of the smaller fpage in the larger is the manual's. */
static void map(void) {
    unsigned s = chance(40) ? 0 : random_worker(), t = random_worker();
    unsigned log2 = random_log2(), p = random_page(s, log2, chance(90));
    L4_Word_t rights = random_rights();
    bool grant = chance(15);
    unsigned n = 1u << (log2 - MIN_LOG2), q, from = p;
    L4_Word_t window, base = random_word() & ~0x3ffu;
    if (s == t) {
        return;
    }
    if (chance(50)) {
        window = L4_CompleteAddressSpace.raw;
        q = random_page(t, log2, chance(30));
        base = page_va(t, q) | (base & low_mask(log2));
    } else {
        unsigned window_log2 = random_log2();
        q = random_page(t, window_log2, chance(30));
        window = fpage(t, q, window_log2, 0);
        if (log2 <= window_log2) {
            q += (base & low_mask(window_log2) & ~low_mask(log2)) >> MIN_LOG2;
        } else {
            from += (base & low_mask(log2) & ~low_mask(window_log2)) >> MIN_LOG2;
            n = 1u << (window_log2 - MIN_LOG2);
        }
    }
    if (model_is_ambiguous(s, from, t, q, n)) {
        return;
    }
    const L4_Word_t accept[2] = {s == 0 ? L4_MyGlobalId().raw : worker_id(s).raw, window};
    const L4_Word_t item[2] = {base | (grant ? L4_ITEM_GRANT : L4_ITEM_MAP),
                               fpage(s, p, log2, rights)};
    L4_Word_t error;
    worker_tell(t, RANDOM_ACCEPT, 2, accept);
    if (s == 0) {
        L4_LoadMR(0, L4_MakeMsgTag(RANDOM_LABEL, 0, 2).raw);
        L4_LoadMRs(1, 2, item);
        error = L4_IpcFailed(L4_Send_Timeout(worker_id(t), RANDOM_TIMEOUT)) ? L4_ErrorCode() : 0;
    } else {
        const L4_Word_t tell[4] = {worker_id(t).raw, item[0], item[1],
                                   L4_Timeouts(RANDOM_TIMEOUT, L4_Never)};
        worker_tell(s, RANDOM_MAP, 4, tell);
        error = worker_wait(s);
    }
    for (unsigned i = 0; i < n; i++) {
        model_map(s, from + i, t, q + i, rights, grant);
    }
    error |= worker_wait(t);
    if (error != 0) {
        mismatch("the item arrives", t, page_va(t, q), error, 0);
    }
    counts[grant ? GRANTS : MAPS]++;
}

/* Sigma0 gives the frames again, to the root, which is their first owner. */
static void give(unsigned page, unsigned log2) {
    L4_Fpage_t wanted = {.raw = fpage(0, page, log2, L4_FullyAccessible)};
    if (L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, wanted))) {
        mismatch("sigma0 gives the page", 0, page_va(0, page), 0, 1);
    }
    for (unsigned i = 0; i < 1u << (log2 - MIN_LOG2); i++) {
        model_give(page + i);
    }
    counts[GIVES]++;
}

static void take_all(unsigned page, unsigned log2) {
    (void)L4_Flush((L4_Fpage_t){.raw = fpage(0, page, log2, L4_FullyAccessible)});
    for (unsigned i = 0; i < 1u << (log2 - MIN_LOG2); i++) {
        model_unmap(0, page + i, L4_FullyAccessible, true);
    }
}

/* A megabyte is one piece again. */
static void renew(void) {
    unsigned page = random_below(2) * 256;
    take_all(page, 20);
    give(page, 20);
}

/* To one that does not listen, or dies while we send: nothing arrives. */
static void map_in_vain(void) {
    unsigned s = random_worker(), t = random_worker(), log2 = random_log2();
    bool dies = chance(30);
    if (s == t) {
        return;
    }
    const L4_Word_t tell[4] = {worker_id(t).raw, page_va(t, 0) | L4_ITEM_GRANT,
                               fpage(s, random_page(s, log2, true), log2, L4_FullyAccessible),
                               dies ? L4_Timeouts(RANDOM_TIMEOUT, L4_Never)
                                    : L4_Timeouts(L4_ZeroTime, L4_Never)};
    worker_tell(s, RANDOM_MAP, 4, tell);
    if (dies) {
        /* Both are as important as we are; the sender shall be waiting when its partner dies. */
        L4_ThreadSwitch(worker_id(s));
        worker_end(t);
        model_kill(t);
        counts[KILLS]++;
    }
    if (worker_wait(s) == 0) {
        mismatch("a message to nobody fails", s, 0, 0, 1);
    }
    if (dies) {
        worker_make(t);
    }
}

static void unmap(void) {
    unsigned s = chance(30) ? 0 : random_worker();
    unsigned log2 = random_log2(), p = random_page(s, log2, chance(95));
    L4_Word_t rights = chance(60) ? L4_FullyAccessible : random_below(8);
    bool own = chance(s == 0 ? 15 : 40);
    L4_Word_t control = own ? L4_UNMAP_FLUSH : 0;
    const L4_Word_t raw = fpage(s, p, log2, rights);
    if (s == 0) {
        L4_LoadMR(0, raw);
        L4_Unmap(control);
    } else {
        const L4_Word_t tell[2] = {control, raw};
        worker_tell(s, RANDOM_UNMAP, 2, tell);
    }
    for (unsigned i = 0; i < 1u << (log2 - MIN_LOG2); i++) {
        model_unmap(s, p + i, rights, own);
    }
    if (s != 0) {
        (void)worker_wait(s);
    } else if (own && chance(70)) {
        give(p, log2);
    }
    counts[UNMAPS]++;
}

/* A page's worth from one worker to another. */
static void send_string(void) {
    unsigned s = random_worker(), t = random_worker();
    unsigned p = random_page(s, MIN_LOG2, true), q = 0;
    for (unsigned tries = 0; tries < 24 && !model_may(t, q, true); tries++) {
        q = random_page(t, MIN_LOG2, true);
    }
    /* Where all programs share one space, what is sent is not what is mapped here. */
    if (!task_protected() || s == t || !model_may(s, p, false) || !model_may(t, q, true)) {
        return;
    }
    const L4_Word_t receive[3] = {worker_id(s).raw, access_va(t, q), FRAME_SIZE};
    const L4_Word_t send[3] = {worker_id(t).raw, access_va(s, p), FRAME_SIZE};
    worker_tell(t, RANDOM_RECEIVE, 3, receive);
    worker_tell(s, RANDOM_SEND, 3, send);
    L4_Word_t error = worker_wait(s) | worker_wait(t);
    if (error != 0) {
        mismatch("the string arrives", t, access_va(t, q), error, 0);
    }
    memcpy(model_marks[model_frame(t, q)], model_marks[model_frame(s, p)], sizeof model_marks[0]);
    counts[STRINGS]++;
}

static void kill(void) {
    unsigned w = random_worker();
    worker_end(w);
    model_kill(w);
    worker_make(w);
    counts[KILLS]++;
}

static void set_attribute(void) {
    unsigned log2 = random_log2(), p = random_page(0, log2, true);
    L4_Word_t all = 1;
    for (unsigned i = 0; i < 1u << (log2 - MIN_LOG2); i++) {
        all &= model_pages[0][p + i] != NULL;
    }
    L4_Word_t attributes[4] = {random_below(L4_MEMORY_LAST + 1), random_below(L4_MEMORY_LAST + 1),
                               random_below(L4_MEMORY_LAST + 1), random_below(L4_MEMORY_LAST + 1)};
    L4_LoadMR(0, fpage(0, p, log2, 0) | random_below(4));
    if (L4_MemoryControl(0, attributes) != all) {
        mismatch("MemoryControl of what we have", 0, page_va(0, p), !all, all);
    }
    counts[ATTRIBUTES]++;
}

static void some_accesses(void) {
    static struct access list[RANDOM_ACCESSES];
    unsigned w = random_worker(), n = 8 + random_below(RANDOM_ACCESSES - 7);
    unsigned near = random_page(w, MIN_LOG2, true);
    for (unsigned i = 0; i < n; i++) {
        struct access *a = &list[i];
        a->page = chance(30) ? near ^ random_below(8) : random_page(w, MIN_LOG2, chance(96));
        a->mark = random_below(MARKS);
        a->offset = mark_offsets[a->mark];
        a->write = chance(50) && (model_may(w, a->page, true) || chance(20));
        if (!model_may(w, a->page, false) && chance(70)) {
            a->page = near; /* most accesses are those of a program that knows what it may */
        }
        a->word = random_word();
    }
    worker_access(w, list, n);
    step += n;
    counts[ACCESSES] += n;
}

/* Our own; where we have given a frame up, sigma0 serves the fault. */
static void own_access(void) {
    unsigned frame = random_below(FRAMES), mark = random_below(MARKS);
    volatile L4_Word_t *at =
        (volatile L4_Word_t *)(uintptr_t)(page_va(0, frame) + mark_offsets[mark]);
    bool write = chance(40);
    if (!model_may(0, frame, write)) {
        model_give(frame);
    }
    if (write) {
        model_marks[frame][mark] = random_word();
        *at = model_marks[frame][mark];
    } else if (*at != model_marks[frame][mark]) {
        mismatch("our word", 0, page_va(0, frame), *at, model_marks[frame][mark]);
    }
    step++;
    counts[ACCESSES]++;
}

static void one_step(void) {
    L4_Word_t what = random_below(1000);
    step++;
    if (what < 500) {
        map();
    } else if (what < 800) {
        unmap();
    } else if (what < 900) {
        send_string();
    } else if (what < 950) {
        set_attribute();
    } else if (what < 975) {
        map_in_vain();
    } else if (what < 990) {
        renew();
    } else {
        kill();
    }
    own_access();
    if (chance(75)) {
        some_accesses();
    }
}

/* ---- beginning and end ---- */

/* NAME=NUMBER on the command line. */
static L4_Word_t option(const char *name, L4_Word_t otherwise) {
    const char *line = L4_BootInfo_CommandLine(L4_BootInfo(L4_GetKernelInterface()));
    size_t length = strlen(name);
    for (; line != NULL && *line != '\0'; line++) {
        if (strncmp(line, name, length) == 0 && line[length] == '=') {
            L4_Word_t value = 0;
            for (line += length + 1; *line >= '0' && *line <= '9'; line++) {
                value = 10 * value + (L4_Word_t)(*line - '0');
            }
            return value;
        }
    }
    return otherwise;
}

static bool get_pool(void) {
    L4_Fpage_t all = L4_Sigma0_GetAny(L4_nilthread, MAX_LOG2, L4_CompleteAddressSpace);
    pool = L4_Address(all);
    if (L4_SizeLog2(all) != MAX_LOG2) {
        return false;
    }
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        for (unsigned mark = 0; mark < MARKS; mark++) {
            *(volatile L4_Word_t *)(uintptr_t)(page_va(0, frame) + mark_offsets[mark]) = 0;
        }
    }
    (void)L4_Flush(L4_FpageAddRights(all, L4_FullyAccessible));
    return true;
}

int main(void) {
    frames_init();
    (void)probe_init();
    seed = option("seed", seed);
    operations = option("operations", operations);
    state = (L4_Word32_t)seed * 0x9e3779b1u | 1;
    model_init(!task_protected());
    if (!get_pool()) {
        mismatch("sigma0 has 2 MB", 0, 0, 0, 1);
    }
    pages_before = L4_KDB_Statistic(L4_STAT_FREE_PAGES);
    give(0, MAX_LOG2);
    for (unsigned w = 1; w < SPACES; w++) {
        worker_make(w);
    }
    L4_Word_t splits = L4_KDB_Statistic(L4_STAT_PAGE_SPLITS);
    while (step < operations) {
        one_step();
    }
    splits = L4_KDB_Statistic(L4_STAT_PAGE_SPLITS) - splits;
    for (unsigned w = 1; w < SPACES; w++) {
        worker_end(w);
        model_kill(w);
    }
    /* What was granted to those that are gone is nobody's now; the rest is ours. */
    (void)L4_Flush((L4_Fpage_t){.raw = fpage(0, 0, MAX_LOG2, L4_FullyAccessible)});
    L4_Word_t pages_after = L4_KDB_Statistic(L4_STAT_FREE_PAGES);
    print("OPERATIONS %u: maps=%u grants=%u unmaps=%u strings=%u kills=%u attributes=%u gives=%u "
          "accesses=%u (denied=%u resolved=%u) splits=%u\n",
          step, counts[MAPS], counts[GRANTS], counts[UNMAPS], counts[STRINGS], counts[KILLS],
          counts[ATTRIBUTES], counts[GIVES], counts[ACCESSES], denied_count, resolved_count,
          splits);
    bool good = pages_before == pages_after;
    print(good ? "PASS random\n" : "FAIL random: the kernel lost memory\n");
    print("RESULT passed=%u failed=%u free_pages_before=%u free_pages_after=%u\n", good, !good,
          pages_before, pages_after);
    finish(good ? 0 : 1);
    return 0;
}
