/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads.
 */
#include "thread.h"

#include "ipc.h"
#include "irq.h"
#include "kip.h"
#include "message.h"
#include "ready.h"
#include "sched.h"
#include "spaces.h"
#include "utcb_inline.h"
#include "waiters.h"

#include <string.h>

#define TIMESLICE_DEFAULT 10000u /* microseconds */

/* Sigma0's areas: a piece of the largest page's size, next to the root task's (the binding), so
 * that the two are not in each other's way under any scheme. */
#define SIGMA0_UTCB_AREA (L4_ROOT_UTCB_AREA - 0x100000u)
#define SIGMA0_KIP       (L4_ROOT_KIP - 0x100000u)

/* ---- making and ending ---- */

static void join_space(struct tcb *t, struct space *space) {
    t->space = space;
    space->thread_count++;
    if (space->threads == NULL) {
        t->space_next = t->space_previous = t;
        space->threads = t;
    } else {
        t->space_next = space->threads->space_next;
        t->space_previous = space->threads;
        t->space_next->space_previous = t;
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
    struct tcb *before = t->space_previous;
    before->space_next = t->space_next;
    t->space_next->space_previous = before;
    if (space->threads == t) {
        space->threads = before == t ? NULL : before;
    }
    t->space = NULL;
    if (--space->thread_count == 0) {
        space_destroy(space);
    }
}

static struct tcb *make(word_t id, struct space *space, word_t scheduler) {
    struct tcb *t = thread_slot(id);
    waiters_expect(id);
    waiters_add(t);
    memset(t, 0, sizeof *t);
    t->id = id;
    t->state = STATE_INACTIVE;
    t->priority = PRIORITY_DEFAULT;
    t->frame.status = FRAME_STATUS_USER;
    t->scheduler = scheduler;
    t->timeslice = t->timeslice_left = TIMESLICE_DEFAULT;
    t->quantum_left = ~0ull;
    t->wait_open = IPC_ANY;
    t->utcb_place = UTCB_NOWHERE;
    join_space(t, space);
    t->flags = space->redirector != 0 ? FLAG_REDIRECTED : 0;
    return t;
}

static void set_utcb(struct tcb *t, word_t utcb) {
    t->utcb = utcb;
    frame_set_utcb(&t->frame, t->space, utcb);
}

/* The thread's UTCB, whose page is mapped, exists from here on, and has its first contents. */
static void begin_utcb(struct tcb *t, word_t utcb) {
    static const word_t zeros[L4_UTCB_SIZE / sizeof(word_t)];
    set_utcb(t, utcb);
    write_words(t, 0, zeros, L4_UTCB_SIZE / sizeof(word_t));
    write_word(t, L4_UTCB_MY_GLOBAL_ID, t->id);
}

/* An inactive thread gets a pager: it waits for its start message. */
static void activate(struct tcb *t, word_t pager) {
    write_word(t, L4_UTCB_PAGER, pager);
    t->kind = KIND_START;
    t->state = STATE_RECEIVING;
    t->wait_for = pager;
}

static void delete(struct tcb *t) {
    ipc_leave(t);
    if ((t->flags & FLAG_QUEUED) != 0) {
        ready_dequeue(t);
    }
    t->state = STATE_INACTIVE; /* nobody can begin an IPC with it while others are told */
    ipc_abandon(t);
    irq_forget_handler(t->id);
    sched_forget(t);
    leave_space(t);
    waiters_remove(t);
    word_t id = t->id;
    memset(t, 0, sizeof *t);
    waiters_fail(id);
}

/* ---- ThreadControl ---- */

/* What is to be done. decode() makes every check and changes nothing, perform() can fail only for
 * memory, and then has changed nothing either. */
struct control {
    struct tcb *thread;  /* NULL: to be made */
    struct space *space; /* where it will be; NULL: in one of its own, to be made */
    word_t id;           /* perhaps in another version */
    word_t scheduler;    /* 0: as it is */
    word_t pager;        /* 0: as it is; else an inactive thread becomes active */
    word_t utcb;         /* where its UTCB is or will be, or UTCB_NOWHERE */
};

/* A place where a UTCB can begin. Address 0 is none: as a local id it would be nilthread. */
static bool is_place(word_t utcb) {
    return utcb != 0 && (utcb & (L4_UTCB_SIZE - 1)) == 0;
}

static bool has_areas(const struct space *space) {
    return space != NULL && !L4_IsNilFpage(space->utcb_area);
}

static bool utcb_is_good(const struct space *space, word_t utcb) {
    if (!has_areas(space) || !is_place(utcb) ||
        utcb - L4_Address(space->utcb_area) >= L4_Size(space->utcb_area)) {
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

static bool is_thread(word_t id) {
    const struct tcb *t = thread_find(id);
    return t != NULL && t->space != NULL;
}

/* The system ends with these: they are neither moved nor deleted, by whomever. */
static bool is_indispensable(const struct tcb *t) {
    return t == thread_slot(THREAD_SIGMA0) ||
           (t->space == root_space && root_space->thread_count == 1);
}

/*
 * The UTCB's place (X.2 manual, ThreadControl): that of an active thread changes only with its
 * space. An inactive one's is noted, and has to be in the space's UTCB area when the thread is
 * activated; what is certain to be wrong then, as the areas are fixed, is refused at once.
 */
static word_t decode_utcb(struct control *c, word_t utcb) {
    const struct tcb *t = c->thread;
    bool given = utcb != UTCB_NOWHERE;
    if (t != NULL && t->utcb != 0) {
        bool moves = c->space != t->space;
        c->utcb = given ? utcb : t->utcb;
        return (moves ? utcb_is_good(c->space, utcb) : c->utcb == t->utcb) ? L4_ErrOk
                                                                           : L4_ErrUtcbArea;
    }
    c->utcb = given || t == NULL ? utcb : t->utcb_place;
    if (given && (!is_place(utcb) ||
                  (c->space != NULL && c->space->areas_fixed && !utcb_is_good(c->space, utcb)))) {
        return L4_ErrUtcbArea;
    }
    if (c->pager != 0 && !has_areas(c->space)) {
        return L4_ErrInvalidSpace;
    }
    return c->pager == 0 || utcb_is_good(c->space, c->utcb) ? L4_ErrOk : L4_ErrUtcbArea;
}

static word_t decode(struct control *c, word_t space_id, word_t utcb) {
    struct tcb *t = thread_slot(c->id);
    const struct tcb *other = thread_find(space_id);
    c->thread = t->state == STATE_FREE ? NULL : t;
    if (space_id == c->id) {
        c->space = c->thread == NULL ? NULL : t->space;
    } else if (other == NULL || other->space == NULL) {
        return L4_ErrInvalidSpace;
    } else {
        c->space = other->space;
    }
    bool own_scheduler = c->thread == NULL ? c->scheduler == c->id : c->scheduler == 0;
    if (!own_scheduler && !is_thread(c->scheduler)) {
        return L4_ErrInvalidSched;
    }
    if (c->thread != NULL && c->space != t->space && is_indispensable(t)) {
        return L4_ErrInvalidThread;
    }
    return decode_utcb(c, utcb);
}

/*
 * An existing thread goes to another space; if it has a UTCB, with a new one that has the old one's
 * contents. An IPC of its own is aborted; a fault is forgotten, it goes on where it was, in the
 * other space; one that waits for its start message or has no pager yet waits on. The old space may
 * end with it.
 */
static void migrate(struct tcb *t, struct space *to, word_t utcb) {
    static word_t contents[L4_UTCB_SIZE / sizeof(word_t)];
    bool active = t->utcb != 0;
    if (active && t->kind != KIND_START) {
        ipc_abort(t);
    }
    if (active) {
        read_words(t, 0, contents, L4_UTCB_SIZE / sizeof(word_t));
    }
    leave_space(t);
    join_space(t, to);
    t->flags &= (uint8_t)~FLAG_REDIRECTED;
    t->flags |= to->redirector != 0 ? FLAG_REDIRECTED : 0;
    if (active) {
        set_utcb(t, utcb);
        write_words(t, 0, contents, L4_UTCB_SIZE / sizeof(word_t));
    }
}

static word_t perform(const struct control *c) {
    struct tcb *t = c->thread;
    struct space *space = c->space;
    bool active = t != NULL && t->utcb != 0;
    bool needs_utcb = active ? t->space != space : c->pager != 0;
    if (space == NULL && (space = space_create()) == NULL) {
        return L4_ErrNoMem;
    }
    if (needs_utcb && !space_map_utcb(space, c->utcb)) {
        return L4_ErrNoMem;
    }
    if (t == NULL) {
        t = make(c->id, space, c->scheduler);
    } else if (t->space != space) {
        migrate(t, space, c->utcb);
    }
    if (c->scheduler != 0) {
        t->scheduler = c->scheduler;
    }
    if (t->id != c->id) { /* a new version: for others the old thread has gone */
        word_t old = t->id;
        ipc_abandon(t);
        waiters_expect(c->id);
        t->id = c->id;
        waiters_fail(old);
        if (active) {
            write_word(t, L4_UTCB_MY_GLOBAL_ID, c->id);
        }
    }
    if (active && c->pager != 0) {
        write_word(t, L4_UTCB_PAGER, c->pager);
    } else if (!active && c->pager != 0) {
        begin_utcb(t, c->utcb);
        activate(t, c->pager);
    } else if (!active) {
        t->utcb_place = c->utcb;
    }
    return L4_ErrOk;
}

static struct control_result ended(word_t error) {
    return (struct control_result){.result = error == L4_ErrOk, .error = error};
}

struct control_result thread_control(struct tcb *self, word_t dest, word_t space_id,
                                     word_t scheduler, word_t pager, word_t utcb) {
    if (!self->space->privileged) {
        return ended(L4_ErrNoPrivilege);
    }
    word_t number = dest >> L4_VERSION_BITS;
    if ((dest & 0x3f) == 0 || number >= THREAD_COUNT) {
        return ended(L4_ErrInvalidThread);
    }
    if (number < SYSTEM_BASE) {
        return ended(irq_control((uint32_t)number, pager) ? L4_ErrOk : L4_ErrInvalidThread);
    }
    if (number < USER_BASE) {
        return ended(L4_ErrInvalidThread);
    }
    if (space_id == 0) {
        struct tcb *t = thread_find(dest);
        if (t == NULL || t == self || is_indispensable(t)) {
            return ended(L4_ErrInvalidThread); /* who would go on? */
        }
        delete(t);
        return ended(L4_ErrOk);
    }
    struct control c = {.id = dest, .scheduler = scheduler, .pager = pager};
    word_t error = decode(&c, space_id, utcb);
    return ended(error != L4_ErrOk ? error : perform(&c));
}

/* ---- the first two ---- */

static struct tcb *start_server(word_t id, word_t kip_area, word_t utcb_area, word_t utcb_log2,
                                word_t pager, L4_Word_t ip, L4_Word_t sp) {
    word_t error;
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
    ok = space_map_utcb(space, utcb_area);
    kernel_assert(ok);
    begin_utcb(t, utcb_area);
    write_word(t, L4_UTCB_PAGER, pager);
    t->priority = PRIORITY_MAX;
    t->frame.pc = ip;
    t->frame.sp = sp;
    t->state = STATE_READY;
    ready_enqueue_last(t);
    return t;
}

void thread_start_servers(void) {
    start_server(THREAD_SIGMA0, SIGMA0_KIP, SIGMA0_UTCB_AREA, 12, 0, the_kip->sigma0.ip,
                 the_kip->sigma0.sp);
    start_server(THREAD_ROOT, L4_ROOT_KIP, L4_ROOT_UTCB_AREA, 17, THREAD_SIGMA0,
                 the_kip->root_server.ip, the_kip->root_server.sp);
}
