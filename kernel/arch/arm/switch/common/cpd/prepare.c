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
#include "space.h"
#include "switch.h"

static bool trying; /* they are coming back, and none has stepped aside since */

/* As scheme `flush` does it, and last, for afterwards all that is touched is a miss. */
static inline void load_directory(uint32_t ttb) {
    count_event(EVENT_TLB_FLUSH);
    cpu_flush_caches();
    cpu_set_ttb(ttb);
    cpu_invalidate_tlbs();
}

/* The space that is left, which is not aside, was alone since the last flush, if it was. */
static void judge(uint32_t ran) {
    if (hot.space != NULL && (ran & ~(1u << hot.space->scheme.domain)) == 0) {
        hot.space->scheme.alone = true;
    }
}

/* What its last stay was like. */
static void count_stay(struct switch_state *s) {
    if (unlikely(s->alone && s->collided)) {
        int weight = cpd.mapped != 0 ? 1 : POOR_STAY;
        s->poor = (int8_t)(s->poor < 0 ? weight : s->poor + weight);
    } else if (s->poor > -GOOD_STAYS && --s->poor == -GOOD_STAYS) {
        s->level = 0;
    }
    s->collided = s->alone = false;
    if (unlikely(cpd.mapped != 0)) {
        cpd.mapped--;
    }
}

static void step_aside(struct space *space) {
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
    s->stay = (uint16_t)(STAY_FIRST << s->level);
    s->level = (uint8_t)(s->level < STAY_LEVELS ? s->level + 1 : STAY_LEVELS);
    s->next_aside = bypass_spaces;
    bypass_spaces = s;
    trying = false;
    count_event(EVENT_ASIDE);
}

/* With all others: one by itself would be between two flushes whatever it does. */
static void step_back(struct switch_state *s) {
    bypass_unlist(s);
    for (struct switch_state *other = bypass_spaces; !trying && other != NULL;) {
        other->stay = 1;
        other = other->next_aside;
    }
    trying = true;
    s->ttb = 0;
    s->dacr = 0;
    s->poor = POOR_AT_RETURN;
    s->contested = 0; /* what it collided for then it may not use any more */
    slot_go_home(s);
    count_event(EVENT_ASIDE_BACK);
}

/* From a space that is not aside. */
static __attribute__((noinline)) void leave_cpd(struct switch_state *to) {
    to->stay = to->stay > STAY_COMPANY ? (uint16_t)(to->stay - STAY_COMPANY) : 1;
    judge(hot.scheme.ran);
    cpd_account_flush();
    cpu_set_dacr(DACR_KERNEL);
    cpu_set_pid(0);
}

/* `to` is aside: it is in force afterwards. */
static inline void enter(struct switch_state *to) {
    struct switch_state *from = hot.scheme.aside;
    if (likely(from != NULL)) {
        from->switch_pid = 1; /* disarmed */
    } else {
        leave_cpd(to);
    }
    to->switch_pid = 0;
    hot.scheme.aside = to;
    load_directory(to->ttb);
}

/* `to` is not aside, and in force afterwards; hot.scheme.aside is left. */
static void leave_aside(const struct switch_state *to) {
    hot.scheme.aside = NULL;
    cpu_set_dacr(to->dacr);
    cpu_set_pid(to->pid);
    load_directory(BOOT_DIRECTORY_PA);
}

static __attribute__((noinline)) void prepare(struct space *space) {
    struct switch_state *to = &space->scheme;
    if (is_aside(to)) {
        step_back(to);
    } else {
        count_stay(to);
        if (unlikely(to->poor >= POOR_STAYS) && hot.space != space) {
            step_aside(space);
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
    if (hot.scheme.aside == NULL && cpd.epoch != epoch) {
        judge(ran);
    }
    hot.scheme.dirty |= to->dirty;
    hot.scheme.ran |= 1u << to->domain;
    if (hot.scheme.aside != NULL) {
        to->collided = true;
        hot.scheme.aside->switch_pid = 1;
        to->switch_pid = to->pid;
        leave_aside(to);
        return;
    }
    to->switch_pid = to->pid;
    cpu_set_dacr(to->dacr);
    cpu_set_pid(to->pid);
}

/* What both spaces need that are aside comes first, in one piece: it is fetched anew each time. */
__attribute__((aligned(32))) void switch_prepare(struct space *space) {
    struct switch_state *to = &space->scheme;
    if (is_aside(to) && --to->stay != 0) {
        enter(to);
        return;
    }
    prepare(space);
}
