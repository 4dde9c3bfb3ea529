/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String items.
 *
 * The sender's space is in force and read as user_memory.h says. The
 * receiver's page is reached through the scheme's window (switch.h, 8): its lines are cleaned and
 * dropped, then its frame is written through an uncached alias, a page at XFER_WINDOW_VA, so that
 * under no scheme a string costs a switch a page. Before either is touched, the mapping database
 * makes the page active: the sender's for reading, the receiver's for writing, which leaves no
 * other lines of that frame. Only where both are one frame these two exclude each other; then a
 * buffer in the kernel holds the bytes in between.
 */
#include "xfer.h"

#include "board.h"
#include "cpu.h"
#include "mapdb.h"
#include "message.h"
#include "ptab.h"
#include "switch.h"
#include "user_memory.h"
#include "utcb.h"

#include <string.h>

#define BETWEEN 256u /* bytes */

/* A string item's first word: length 22 | c 1 | pointers - 1 5 | 0 hh | C */
#define ITEM_IS_STRING(w) (((w) & 8) == 0)
#define ITEM_LENGTH(w)    ((w) >> 10)
#define ITEM_POINTERS(w)  (((w) >> 4 & 0x1f) + 1)
#define ITEM_CONTINUED    0x200u
#define ITEM_MORE         1u
#define ACCEPTS_STRINGS   1u

/* The pieces of one string, one after the other: registers `at` to `end` hold its items. */
struct pieces {
    word_t *words;
    word_t at, end;
    word_t header;   /* of the item that `pointers` belong to */
    word_t pointers; /* left in this item */
    word_t left;     /* bytes left in the piece */
    word_t va;
};

/* The item at `at` begins a string or continues one. False: it is none, or does not fit. */
static bool begin_item(struct pieces *p) {
    if (p->at >= p->end || !ITEM_IS_STRING(p->words[p->at]) ||
        p->at + ITEM_POINTERS(p->words[p->at]) >= p->end) {
        return false;
    }
    p->header = p->words[p->at++];
    p->pointers = ITEM_POINTERS(p->header);
    p->left = 0;
    return true;
}

/* Goes on until there is a byte: 1; 0 = the string is at its end, -1 = malformed. */
static int next_piece(struct pieces *p) {
    while (p->left == 0) {
        if (p->pointers != 0) {
            p->pointers--;
            p->va = p->words[p->at++];
            p->left = ITEM_LENGTH(p->header);
        } else if ((p->header & ITEM_CONTINUED) == 0) {
            return 0;
        } else if (!begin_item(p)) {
            return -1;
        }
    }
    return 1;
}

/* Where the register after the whole string is, whatever was left of it. False: malformed. */
static bool skip_rest(struct pieces *p) {
    do {
        p->at += p->pointers;
        p->pointers = 0;
    } while ((p->header & ITEM_CONTINUED) != 0 && begin_item(p));
    return (p->header & ITEM_CONTINUED) == 0;
}

bool xfer_has_strings(const word_t *message, word_t words) {
    word_t at = TAG_UNTYPED(message[0]) + 1;
    while (at + 1 <= words) {
        if (ITEM_IS_STRING(message[at])) {
            return true;
        }
        at += 2;
    }
    return false;
}

/* ---- one page ---- */

/* The page can be accessed so by its program, at this moment, and *pa is its frame. */
static bool make_ready(struct space *space, word_t va, bool write, word_t *pa) {
    if (switch_is_common(va)) {
        *pa = va & ~PAGE_MASK;
        return true;
    }
    mapping_t m = ptab_get(space, va);
    if (va < KERNEL_AREA && space->is_sigma0 && m == 0 && mapdb_map_sigma0(va)) {
        m = ptab_get(space, va);
    }
    if (m == 0) {
        return false;
    }
    if ((m & (write ? MAPPING_WRITABLE : MAPPING_VALID)) == 0 &&
        !mapdb_activate(space, va, write)) {
        return false;
    }
    *pa = mapping_frame(m);
    return !write || !space_is_reserved(space, va);
}

/* Where the kernel writes the receiver's bytes at `va`: there, or through the window. */
static uint8_t *open_window(const struct tcb *sender, const struct tcb *receiver, word_t va,
                            word_t size, word_t pa) {
    if (receiver->space == sender->space || switch_is_common(va)) {
        return user_byte(va, pa);
    }
    word_t first = va & ~(CACHE_LINE - 1);
    word_t end = (va + size + CACHE_LINE - 1) & ~(CACHE_LINE - 1);
    switch_window(receiver->space, first, end - first);
    return user_byte_elsewhere(va, pa);
}

/* At most up to the end of either page; 0 = a fault. */
static word_t copy(struct tcb *sender, struct tcb *receiver, word_t from, word_t to, word_t size,
                   struct xfer_fault *fault) {
    static word_t between[BETWEEN / sizeof(word_t)];
    word_t rest_from = PAGE_SIZE - (from & PAGE_MASK);
    word_t rest_to = PAGE_SIZE - (to & PAGE_MASK);
    word_t from_pa, to_pa;
    size = size < rest_from ? size : rest_from;
    size = size < rest_to ? size : rest_to;
    if (!make_ready(sender->space, from, false, &from_pa)) {
        *fault = (struct xfer_fault){.who = sender, .va = from};
        return 0;
    }
    if (sender->space != hot.space) {
        switch_to(hot.space, sender->space);
    }
    const uint8_t *source = user_byte(from, from_pa);
    mapping_t target = ptab_get(receiver->space, to);
    bool same = target != 0 && mapping_frame(target) == from_pa &&
                (receiver->space != sender->space || (from ^ to) >= PAGE_SIZE);
    if (same) {
        size = size < BETWEEN ? size : BETWEEN;
        memcpy(between, source, size);
        source = (const uint8_t *)between;
    }
    bool ready = make_ready(receiver->space, to, true, &to_pa);
    if (ready && !same && (ptab_get(sender->space, from) & MAPPING_VALID) == 0) {
        /* Parts of one large page that there was no memory to split: it moved as a whole. */
        size = size < BETWEEN ? size : BETWEEN;
        if (make_ready(sender->space, from, false, &from_pa)) {
            memcpy(between, source, size);
            source = (const uint8_t *)between;
        }
        ready = make_ready(receiver->space, to, true, &to_pa);
    }
    if (!ready) {
        *fault = (struct xfer_fault){.who = receiver, .va = to, .write = true};
        return 0;
    }
    memcpy(open_window(sender, receiver, to, size, to_pa), source, size);
    return size;
}

/* ---- the strings ---- */

/* One string into one buffer. `at` is the number of its first byte among all of the message. */
static enum xfer_end one_string(struct tcb *sender, struct tcb *receiver, struct pieces *s,
                                struct pieces *b, word_t *at, word_t *done,
                                struct xfer_fault *fault) {
    for (;;) {
        bool new_piece = s->left == 0;
        int more = next_piece(s);
        if (more <= 0) {
            return more == 0 ? XFER_DONE : XFER_OVERFLOW;
        }
        if (next_piece(b) <= 0) {
            return XFER_OVERFLOW;
        }
        if (new_piece) {
            s->words[s->at - 1] = b->va; /* where the receiver finds this piece */
        }
        word_t size = s->left < b->left ? s->left : b->left;
        if (*at + size > *done) {
            word_t skip = *done - *at;
            size = copy(sender, receiver, s->va + skip, b->va + skip, size - skip, fault);
            if (size == 0) {
                return XFER_FAULT;
            }
            *done += size;
            size += skip;
        }
        *at += size;
        s->left -= size;
        s->va += size;
        b->left -= size;
        b->va += size;
        if (*at == *done && board_interrupt_pending() >= 0) {
            return XFER_PAUSED;
        }
    }
}

enum xfer_end xfer_strings(struct tcb *sender, struct tcb *receiver, word_t *message, word_t words,
                           word_t *done, struct xfer_fault *fault) {
    static word_t buffers[L4_NUM_BRS];
    utcb_read_words(receiver, L4_UTCB_BR, buffers, L4_NUM_BRS);
    struct pieces s = {.words = message, .at = TAG_UNTYPED(message[0]) + 1, .end = words + 1};
    struct pieces b = {.words = buffers, .at = 1, .end = L4_NUM_BRS};
    bool accepts = (buffers[0] & ACCEPTS_STRINGS) != 0;
    word_t at = 0;
    enum xfer_end end = XFER_DONE;
    while (end == XFER_DONE && s.at + 1 < s.end) {
        if (!ITEM_IS_STRING(message[s.at])) {
            s.at += 2;
            continue;
        }
        if (!accepts || !begin_item(&s) || !begin_item(&b)) {
            end = XFER_OVERFLOW;
            break;
        }
        accepts = (b.header & ITEM_MORE) != 0;
        end = one_string(sender, receiver, &s, &b, &at, done, fault);
        if (end == XFER_DONE && !skip_rest(&b)) {
            end = XFER_OVERFLOW;
        }
    }
    cpu_drain_write_buffer(); /* before the receiver's next line fill */
    return end;
}
