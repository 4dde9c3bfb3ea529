/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Division of 64 bits by 64, which the compiler calls: the processor divides 64 bits by 32, and the
 * compiler's own run-time library is not built for it without SSE.
 */
#include <stdint.h>

uint64_t __udivdi3(uint64_t numerator, uint64_t denominator);
uint64_t __umoddi3(uint64_t numerator, uint64_t denominator);

/* Division by zero gives 0 and the numerator, as on ARM. */
static uint64_t divide(uint64_t numerator, uint64_t denominator, uint64_t *remainder) {
    uint64_t quotient = 0;
    uint64_t bit = 1;
    *remainder = numerator;
    if (denominator == 0) {
        return 0;
    }
    while (denominator < *remainder && denominator >> 63 == 0) {
        denominator <<= 1;
        bit <<= 1;
    }
    for (; bit != 0; bit >>= 1, denominator >>= 1) {
        if (*remainder >= denominator) {
            *remainder -= denominator;
            quotient |= bit;
        }
    }
    return quotient;
}

uint64_t __udivdi3(uint64_t numerator, uint64_t denominator) {
    uint64_t remainder;
    return divide(numerator, denominator, &remainder);
}

uint64_t __umoddi3(uint64_t numerator, uint64_t denominator) {
    uint64_t remainder;
    (void)divide(numerator, denominator, &remainder);
    return remainder;
}
