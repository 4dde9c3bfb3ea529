/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's debugging aids: console, panic, jump targets.
 */
#include "kdb.h"

#include "board.h"
#include "events.h"
#include "kip.h"
#include "kmem.h"
#include "mapdb.h"
#include "spaces.h"

#include <stdarg.h>

static void put_string(const char *s) {
    while (*s != 0) {
        board_putc(*s++);
    }
}

static void put_hex(word_t value) {
    for (int shift = 8 * (int)sizeof(word_t) - 4; shift >= 0; shift -= 4) {
        board_putc("0123456789abcdef"[value >> shift & 0xf]);
    }
}

static void put_decimal(word_t value) {
    char digits[sizeof(word_t) * 5 / 2 + 1]; /* a byte takes less than 2.5 */
    int n = (int)sizeof digits - 1;
    digits[n] = 0;
    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put_string(&digits[n]);
}

void kdb_printf(const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (; *format != 0; format++) {
        if (*format != '%') {
            board_putc(*format);
            continue;
        }
        switch (*++format) {
        case 'x':
            put_hex(va_arg(args, word_t));
            break;
        case 'd':
        case 'u':
            put_decimal(va_arg(args, word_t));
            break;
        case 's':
            put_string(va_arg(args, const char *));
            break;
        case 'c':
            board_putc((char)va_arg(args, int));
            break;
        default:
            board_putc(*format);
            break;
        }
    }
    va_end(args);
}

static void print_thread(const struct tcb *t) {
    kdb_printf("thread %x state %u kind %u priority %u space %x\n", t->id, (word_t)t->state,
               (word_t)t->kind, (word_t)t->priority, (word_t)t->space);
    frame_print(&t->frame, kdb_printf);
}

_Noreturn void panic(const char *what) {
    kdb_printf("\nkernel panic: %s\n", what);
    if (hot.current != NULL) {
        print_thread(hot.current);
    }
    board_exit(2);
}

/* An event's statistic has the next number, as 0 and 1 are the heap's. */
#define EVENT_OF(statistic) ((statistic) - 1)
_Static_assert(EVENT_OF(L4_STAT_CACHE_FLUSHES) == EVENT_CACHE_FLUSH, "L4_STAT_CACHE_FLUSHES");
_Static_assert(EVENT_OF(L4_STAT_TLB_FLUSHES) == EVENT_TLB_FLUSH, "L4_STAT_TLB_FLUSHES");
_Static_assert(EVENT_OF(L4_STAT_DOMAINS_RECYCLED) == EVENT_DOMAIN_RECYCLED,
               "L4_STAT_DOMAINS_RECYCLED");
_Static_assert(EVENT_OF(L4_STAT_RECYCLED_CLEAN) == EVENT_CLEAN_RECYCLED, "L4_STAT_RECYCLED_CLEAN");
_Static_assert(EVENT_OF(L4_STAT_COLLISIONS) == EVENT_COLLISION, "L4_STAT_COLLISIONS");
_Static_assert(EVENT_OF(L4_STAT_CPD_LOADS) == EVENT_CPD_LOADED, "L4_STAT_CPD_LOADS");
_Static_assert(EVENT_OF(L4_STAT_DOMAINS_ALLOCATED) == EVENT_DOMAIN_ALLOC,
               "L4_STAT_DOMAINS_ALLOCATED");
_Static_assert(EVENT_OF(L4_STAT_SYNONYM_MIGRATIONS) == EVENT_SYNONYM_MOVED,
               "L4_STAT_SYNONYM_MIGRATIONS");
_Static_assert(EVENT_OF(L4_STAT_SECTIONS_SHARED) == EVENT_SECTION_SHARED,
               "L4_STAT_SECTIONS_SHARED");
_Static_assert(EVENT_OF(L4_STAT_PAGE_SPLITS) == EVENT_PAGE_SPLIT, "L4_STAT_PAGE_SPLITS");
_Static_assert(EVENT_OF(L4_STAT_BYPASS) == EVENT_BYPASS, "L4_STAT_BYPASS");
_Static_assert(EVENT_OF(L4_STAT_BYPASS_END) == EVENT_BYPASS_END, "L4_STAT_BYPASS_END");

static word_t statistic(word_t number) {
    switch (number) {
    case L4_STAT_FREE_PAGES:
        mapdb_give_back();
        return kmem_free_pages();
    case L4_STAT_TOTAL_PAGES:
        return kmem_total_pages();
    case L4_STAT_PROTECTS:
        return SWITCH_PROTECTS;
    default:
        return EVENT_OF(number) < EVENTS ? event_counts[EVENT_OF(number)] : 0;
    }
}

void kdb_trap(struct tcb *self, word_t call) {
    word_t *r = frame_arguments(&self->frame);
    int c;
    switch (call) {
    case L4_TRAP_PUTC:
        board_putc((char)r[0]);
        break;
    case L4_TRAP_GETC:
        c = board_getc();
        if (c < 0) {
            return; /* pc stays: it asks again, and can be interrupted in between */
        }
        r[0] = (word_t)c;
        break;
    case L4_TRAP_GETC_NB:
        r[0] = (word_t)board_getc();
        break;
    case L4_TRAP_ENTER_KDEBUG:
        kdb_printf("\nkernel debugger:\n");
        print_thread(self);
        board_exit(1);
    case L4_TRAP_KERNEL_INTERFACE:
        r[0] = L4_Address(self->space->kip_area);
        r[1] = the_kip->ApiVersion.raw;
        r[2] = the_kip->ApiFlags.raw;
        r[3] = *(const L4_Word_t *)((const char *)the_kip + the_kip->KernDescPtr);
        break;
    case L4_TRAP_STATISTICS:
        r[0] = statistic(r[0]);
        break;
    default:
        break;
    }
    frame_return(&self->frame);
}
