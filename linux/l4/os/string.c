// SPDX-License-Identifier: GPL-2.0-only
/*
 * What User-Mode Linux has from a C library: memory is copied by the processor's string
 * instructions.
 */
#include <linux/string.h>

#undef memcpy
#undef memmove
#undef memset

void *memcpy(void *to, const void *from, size_t n) {
    long d0, d1, d2;

    asm volatile("rep movsl\n\tmovl %4, %%ecx\n\trep movsb"
                 : "=&c"(d0), "=&D"(d1), "=&S"(d2)
                 : "0"(n / 4), "g"(n & 3), "1"(to), "2"(from)
                 : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t n) {
    long d0, d1, d2;

    if (to <= from || to >= from + n) {
        return memcpy(to, from, n);
    }
    asm volatile("std\n\trep movsb\n\tcld"
                 : "=&c"(d0), "=&D"(d1), "=&S"(d2)
                 : "0"(n), "1"(to + n - 1), "2"(from + n - 1)
                 : "memory");
    return to;
}

void *memset(void *to, int value, size_t n) {
    long d0, d1;

    asm volatile("rep stosl\n\tmovl %3, %%ecx\n\trep stosb"
                 : "=&c"(d0), "=&D"(d1)
                 : "a"((value & 0xff) * 0x01010101u), "g"(n & 3), "0"(n / 4), "1"(to)
                 : "memory");
    return to;
}

char *strstr(const char *in, const char *what) {
    size_t n = strlen(what);

    for (; strlen(in) >= n; in++) {
        if (!memcmp(in, what, n)) {
            return (char *)in;
        }
    }
    return NULL;
}
