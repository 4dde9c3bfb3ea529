/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads.
 */
#include "thread.h"

#include "cpu.h"
#include "ipc.h"
#include "irq.h"
#include "kip.h"
#include "sched.h"
#include "space.h"
#include "switch.h"

#include <string.h>

#define CPSR_USER         0x10u
#define TIMESLICE_DEFAULT 10000u /* microseconds: one tick */

/* Sigma0's areas: a 1 MB of their own, next to the root task's (l4/arch/arm/binding.h), so that the
 * two are not in each other's way under any scheme. */
#define SIGMA0_UTCB_AREA 0xdfe00000u
#define SIGMA0_KIP       0xdfeff000u

void thread_init(void) {
    for (uint32_t i = 0; i < SYSTEM_BASE; i++) {
        tcbs[i].id = L4_GlobalId(i, 1).raw;
        tcbs[i].state = STATE_INACTIVE;
    }
}

struct tcb *thread_resolve(struct space *space, uint32_t id) {
    if ((id & 0x3f) != 0 || id == 0) {
        return thread_find(id);
    }
    if (space == NULL || space->threads == NULL) {
        return NULL;
    }
    struct tcb *t = space->threads;
    do {
        if (t->utcb == id) {
            return t;
        }
        t = t->space_next;
    } while (t != space->threads);
    return NULL;
}

/* ---- UTCB words ---- */

/*
 * A UTCB frame is cached under one mva only, the program's. The kernel uses the same address when
 * that space is in force; else it drops the lines and goes to the frame through the uncached
 * alias. An access by the program's address can fault for a CPD entry (fault_kernel).
 */
void utcb_read_words(const struct tcb *t, uint32_t offset, uint32_t *words, uint32_t count) {
    const uint32_t *from = (const uint32_t *)(t->utcb + offset);
    if (t->space != hot.space) {
        switch_window(t->space, t->utcb, L4_UTCB_SIZE);
        from = space_utcb_alias(t->space, t->utcb) + offset / 4;
    }
    for (uint32_t i = 0; i < count; i++) {
        words[i] = ((const volatile uint32_t *)from)[i];
    }
}

void utcb_write_words(const struct tcb *t, uint32_t offset, const uint32_t *words, uint32_t count) {
    uint32_t *to = (uint32_t *)(t->utcb + offset);
    if (t->space != hot.space) {
        switch_window(t->space, t->utcb, L4_UTCB_SIZE);
        to = space_utcb_alias(t->space, t->utcb) + offset / 4;
    }
    for (uint32_t i = 0; i < count; i++) {
        ((volatile uint32_t *)to)[i] = words[i];
    }
    if (t->space != hot.space) {
        cpu_drain_write_buffer(); /* before the program's next line fill */
    }
}

uint32_t utcb_read(const struct tcb *t, uint32_t offset) {
    uint32_t value;
    utcb_read_words(t, offset, &value, 1);
    return value;
}

void utcb_write(const struct tcb *t, uint32_t offset, uint32_t value) {
    utcb_write_words(t, offset, &value, 1);
}

/* ---- making and ending ---- */

static void join_space(struct tcb *t, struct space *space) {
    t->space = space;
    space->thread_count++;
    if (space->threads == NULL) {
        t->space_next = t;
        space->threads = t;
    } else {
        t->space_next = space->threads->space_next;
        space->threads->space_next = t;
    }
}

void thread_mark_redirected(struct space *space) {
    struct tcb *t = space->threads;
    do {
        t->flags &= (uint8_t)~FLAG_REDIRECTED;
        t->flags |= space->redirector != 0 ? FLAG_REDIRECTED : 0;
        t = t->space_next;
    } while (t != space->threads);
}

static void leave_space(struct tcb *t) {
    struct space *space = t->space;
    struct tcb *before = t;
    while (before->space_next != t) {
        before = before->space_next;
    }
    before->space_next = t->space_next;
    if (space->threads == t) {
        space->threads = before == t ? NULL : before;
    }
    t->space = NULL;
    if (--space->thread_count == 0) {
        space_destroy(space);
    }
}

static struct tcb *make(uint32_t id, struct space *space, uint32_t scheduler) {
    struct tcb *t = thread_slot(id);
    memset(t, 0, sizeof *t);
    t->id = id;
    t->state = STATE_INACTIVE;
    t->priority = PRIORITY_DEFAULT;
    t->frame.cpsr = CPSR_USER;
    t->scheduler = scheduler;
    t->timeslice = t->timeslice_left = TIMESLICE_DEFAULT;
    t->quantum_left = ~0ull;
    t->wait_open = IPC_ANY;
    join_space(t, space);
    t->flags = space->redirector != 0 ? FLAG_REDIRECTED : 0;
    return t;
}

/* The thread's UTCB exists from here on, and has its first contents. */
static bool place_utcb(struct tcb *t, uint32_t utcb) {
    if (!space_map_utcb(t->space, utcb)) {
        return false;
    }
    t->utcb = utcb;
    static const uint32_t zeros[L4_UTCB_SIZE / 4];
    utcb_write_words(t, 0, zeros, L4_UTCB_SIZE / 4);
    utcb_write(t, L4_UTCB_MY_GLOBAL_ID, t->id);
    return true;
}

/* An inactive thread gets a pager: it waits for its start message. */
static void activate(struct tcb *t, uint32_t pager) {
    utcb_write(t, L4_UTCB_PAGER, pager);
    t->kind = KIND_START;
    t->state = STATE_RECEIVING;
    t->wait_for = pager;
}

static void delete(struct tcb *t) {
    ipc_leave(t);
    if ((t->flags & FLAG_QUEUED) != 0) {
        sched_dequeue(t);
    }
    t->state = STATE_INACTIVE; /* nobody can begin an IPC with it while others are told */
    ipc_abandon(t);
    irq_forget_handler(t->id);
    leave_space(t);
    memset(t, 0, sizeof *t);
}

static bool utcb_is_good(const struct space *space, uint32_t utcb) {
    uint32_t area = L4_Address(space->utcb_area);
    if (L4_IsNilFpage(space->utcb_area) || (utcb & (L4_UTCB_SIZE - 1)) != 0 ||
        utcb - area >= L4_Size(space->utcb_area)) {
        return false;
    }
    const struct tcb *t = space->threads;
    do {
        if (t->utcb == utcb) {
            return false;
        }
        t = t->space_next;
    } while (t != space->threads);
    return true;
}

/* ---- ThreadControl ---- */

static struct control_result failed(uint32_t error) {
    return (struct control_result){.result = 0, .error = error};
}

static struct control_result done(void) {
    return (struct control_result){.result = 1, .error = L4_ErrOk};
}

/* Pager and UTCB location of a thread that exists; ~0 and nil leave them. */
static struct control_result set_up(struct tcb *t, uint32_t pager, uint32_t utcb) {
    if (utcb != ~0u && utcb != t->utcb) {
        if (t->utcb != 0 || !utcb_is_good(t->space, utcb)) {
            return failed(L4_ErrUtcbArea);
        }
        if (!place_utcb(t, utcb)) {
            return failed(L4_ErrNoMem);
        }
    }
    if (pager != 0) {
        if (t->utcb == 0) {
            return failed(L4_ErrUtcbArea);
        }
        if (t->state == STATE_INACTIVE) {
            activate(t, pager);
        } else {
            utcb_write(t, L4_UTCB_PAGER, pager);
        }
    }
    return done();
}

/*
 * An existing thread goes to another space, with a new UTCB that has the old one's contents. An IPC
 * of its own is aborted; a fault is forgotten, it goes on where it was, in the other space; one
 * that waits for its start message or has no pager yet waits on. The old space may end with it.
 */
static struct control_result migrate(struct tcb *t, struct space *to, uint32_t utcb) {
    static uint32_t contents[L4_UTCB_SIZE / 4];
    bool had_utcb = t->utcb != 0;
    if (utcb == ~0u ? had_utcb : !utcb_is_good(to, utcb)) {
        return failed(L4_ErrUtcbArea); /* the old place means nothing there */
    }
    if (t->space->is_sigma0 || (t->space == root_space && root_space->thread_count == 1)) {
        return failed(L4_ErrInvalidThread); /* the system ends with them */
    }
    if (utcb != ~0u && !space_map_utcb(to, utcb)) {
        return failed(L4_ErrNoMem);
    }
    if (t->kind != KIND_START && t->state != STATE_INACTIVE) {
        ipc_abort(t);
    }
    if (had_utcb) {
        utcb_read_words(t, 0, contents, L4_UTCB_SIZE / 4);
    } else {
        memset(contents, 0, sizeof contents);
        contents[L4_UTCB_MY_GLOBAL_ID / 4] = t->id;
    }
    leave_space(t);
    join_space(t, to);
    t->flags &= (uint8_t)~FLAG_REDIRECTED;
    t->flags |= to->redirector != 0 ? FLAG_REDIRECTED : 0;
    if (utcb != ~0u) {
        t->utcb = utcb;
        utcb_write_words(t, 0, contents, L4_UTCB_SIZE / 4);
    }
    return done();
}

static struct control_result create(uint32_t dest, uint32_t space_id, uint32_t scheduler,
                                    uint32_t pager, uint32_t utcb) {
    bool new_space = space_id == dest;
    const struct tcb *other = new_space ? NULL : thread_find(space_id);
    if (!new_space && (other == NULL || other->space == NULL)) {
        return failed(L4_ErrInvalidSpace);
    }
    const struct tcb *boss = thread_find(scheduler);
    if (scheduler != dest && (boss == NULL || boss->space == NULL)) {
        return failed(L4_ErrInvalidSched);
    }
    struct space *space = new_space ? space_create() : other->space;
    if (space == NULL) {
        return failed(L4_ErrNoMem);
    }
    struct tcb *t = make(dest, space, scheduler);
    struct control_result result = set_up(t, pager, utcb);
    if (result.result == 0) {
        delete(t);
    }
    return result;
}

struct control_result thread_control(struct tcb *self, uint32_t dest, uint32_t space_id,
                                     uint32_t scheduler, uint32_t pager, uint32_t utcb) {
    if (!self->space->privileged) {
        return failed(L4_ErrNoPrivilege);
    }
    uint32_t number = dest >> L4_VERSION_BITS;
    if ((dest & 0x3f) == 0 || number >= THREAD_COUNT) {
        return failed(L4_ErrInvalidThread);
    }
    if (number < SYSTEM_BASE) {
        return irq_control(number, pager) ? done() : failed(L4_ErrInvalidThread);
    }
    if (number < USER_BASE) {
        return failed(L4_ErrInvalidThread);
    }
    struct tcb *t = thread_slot(dest);
    if (t->state == STATE_FREE) {
        return space_id == 0 ? failed(L4_ErrInvalidThread)
                             : create(dest, space_id, scheduler, pager, utcb);
    }
    if (space_id == 0) {
        if (t->id != dest || t == self || t->space->is_sigma0) {
            return failed(L4_ErrInvalidThread); /* who would go on? */
        }
        delete(t);
        return done();
    }
    const struct tcb *other = space_id == dest ? t : thread_find(space_id);
    if (other == NULL || other->space == NULL) {
        return failed(L4_ErrInvalidSpace);
    }
    if (scheduler != 0) {
        const struct tcb *boss = thread_find(scheduler);
        if (boss == NULL || boss->space == NULL) {
            return failed(L4_ErrInvalidSched);
        }
    }
    struct control_result result =
        other->space == t->space ? done() : migrate(t, other->space, utcb);
    if (result.result != 0) {
        result = set_up(t, pager, utcb);
    }
    if (result.result == 0) {
        return result;
    }
    if (scheduler != 0) {
        t->scheduler = scheduler;
    }
    if (t->id != dest) { /* a new version: for others the old thread has gone */
        ipc_abandon(t);
        t->id = dest;
        if (t->utcb != 0) {
            utcb_write(t, L4_UTCB_MY_GLOBAL_ID, dest);
        }
    }
    return result;
}

/* ---- the first two ---- */

static struct tcb *start_server(uint32_t id, uint32_t kip_area, uint32_t utcb_area,
                                uint32_t utcb_log2, uint32_t pager, L4_Word_t ip, L4_Word_t sp) {
    uint32_t error;
    struct space *space = space_create();
    kernel_assert(space != NULL);
    space->privileged = true;
    if (id == THREAD_SIGMA0) {
        space->is_sigma0 = true;
        sigma0_space = space;
    } else {
        root_space = space;
    }
    bool ok = space_set_areas(space, L4_FpageLog2(kip_area, 12), L4_FpageLog2(utcb_area, utcb_log2),
                              &error);
    kernel_assert(ok);
    struct tcb *t = make(id, space, THREAD_ROOT);
    ok = place_utcb(t, utcb_area);
    kernel_assert(ok);
    utcb_write(t, L4_UTCB_PAGER, pager);
    t->priority = PRIORITY_MAX;
    t->frame.pc = ip;
    t->frame.sp = sp;
    t->state = STATE_READY;
    sched_enqueue_last(t);
    return t;
}

void thread_start_servers(void) {
    start_server(THREAD_SIGMA0, SIGMA0_KIP, SIGMA0_UTCB_AREA, 12, 0, the_kip->sigma0.ip,
                 the_kip->sigma0.sp);
    start_server(THREAD_ROOT, L4_ROOT_KIP, L4_ROOT_UTCB_AREA, 17, THREAD_SIGMA0,
                 the_kip->root_server.ip, the_kip->root_server.sp);
}
