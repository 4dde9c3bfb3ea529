/* SPDX-License-Identifier: Apache-2.0 */
/* lwIP's view of the compiler and of the library (l4/lib). */
#ifndef LWIP_ARCH_CC_H
#define LWIP_ARCH_CC_H

#include <lib/print.h>
#include <stdint.h>

#define BYTE_ORDER LITTLE_ENDIAN

/* Headers that are not there. */
#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_CTYPE_H    1
#define LWIP_NO_UNISTD_H   1
#define X8_F               "02x"
#define U16_F              "u"
#define S16_F              "d"
#define X16_F              "x"
#define U32_F              "u"
#define S32_F              "d"
#define X32_F              "x"
#define SZT_F              "u"

#define LWIP_PLATFORM_DIAG(x) print x
#define LWIP_PLATFORM_ASSERT(text)                                                                 \
    do {                                                                                           \
        print("lwIP: %s\n", text);                                                                 \
        __builtin_trap();                                                                          \
    } while (0)

/* For port numbers, which nothing here depends on. */
uint32_t lwip_random(void);
#define LWIP_RAND() lwip_random()

#endif
