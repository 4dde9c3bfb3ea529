/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that several spaces map at the same address, above the 32 MB that are relocated. Under the
 * scheme `fass-shared` these spaces share a domain, and with it TLB entries, as long as the whole
 * megabyte looks the same to them. What must hold holds under every scheme; that there is sharing
 * is seen by the kernel's counts.
 */
#include "test.h"

#define HIGH    0x80000000u
#define SECTION 0x00100000u
#define PAGES   4u
#define SHARERS 5u
#define CROWD   20u /* more than there are domains */

static struct task *child[CROWD];
static uint8_t *frames[16 * PAGES];
static unsigned num_frames;

static bool make(unsigned n) {
    num_frames = 0;
    for (unsigned i = 0; i < n; i++) {
        child[i] = child_new();
        TRY(child[i] != NULL);
    }
    return true;
}

static L4_Word32_t *word_of(unsigned frame) {
    return (L4_Word32_t *)(void *)frames[frame];
}

/* A frame for children to share, which says in its first word which it is. */
static bool make_frames(unsigned n) {
    while (num_frames < n) {
        frames[num_frames] = frame_alloc();
        TRY(frames[num_frames] != NULL);
        *word_of(num_frames) = 0xf0000 + num_frames;
        num_frames++;
    }
    return true;
}

/* At the end, whatever happened: the frames are in no child's list (they would be given back once
 * for each), and nobody has them. */
static void give_back(void) {
    for (unsigned i = 0; i < CROWD; i++) {
        for (unsigned f = 0; child[i] != NULL && f < num_frames; f++) {
            for (unsigned p = child[i]->num_pages; p-- > 0;) {
                if (child[i]->pages[p].frame == frames[f]) {
                    child[i]->pages[p] = child[i]->pages[--child[i]->num_pages];
                }
            }
        }
        child[i] = NULL;
    }
    for (unsigned f = 0; f < num_frames; f++) {
        (void)L4_UnmapFpage(
            L4_FpageAddRights(L4_FpageLog2((L4_Word_t)frames[f], FRAME_LOG2), L4_FullyAccessible));
        frame_free(frames[f]);
    }
    num_frames = 0;
}

static bool give(unsigned to, L4_Word_t va, unsigned frame, L4_Word_t rights) {
    TRY(task_add_page(child[to], va, frames[frame], rights) != NULL);
    return true;
}

/* Frames 0 to PAGES-1 at HIGH of children 0 to n-1, each of whom has touched them. */
static bool share(unsigned n, L4_Word_t rights) {
    TRY(make_frames(PAGES));
    for (unsigned i = 0; i < n; i++) {
        for (unsigned p = 0; p < PAGES; p++) {
            TRY(give(i, HIGH + p * FRAME_SIZE, p, rights));
            TRY(child_read(child[i], HIGH + p * FRAME_SIZE) == 0xf0000 + p);
        }
    }
    return true;
}

static bool all_read(unsigned first, unsigned n) {
    for (unsigned i = first; i < n; i++) {
        for (unsigned p = 0; p < PAGES; p++) {
            TRY(child_read(child[i], HIGH + p * FRAME_SIZE) == 0xf0000 + p);
        }
    }
    return true;
}

/* Does this scheme share? It does so in the tests before the question, or never. */
static bool shares(void) {
    return L4_KDB_Statistic(L4_STAT_SECTIONS_SHARED) != 0;
}

/* Equal pages at an equal address: no collisions once all have them. */
static bool equal_pages(void) {
    TRY(make(SHARERS) && share(SHARERS, L4_ReadeXecOnly) && all_read(0, SHARERS));
    L4_Word_t collisions = L4_KDB_Statistic(L4_STAT_COLLISIONS);
    L4_Word_t flushes = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES);
    TRY(all_read(0, SHARERS));
    if (!shares()) {
        test_skip("this scheme does not share");
        return true;
    }
    TRY(L4_KDB_Statistic(L4_STAT_COLLISIONS) == collisions);
    TRY(L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES) == flushes);
    return true;
}

/* Likewise, written: each sees at once what another wrote, also after domains went round. */
static bool equal_pages_written(void) {
    TRY(make(CROWD) && share(SHARERS, L4_ReadWriteOnly));
    for (L4_Word_t round = 0; round < 20; round++) {
        L4_Word_t va = HIGH + (round % PAGES) * FRAME_SIZE + 0x40;
        TRY(child_write(child[round % SHARERS], va, 0x3000 + round));
        for (unsigned i = 0; i < SHARERS; i++) {
            TRY(child_read(child[i], va) == 0x3000 + round);
        }
        if (round % 5 == 4) {
            for (unsigned i = SHARERS; i < CROWD; i++) {
                TRY(child_read(child[i], TASK_KIP) == L4_KIP_MAGIC);
            }
        }
        TRY(*(volatile L4_Word32_t *)(void *)(frames[round % PAGES] + 0x40) == 0x3000 + round);
    }
    return true;
}

/* Who has not mapped the pages may not see them, nor any other page of that megabyte. */
static bool strangers(void) {
    TRY(make(SHARERS + 2) && share(SHARERS, L4_ReadWriteOnly) && all_read(0, SHARERS));
    struct task *nothing = child[SHARERS], *other = child[SHARERS + 1];
    TRY(child_denied(nothing, CHILD_READ, HIGH, L4_Readable));
    TRY(child_denied(nothing, CHILD_WRITE, HIGH + FRAME_SIZE, L4_Writable));
    /* One with a page of its own there, and the sharers do not see that. */
    TRY(task_add_page(other, HIGH + PAGES * FRAME_SIZE, NULL, L4_ReadWriteOnly) != NULL);
    TRY(child_write(other, HIGH + PAGES * FRAME_SIZE, 0x07e4));
    TRY(child_denied(other, CHILD_READ, HIGH, L4_Readable));
    for (unsigned i = 0; i < SHARERS; i++) {
        TRY(child_denied(child[i], CHILD_READ, HIGH + PAGES * FRAME_SIZE, L4_Readable));
        TRY(all_read(i, i + 1));
        TRY(child_read(other, HIGH + PAGES * FRAME_SIZE) == 0x07e4);
    }
    /* One with the same pages but for one, which is another's frame. */
    TRY(make_frames(PAGES + 1));
    for (unsigned p = 0; p < PAGES; p++) {
        TRY(give(SHARERS, HIGH + p * FRAME_SIZE, p == 2 ? PAGES : p, L4_ReadWriteOnly));
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned p = 0; p < PAGES; p++) {
            TRY(child_read(nothing, HIGH + p * FRAME_SIZE) == 0xf0000 + (p == 2 ? PAGES : p));
        }
        TRY(all_read(i, i + 1));
    }
    return true;
}

/* The last one to come is the one whose page table is in use, so it comes first in what follows. */
#define LAST_FIRST(i) (SHARERS - 1 - (i))

/*
 * One space gives a page up: it is gone for that one only, whoever's page table was in use, and at
 * once: its very next access is one that it has no right to.
 */
static bool unmap_in_one(void) {
    TRY(make(SHARERS) && share(SHARERS, L4_ReadWriteOnly));
    for (unsigned i = 0; i < SHARERS * PAGES; i++) { /* a first write is a fault of its own */
        TRY(child_write(child[i / PAGES], HIGH + i % PAGES * FRAME_SIZE + 0x80, i));
    }
    TRY(all_read(0, SHARERS));
    for (unsigned n = 0; n < SHARERS; n++) {
        unsigned i = LAST_FIRST(n);
        L4_Word_t va = HIGH + (i % PAGES) * FRAME_SIZE;
        L4_Word_t fpage = L4_FpageAddRights(L4_FpageLog2(va, 12), L4_FullyAccessible).raw;
        L4_Word_t arguments[5] = {va + 0x80, n, L4_UNMAP_FLUSH, fpage, va};
        struct task_page *page = task_page_at(child[i], va);
        *page = child[i]->pages[--child[i]->num_pages];
        TRY(child_send(child[i], CHILD_WRITE_UNMAP_READ, 5, arguments));
        struct outcome o = child_wait(child[i]);
        TRY(o.kind == OUTCOME_FAULT && o.words[0] == va && o.access == L4_Readable);
        TRY(child_forgive(child[i], &o));
        TRY(child_denied(child[i], CHILD_WRITE, va, L4_Writable));
        TRY(all_read(0, i));
        for (unsigned p = 0; p < PAGES; p++) {
            TRY(p == i % PAGES || child_read(child[i], HIGH + p * FRAME_SIZE) == 0xf0000 + p);
        }
    }
    return true;
}

/* The whole megabyte, page table included, is given up by one; its memory is used for others. */
static bool unmap_section_in_one(void) {
    TRY(make(SHARERS) && share(SHARERS, L4_ReadeXecOnly) && all_read(0, SHARERS));
    L4_Word_t all = L4_FpageAddRights(L4_FpageLog2(HIGH, 20), L4_FullyAccessible).raw;
    for (unsigned n = 0; n + 1 < SHARERS; n++) {
        unsigned i = LAST_FIRST(n);
        TRY(child_do(child[i], CHILD_UNMAP, L4_UNMAP_FLUSH, all, 0, 0).kind == OUTCOME_DONE);
        for (unsigned p = 0; p < PAGES; p++) {
            struct task_page *page = task_page_at(child[i], HIGH + p * FRAME_SIZE);
            *page = child[i]->pages[--child[i]->num_pages];
        }
        child[SHARERS + i] = child_new(); /* has use for a page table */
        TRY(child[SHARERS + i] != NULL);
        TRY(child_denied(child[i - 1], CHILD_READ, HIGH + TASK_KIP, L4_Readable));
        TRY(all_read(0, i));
        TRY(child_denied(child[i], CHILD_READ, HIGH, L4_Readable));
        TRY(child_denied(child[i], CHILD_READ, HIGH + TASK_KIP, L4_Readable));
    }
    return true;
}

/* The pages are taken from all of them, by whom they come from. */
static bool revoke_from_all(void) {
    TRY(make(SHARERS) && share(SHARERS, L4_ReadWriteOnly) && all_read(0, SHARERS));
    for (unsigned p = 0; p < PAGES; p++) {
        TRY(child_write(child[p], HIGH + p * FRAME_SIZE + 8, 0x4000 + p));
        for (unsigned i = 0; i < SHARERS; i++) {
            TRY(task_remove_page(child[i], HIGH + p * FRAME_SIZE) == frames[p]);
        }
        TRY(word_of(p)[2] == 0x4000 + p);
        word_of(p)[2] = 0;
        for (unsigned i = 0; i < SHARERS; i++) {
            TRY(child_denied(child[i], CHILD_READ, HIGH + p * FRAME_SIZE, L4_Readable));
            TRY(p + 1 == PAGES ||
                child_read(child[i], HIGH + (PAGES - 1) * FRAME_SIZE) == 0xf0000 + PAGES - 1);
        }
    }
    return true;
}

/* Rights are in the page tables: who may only read must not write because another may. */
static bool rights_differ(void) {
    TRY(make(4) && make_frames(1));
    for (unsigned i = 0; i < 4; i++) {
        TRY(give(i, HIGH, 0, i < 2 ? L4_ReadWriteOnly : L4_Readable));
        TRY(child_read(child[i], HIGH) == 0xf0000);
    }
    for (L4_Word_t round = 0; round < 4; round++) {
        TRY(child_write(child[round & 1], HIGH + 4, 0x6000 + round));
        for (unsigned i = 0; i < 4; i++) {
            TRY(child_read(child[i], HIGH + 4) == 0x6000 + round);
        }
    }
    TRY(child_denied(child[2], CHILD_WRITE, HIGH + 4, L4_Writable));
    TRY(child_denied(child[3], CHILD_WRITE, HIGH + 4, L4_Writable));
    return true;
}

/* Sharers end one by one; their page tables become others'. */
static bool sharers_end(void) {
    TRY(make(SHARERS) && share(SHARERS, L4_ReadWriteOnly) && all_read(0, SHARERS));
    for (unsigned n = 0; n + 1 < SHARERS; n++) {
        unsigned i = LAST_FIRST(n);
        child[i]->num_pages -= PAGES; /* they stay ours: the last that were added */
        child_delete(child[i]);
        child[i] = child_new();
        TRY(child[i] != NULL);
        TRY(all_read(0, i));
        TRY(child_write(child[i - 1], HIGH + 12, 0x8000 + i));
        TRY(child_read(child[0], HIGH + 12) == 0x8000 + i);
        TRY(child_denied(child[i], CHILD_READ, HIGH, L4_Readable));
        TRY(word_of(0)[3] == 0x8000 + i);
    }
    return true;
}

/* More shared megabytes than there are domains for them, and more spaces than domains. */
static bool domains_run_out(void) {
    enum { MEGABYTES = 16 };
    TRY(make(CROWD) && make_frames(MEGABYTES));
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned m = 0; m < MEGABYTES; m++) {
            TRY(give(i, HIGH + m * SECTION, m, L4_ReadWriteOnly));
        }
    }
    for (unsigned step = 0; step < 300; step++) {
        L4_Word_t r = random_word();
        unsigned m = r % MEGABYTES;
        unsigned i = (r >> 8) % 3;
        if ((r >> 16) % 4 == 0) {
            word_of(m)[5] = step;
            TRY(child_write(child[i], HIGH + m * SECTION + 16, step));
            TRY(word_of(m)[4] == step);
        }
        TRY(child_read(child[i], HIGH + m * SECTION) == 0xf0000 + m);
        TRY(child_read(child[i], HIGH + m * SECTION + 16) == word_of(m)[4]);
        TRY(child_read(child[3 + r % (CROWD - 3)], TASK_KIP) == L4_KIP_MAGIC);
    }
    return true;
}

/*
 * A shared domain that is clean is taken without a flush of the caches: the lines stay. Who has
 * another page there must not see them (`other`), and those who get the domain must not see the
 * page by a TLB entry that has stayed. Children 0 and 1 share seven megabytes, as many as there are
 * domains for; 2 and 3 one more. Each round uses addresses that were not used before, so that
 * nothing else makes a flush.
 */
static bool lost_domain(bool other) {
    enum { MEGABYTES = 8, ROUNDS = 3, WORDS = 1000 }; /* half the data cache */
    TRY(make(4) && make_frames(MEGABYTES + 1));
    for (L4_Word_t i = 0; i < WORDS; i++) {
        word_of(0)[8 + i] = (L4_Word32_t)CHILD_PATTERN(0x10d, i);
        word_of(MEGABYTES)[8 + i] = (L4_Word32_t)CHILD_PATTERN(0x07e, i);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        L4_Word_t at = HIGH + round * 16 * SECTION;
        L4_Word_t more = at + (MEGABYTES - 1) * SECTION;
        for (unsigned m = 0; m + 1 < MEGABYTES; m++) {
            for (unsigned i = 0; i < 2; i++) {
                TRY(give(i, at + m * SECTION, m, L4_Readable));
                TRY(child_read(child[i], at + m * SECTION) == 0xf0000 + m);
            }
        }
        for (unsigned i = 2; i < 4; i++) {
            L4_Msg_t msg;
            L4_MsgClear(&msg);
            L4_Fpage_t page = L4_FpageLog2((L4_Word_t)frames[MEGABYTES - 1], FRAME_LOG2);
            L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(page, L4_Readable), more));
            if (other) {
                page = L4_FpageLog2((L4_Word_t)frames[MEGABYTES], FRAME_LOG2);
                L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(page, L4_Readable), at));
            }
            TRY(child_map(child[i], &msg));
        }
        TRY(child_read(child[2], more) == 0xf0000 + MEGABYTES - 1);
        TRY(child_read(child[3], more) == 0xf0000 + MEGABYTES - 1);
        for (unsigned m = 0; m + 1 < MEGABYTES; m++) { /* the page tables are equal now */
            TRY(child_read(child[0], at + m * SECTION) == 0xf0000 + m);
        }
        TRY(child_holds(child[1], at + 32, WORDS, 0x10d));
        TRY(child_read(child[2], more) == 0xf0000 + MEGABYTES - 1);
        if (other) {
            TRY(child_holds(child[2], at + 32, WORDS, 0x07e));
        } else {
            TRY(child_denied(child[2], CHILD_READ, at, L4_Readable));
        }
    }
    return true;
}

static bool lines_of_a_lost_domain(void) {
    return lost_domain(true);
}

static bool translations_of_a_lost_domain(void) {
    return lost_domain(false);
}

/*
 * Children get, lose, read and write pages of four frames in two megabytes at random, and end and
 * begin; a table says who may see what, and the frames' last words are known.
 */
static bool at_random(void) {
    enum { CHILDREN = 6, PLACES = 4, STEPS = 1500 };
    static uint8_t has[CHILDREN][PLACES]; /* 0, or 1 + frame; 0x80: may write */
    static L4_Word_t last[4];
    TRY(make(CHILDREN) && make_frames(4));
    memset(has, 0, sizeof has);
    memset(last, 0, sizeof last);
    for (unsigned step = 0; step < STEPS; step++) {
        L4_Word_t r = random_word();
        unsigned i = r % CHILDREN, p = (r >> 4) % PLACES, f = (r >> 8) % 4;
        L4_Word_t va = HIGH + (p & 1) * SECTION + (p >> 1) * FRAME_SIZE;
        struct task_page *page = task_page_at(child[i], va);
        unsigned mine = (has[i][p] & 0x7f) - 1u;
        switch ((r >> 12) % 8) {
        case 0: /* a page, mostly the one that most others have there */
            f = (r >> 16) % 8 != 0 ? p : f;
            if (has[i][p] == 0) {
                bool writable = (r >> 20) % 2 != 0;
                TRY(give(i, va, f, writable ? L4_ReadWriteOnly : L4_Readable));
                has[i][p] = (uint8_t)(f + 1 + (writable ? 0x80 : 0));
            }
            break;
        case 1: /* gives it up */
            if (has[i][p] != 0) {
                L4_Word_t fpage = L4_FpageAddRights(L4_FpageLog2(va, 12), L4_FullyAccessible).raw;
                TRY(child_do(child[i], CHILD_UNMAP, L4_UNMAP_FLUSH, fpage, 0, 0).kind ==
                    OUTCOME_DONE);
                *page = child[i]->pages[--child[i]->num_pages];
                has[i][p] = 0;
            }
            break;
        case 2: /* taken from everybody; they get it again when they fault */
            (void)L4_UnmapFpage(L4_FpageAddRights(L4_FpageLog2((L4_Word_t)frames[f], FRAME_LOG2),
                                                  L4_FullyAccessible));
            TRY(word_of(f)[1] == last[f]);
            break;
        case 3: /* a space ends */
            if ((r >> 16) % 16 == 0) {
                for (unsigned q = 0; q < PLACES; q++) {
                    child[i]->num_pages -= has[i][q] != 0; /* they are the last ones */
                    has[i][q] = 0;
                }
                child_delete(child[i]);
                child[i] = child_new();
                TRY(child[i] != NULL);
            }
            break;
        case 4: /* ours */
            last[f] = word_of(f)[1] = step;
            break;
        case 5:
        case 6:
            if (has[i][p] == 0) {
                TRY((r >> 16) % 4 != 0 || child_denied(child[i], CHILD_READ, va, L4_Readable));
            } else {
                TRY(child_read(child[i], va) == 0xf0000 + mine);
                TRY(child_read(child[i], va + 4) == last[mine]);
            }
            break;
        default:
            if ((has[i][p] & 0x80) != 0) {
                TRY(child_write(child[i], va + 4, step));
                last[mine] = step;
            } else if (has[i][p] != 0 && (r >> 16) % 4 == 0) {
                TRY(child_denied(child[i], CHILD_WRITE, va, L4_Writable));
                /* its pager gave it another page meanwhile, and took it away */
            }
            break;
        }
    }
    return true;
}

#define SHARED_TEST(name)                                                                          \
    static void run_##name(void) {                                                                 \
        (void)name();                                                                              \
        give_back();                                                                               \
    }
SHARED_TEST(equal_pages)
SHARED_TEST(equal_pages_written)
SHARED_TEST(strangers)
SHARED_TEST(unmap_in_one)
SHARED_TEST(unmap_section_in_one)
SHARED_TEST(revoke_from_all)
SHARED_TEST(rights_differ)
SHARED_TEST(sharers_end)
SHARED_TEST(domains_run_out)
SHARED_TEST(lines_of_a_lost_domain)
SHARED_TEST(translations_of_a_lost_domain)
SHARED_TEST(at_random)

const struct test shared_tests[] = {
    {"shared_equal_pages", run_equal_pages},
    {"shared_equal_pages_written", run_equal_pages_written},
    {"shared_strangers", run_strangers},
    {"shared_unmap_in_one", run_unmap_in_one},
    {"shared_unmap_section_in_one", run_unmap_section_in_one},
    {"shared_revoke_from_all", run_revoke_from_all},
    {"shared_rights_differ", run_rights_differ},
    {"shared_sharers_end", run_sharers_end},
    {"shared_domains_run_out", run_domains_run_out},
    {"shared_lines_of_a_lost_domain", run_lines_of_a_lost_domain},
    {"shared_translations_of_a_lost_domain", run_translations_of_a_lost_domain},
    {"shared_at_random", run_at_random},
    {NULL, NULL},
};
