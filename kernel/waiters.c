/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search goes round and round through one bitmap of the threads that exist. An id that is to be
 * looked for is so for one round, from wherever the search is.
 */
#include "waiters.h"

#include "message.h"
#include "upcalls.h"

#include <l4/message.h>

#define WORD_BITS 32
#define WORDS     (THREAD_COUNT / WORD_BITS)

/* A step looks at so many threads. A look is a cache line that is missed and what it takes to find
 * it, 90 cycles where memory is slowest; deleting a thread is to take 3,000 there, 2,000 of them
 * without. (user/test/ending.c counts.) */
#define STEP 10

/* A tick makes so many steps. */
#define TICK_STEPS 10

static uint32_t exist[WORDS];

/* Where the search is: looks and numbers passed over since boot. A round is THREAD_COUNT of them.
 */
static word_t position;

/* What is looked for, the oldest first. Each call of waiters_fail makes a step, so there are never
 * more than the steps of a round, and the one that comes. */
#define SOUGHT (THREAD_COUNT / STEP + 2)
static struct {
    word_t id;
    word_t end; /* the position where its round ends */
} sought[SOUGHT];
static word_t first;
word_t waiters_pending;

static word_t number_of(const struct tcb *t) {
    return (word_t)(t - tcbs);
}

void waiters_add(const struct tcb *t) {
    word_t n = number_of(t);
    exist[n / WORD_BITS] |= 1u << (n % WORD_BITS);
}

void waiters_remove(const struct tcb *t) {
    word_t n = number_of(t);
    exist[n / WORD_BITS] &= ~(1u << (n % WORD_BITS));
}

static word_t sought_at(word_t i) {
    word_t at = first + i;
    return at < SOUGHT ? at : at - SOUGHT;
}

static bool is_sought(word_t id) {
    for (word_t i = 0; i < waiters_pending; i++) {
        if (sought[sought_at(i)].id == id) {
            return true;
        }
    }
    return false;
}

/* (Most wait for somebody who is there, and often for the same.) */
static void look_at(struct tcb *t) {
    if (t->state == STATE_RECEIVING && thread_find(t->wait_for) == NULL && is_sought(t->wait_for)) {
        ipc_fail(t, L4_IPC_ERR_NOPARTNER);
    }
}

/* The next thread of this word, or its end; returns how many looks it has taken. */
static word_t look(void) {
    word_t n = position % THREAD_COUNT;
    uint32_t bits = exist[n / WORD_BITS] >> (n % WORD_BITS);
    if (bits == 0) {
        position += WORD_BITS - n % WORD_BITS;
        return 0;
    }
    for (; (bits & 0xff) == 0; bits >>= 8) {
        n += 8;
        position += 8;
    }
    for (; (bits & 1) == 0; bits >>= 1) {
        n++;
        position++;
    }
    position++;
    look_at(&tcbs[n]);
    return 1;
}

static void step(void) {
    for (word_t looks = 0; waiters_pending != 0 && looks < STEP;) {
        looks += look();
        while (waiters_pending != 0 && sought[first].end - position - 1 >= THREAD_COUNT) {
            first = sought_at(1);
            waiters_pending--;
        }
    }
}

void waiters_fail(word_t id) {
    word_t at = sought_at(waiters_pending);
    kernel_assert(waiters_pending < SOUGHT);
    sought[at].id = id;
    sought[at].end = position + THREAD_COUNT;
    waiters_pending++;
    step();
}

void waiters_expect(word_t id) {
    while (is_sought(id)) {
        step();
    }
}

void waiters_tick(void) {
    for (word_t i = 0; i < TICK_STEPS && waiters_pending != 0; i++) {
        step();
    }
}
