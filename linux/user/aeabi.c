/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the compiler calls where the processor has no instruction (ARM RTABI, 4.3): division, and in
 * Thumb, which has no long multiplication, that. Always compiled to ARM. A library that came with a
 * compiler would be for a later ARM than the SA-1110.
 */
#include "os.h"

typedef unsigned long long u64;

/* Divides by shifting and subtracting, a bit a turn. By zero: all ones, and SIGFPE. */
static u64 divide(u64 n, u64 d, u64 *rest) {
    u64 quotient = 0;
    u64 bit = 1;
    if (d == 0) {
        raise(SIGFPE);
        *rest = n;
        return ~0ULL;
    }
    while (d < n && !(d >> 63)) {
        d <<= 1;
        bit <<= 1;
    }
    for (; bit; bit >>= 1, d >>= 1) {
        if (n >= d) {
            n -= d;
            quotient |= bit;
        }
    }
    *rest = n;
    return quotient;
}

unsigned int __aeabi_uidiv(unsigned int n, unsigned int d);
int __aeabi_idiv(int n, int d);
u64 __aeabi_uidivmod(unsigned int n, unsigned int d);
u64 __aeabi_idivmod(int n, int d);
u64 divide_for_aeabi(u64 n, u64 d, u64 *rest);
u64 divide_signed_for_aeabi(long long n, long long d, long long *rest);
void __aeabi_uldivmod(void);
void __aeabi_ldivmod(void);
u64 __aeabi_lmul(u64 a, u64 b);
void __aeabi_memcpy(void *to, const void *from, size_t bytes);
void __aeabi_memmove(void *to, const void *from, size_t bytes);
void __aeabi_memset(void *to, size_t bytes, int value);
void __aeabi_memclr(void *to, size_t bytes);

unsigned int __aeabi_uidiv(unsigned int n, unsigned int d) {
    u64 rest;
    return divide(n, d, &rest);
}

/* Quotient in r0, rest in r1: one value of 64 bits. */
u64 __aeabi_uidivmod(unsigned int n, unsigned int d) {
    u64 rest;
    unsigned int quotient = divide(n, d, &rest);
    return rest << 32 | quotient;
}

u64 divide_signed_for_aeabi(long long n, long long d, long long *rest) {
    u64 left;
    u64 quotient = divide(n < 0 ? -(u64)n : (u64)n, d < 0 ? -(u64)d : (u64)d, &left);
    *rest = n < 0 ? -left : left;
    return (n < 0) != (d < 0) ? -quotient : quotient;
}

u64 divide_for_aeabi(u64 n, u64 d, u64 *rest) {
    return divide(n, d, rest);
}

int __aeabi_idiv(int n, int d) {
    long long rest;
    return divide_signed_for_aeabi(n, d, &rest);
}

u64 __aeabi_idivmod(int n, int d) {
    long long rest;
    unsigned int quotient = divide_signed_for_aeabi(n, d, &rest);
    return (u64)rest << 32 | quotient;
}

/* Quotient in r0 and r1, rest in r2 and r3: no type of C returns so. */
#define DIVIDE_LONG(name, function)                                                                \
    __attribute__((naked)) void name(void) {                                                       \
        __asm__("stmfd sp!, {r4, lr}\n"                                                            \
                "sub sp, sp, #16\n"                                                                \
                "add r4, sp, #8\n"                                                                 \
                "str r4, [sp]\n"                                                                   \
                "bl " #function "\n"                                                               \
                "ldr r2, [sp, #8]\n"                                                               \
                "ldr r3, [sp, #12]\n"                                                              \
                "add sp, sp, #16\n"                                                                \
                "ldmfd sp!, {r4, pc}");                                                            \
    }
DIVIDE_LONG(__aeabi_uldivmod, divide_for_aeabi)
DIVIDE_LONG(__aeabi_ldivmod, divide_signed_for_aeabi)

u64 __aeabi_lmul(u64 a, u64 b) {
    return a * b;
}

void __aeabi_memcpy(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

void __aeabi_memmove(void *to, const void *from, size_t bytes) {
    memmove(to, from, bytes);
}

void __aeabi_memset(void *to, size_t bytes, int value) {
    memset(to, value, bytes);
}

void __aeabi_memclr(void *to, size_t bytes) {
    memset(to, 0, bytes);
}

#define ALIAS(name) __attribute__((alias(#name)))
void __aeabi_memcpy4(void *to, const void *from, size_t bytes) ALIAS(__aeabi_memcpy);
void __aeabi_memcpy8(void *to, const void *from, size_t bytes) ALIAS(__aeabi_memcpy);
void __aeabi_memmove4(void *to, const void *from, size_t bytes) ALIAS(__aeabi_memmove);
void __aeabi_memmove8(void *to, const void *from, size_t bytes) ALIAS(__aeabi_memmove);
void __aeabi_memset4(void *to, size_t bytes, int value) ALIAS(__aeabi_memset);
void __aeabi_memset8(void *to, size_t bytes, int value) ALIAS(__aeabi_memset);
void __aeabi_memclr4(void *to, size_t bytes) ALIAS(__aeabi_memclr);
void __aeabi_memclr8(void *to, size_t bytes) ALIAS(__aeabi_memclr);
