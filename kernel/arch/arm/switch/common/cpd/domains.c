/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains: given, lost and recycled.
 */
#include "domains.h"

#include "bypass.h"
#include "cpd_asm.h"
#include "events.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, dacr) == SWITCH_DACR, "switch_state.dacr");
_Static_assert(offsetof(struct switch_state, switch_pid) == SWITCH_PID, "switch_state.switch_pid");
_Static_assert(offsetof(struct switch_state, policy) == SWITCH_POLICY, "switch_state.policy");
_Static_assert(offsetof(struct switch_state, slot) == SWITCH_SLOT, "switch_state.slot");
_Static_assert(CPU_PID_SLOT_SHIFT == SWITCH_SLOT_SHIFT, "switch_fault_va");
_Static_assert(offsetof(struct hot, scheme.policy) == SWITCH_HOT_POLICY, "hot.scheme.policy");

void domain_update_access(struct switch_state *s) {
    if (is_bypassing(s)) {
        return;
    }
    s->dacr = 0;
    s->dirty = 0;
    if (s->domain != 0) {
        uint32_t shared = sharing_domains(s);
        s->dacr = DACR_KERNEL | 1u << (2 * s->domain);
        for (uint32_t domain = 1; domain < DOMAINS && shared >> domain != 0; domain++) {
            s->dacr |= (shared >> domain & 1) << (2 * domain);
        }
        s->dirty = (s->writable ? 1u << s->domain : 0) | (shared & sharing_writable());
    }
    if (hot.space != NULL && &hot.space->scheme == s) {
        cpu_set_dacr(s->dacr);
        hot.scheme.dirty |= s->dirty;
    } else {
        domain_unprepare(s);
    }
}

void domain_lose(struct switch_state *s) {
    cpd_remove_entries_of(s->domain);
    policy_lost(domains.policy, s->domain);
    domains.used &= ~(1u << s->domain);
    hot.scheme.ran &= ~(1u << s->domain);
    hot.scheme.dirty &= ~(1u << s->domain);
    domains.holder[s->domain] = NULL;
    domains.policy[s->domain] = NULL;
    s->domain = 0;
    s->dacr = 0;
    s->dirty = 0;
    domain_unprepare(s);
}

/*
 * The policy says from whom (arch/arm/policy), and no domain is free now. Never from the space that
 * is being left: in an IPC it is the partner, which is likely to be answered.
 */
void domain_recycle(uint32_t from) {
    uint32_t leaving = hot.space == NULL ? 0 : 1u << hot.space->scheme.domain;
    uint32_t victims = policy_choose(&hot.scheme.policy, domains.policy, from & ~leaving,
                                     hot.scheme.dirty, leaving);
    bool clean = (hot.scheme.dirty & victims) == 0;
    bool cached = false; /* may the TLBs have entries of theirs? */
    for (uint32_t domain = 1; victims >> domain != 0; domain++) {
        if ((victims >> domain & 1) != 0) {
            cached |= cpd_has_run(domain);
            domain_lose(domains.holder[domain]);
            count_event(EVENT_DOMAIN_RECYCLED);
            if (clean) {
                count_event(EVENT_CLEAN_RECYCLED);
            }
        }
    }
    if (cached) {
        cpu_flush_tlbs();
    }
}

void domain_take(struct switch_state *to) {
    uint32_t domain = domain_free();
    if (domain == DOMAINS) {
        uint32_t before = cpd.epoch;
        if (!sharing_recycle_idle()) {
            domain_recycle(domains.used & ~sharing_sections() & ~1u);
        } else if (cpd.epoch != before) {
            /* The space that is left does not go on: it is clean as well. */
            hot.scheme.dirty = hot.scheme.ran = 0;
            if (hot.space != NULL) {
                domain_unprepare(&hot.space->scheme);
            }
        }
        domain = domain_free();
    }
    domains.used |= 1u << domain;
    domains.holder[domain] = to;
    domains.policy[domain] = &to->policy;
    to->domain = (uint8_t)domain;
    domain_update_access(to);
    count_event(EVENT_DOMAIN_ALLOC);
}
