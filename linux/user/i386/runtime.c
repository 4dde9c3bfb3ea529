/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler calls where the processor has no instruction: division of 64 bits by 64. */
#include "os.h"

typedef unsigned long long u64;

u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);
long long __divdi3(long long n, long long d);
long long __moddi3(long long n, long long d);

/* EDX and EAX by a register. `high` is below `by`, else the quotient were longer than EAX. */
static unsigned int divide_words(unsigned int high, unsigned int low, unsigned int by,
                                 unsigned int *rest) {
    unsigned int quotient;
    __asm__("divl %4" : "=a"(quotient), "=d"(*rest) : "0"(low), "1"(high), "r"(by) : "cc");
    return quotient;
}

/* By zero: as the processor does it. */
static u64 divide(u64 n, u64 d, u64 *rest) {
    u64 quotient = 0;
    if (d >> 32 == 0) {
        unsigned int left;
        quotient = (u64)divide_words(0, n >> 32, d, &left) << 32;
        quotient |= divide_words(left, n, d, &left);
        *rest = left;
        return quotient;
    }
    /* The quotient has less than 32 bits: one a turn. */
    for (int bit = __builtin_clz(d >> 32); bit >= 0; bit--) {
        if (n >= d << bit) {
            n -= d << bit;
            quotient |= 1u << bit;
        }
    }
    *rest = n;
    return quotient;
}

static u64 size_of(long long n) {
    return n < 0 ? -(u64)n : (u64)n;
}

u64 __udivdi3(u64 n, u64 d) {
    u64 rest;
    return divide(n, d, &rest);
}

u64 __umoddi3(u64 n, u64 d) {
    u64 rest;
    divide(n, d, &rest);
    return rest;
}

long long __divdi3(long long n, long long d) {
    u64 rest;
    u64 quotient = divide(size_of(n), size_of(d), &rest);
    return (n < 0) != (d < 0) ? -quotient : quotient;
}

long long __moddi3(long long n, long long d) {
    u64 rest;
    divide(size_of(n), size_of(d), &rest);
    return n < 0 ? -rest : rest;
}
