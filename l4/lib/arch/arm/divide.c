/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Division as the ARM run-time ABI wants it: ARMv4 has no divide instruction, and the compiler's
 * own run-time library is not built for this processor. aeabi.S returns pairs in registers.
 */
#include <stdint.h>

uint32_t l4_divide32(uint32_t numerator, uint32_t denominator, uint32_t *remainder);
uint64_t l4_divide64(uint64_t numerator, uint64_t denominator, uint64_t *remainder);

/* Division by zero gives 0 and the numerator: the ABI's trap has no handler to go to here. */
uint32_t l4_divide32(uint32_t numerator, uint32_t denominator, uint32_t *remainder) {
    uint32_t quotient = 0;
    uint32_t bit = 1;
    if (denominator == 0) {
        *remainder = numerator;
        return 0;
    }
    while (denominator < numerator && (denominator & 0x80000000) == 0) {
        denominator <<= 1;
        bit <<= 1;
    }
    for (; bit != 0; bit >>= 1, denominator >>= 1) {
        if (numerator >= denominator) {
            numerator -= denominator;
            quotient |= bit;
        }
    }
    *remainder = numerator;
    return quotient;
}

uint64_t l4_divide64(uint64_t numerator, uint64_t denominator, uint64_t *remainder) {
    uint64_t quotient = 0;
    uint64_t bit = 1;
    if (denominator == 0) {
        *remainder = numerator;
        return 0;
    }
    while (denominator < numerator && (denominator & 0x8000000000000000) == 0) {
        denominator <<= 1;
        bit <<= 1;
    }
    for (; bit != 0; bit >>= 1, denominator >>= 1) {
        if (numerator >= denominator) {
            numerator -= denominator;
            quotient |= bit;
        }
    }
    *remainder = numerator;
    return quotient;
}
