/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preparing a switch, the heart of the scheme: a domain and its entries for the space that comes,
 * or the way around the caching page directory.
 */
#include "bypass.h"
#include "domains.h"
#include "events.h"
#include "kmem.h"
#include "pid_slots.h"
#include "reclaim.h"
#include "spaces.h"
#include "switch.h"

static bool ending; /* they are to end it, and none has begun to bypass since */

/* As scheme `flush` does it, and last, for afterwards all that is touched is a miss. */
static inline void load_directory(uint32_t ttb) {
    count_event(EVENT_TLB_FLUSH);
    cpu_flush_caches();
    cpu_set_ttb(ttb);
    cpu_invalidate_tlbs();
}

/* The space that is left, which does not bypass the CPD, was alone since the last flush, if it was.
 */
static void note_alone(uint32_t ran) {
    if (hot.space != NULL && (ran & ~(1u << hot.space->scheme.domain)) == 0) {
        hot.space->scheme.alone = true;
    }
}

/* What its last run was like. */
static void count_run(struct switch_state *s) {
    if (unlikely(s->alone && s->collided)) {
        int weight = cpd.mapped != 0 ? 1 : USELESS_RUN;
        s->useless = (int8_t)(s->useless < 0 ? weight : s->useless + weight);
    } else if (s->useless > -USEFUL_RUNS && --s->useless == -USEFUL_RUNS) {
        s->bypass_level = 0;
    }
    s->collided = s->alone = false;
    if (unlikely(cpd.mapped != 0)) {
        cpd.mapped--;
    }
}

static void begin_bypass(struct space *space) {
    struct switch_state *s = &space->scheme;
    if (space->directory[VECTORS_VA >> 20] == 0) {
        for (uint32_t i = KERNEL_AREA >> 20; i < SECTIONS; i++) {
            space->directory[i] = ptab_kernel_directory[i];
        }
        ptab_publish();
    }
    if (s->domain != 0) {
        domain_lose(s);
        cpu_flush_tlbs();
    }
    s->slot = 0;
    s->pid = 0;
    s->dacr = DACR_KERNEL;
    s->ttb = heap_uncached_to_pa(space->directory);
    s->bypass_left = (uint16_t)(BYPASS_FIRST << s->bypass_level);
    s->bypass_level =
        (uint8_t)(s->bypass_level < BYPASS_LEVELS ? s->bypass_level + 1 : BYPASS_LEVELS);
    s->next_bypassing = bypass_spaces;
    bypass_spaces = s;
    ending = false;
    count_event(EVENT_BYPASS);
}

/* With all others: one by itself would be between two flushes whatever it does. */
static void end_bypass(struct switch_state *s) {
    bypass_unlist(s);
    for (struct switch_state *other = bypass_spaces; !ending && other != NULL;) {
        other->bypass_left = 1;
        other = other->next_bypassing;
    }
    ending = true;
    s->ttb = 0;
    s->dacr = 0;
    s->useless = SCORE_AT_RETURN;
    s->contested = 0; /* what it collided for then it may not use any more */
    slot_go_home(s);
    count_event(EVENT_BYPASS_END);
}

/* From a space that does not bypass the CPD. */
static __attribute__((noinline)) void leave_cpd(struct switch_state *to) {
    to->bypass_left =
        to->bypass_left > BYPASS_COMPANY ? (uint16_t)(to->bypass_left - BYPASS_COMPANY) : 1;
    note_alone(hot.scheme.ran);
    cpd_account_flush();
    cpu_set_dacr(DACR_KERNEL);
    cpu_set_pid(0);
}

/* `to` bypasses the CPD: it is in force afterwards. */
static inline void enter(struct switch_state *to) {
    struct switch_state *from = hot.scheme.bypassing;
    if (likely(from != NULL)) {
        from->switch_pid = 1; /* not prepared */
    } else {
        leave_cpd(to);
    }
    to->switch_pid = 0;
    hot.scheme.bypassing = to;
    load_directory(to->ttb);
}

/* `to` does not bypass the CPD, and is in force afterwards; hot.scheme.bypassing is left. */
static void leave_bypass(const struct switch_state *to) {
    hot.scheme.bypassing = NULL;
    cpu_set_dacr(to->dacr);
    cpu_set_pid(to->pid);
    load_directory(BOOT_DIRECTORY_PA);
}

static __attribute__((noinline)) void prepare(struct space *space) {
    struct switch_state *to = &space->scheme;
    if (is_bypassing(to)) {
        end_bypass(to);
    } else {
        count_run(to);
        if (unlikely(to->useless >= BYPASS_SCORE) && hot.space != space) {
            begin_bypass(space);
            enter(to);
            return;
        }
    }
    uint32_t epoch = cpd.epoch, ran = hot.scheme.ran;
    if (to->domain == 0) {
        domain_take(to);
    }
    if (to->contested != 0) {
        cpd_exchange(space);
    }
    if (hot.scheme.bypassing == NULL && cpd.epoch != epoch) {
        note_alone(ran);
    }
    hot.scheme.dirty |= to->dirty;
    hot.scheme.ran |= 1u << to->domain;
    if (hot.scheme.bypassing != NULL) {
        to->collided = true;
        hot.scheme.bypassing->switch_pid = 1;
        to->switch_pid = to->pid;
        leave_bypass(to);
        return;
    }
    to->switch_pid = to->pid;
    cpu_set_dacr(to->dacr);
    cpu_set_pid(to->pid);
}

/* What two spaces that bypass the CPD need comes first, in one piece: it is fetched anew each time.
 */
__attribute__((aligned(32))) void switch_prepare(struct space *space) {
    struct switch_state *to = &space->scheme;
    if (is_bypassing(to) && --to->bypass_left != 0) {
        enter(to);
        return;
    }
    prepare(space);
}
