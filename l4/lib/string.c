/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and string functions. Compiled with -fno-builtin, else the compiler would turn the loops
 * into calls of the very functions they are.
 */
#include <lib/string.h>
#include <stdint.h>

static int both_aligned(const void *a, const void *b) {
    return (((uintptr_t)a | (uintptr_t)b) & 3) == 0;
}

void *memcpy(void *to, const void *from, size_t size) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if (both_aligned(t, f)) {
        for (; size >= 4; size -= 4, t += 4, f += 4) {
            *(uint32_t *)(void *)t = *(const uint32_t *)(const void *)f;
        }
    }
    for (; size > 0; size--) {
        *t++ = *f++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((uintptr_t)t - (uintptr_t)f >= size) {
        return memcpy(to, from, size);
    }
    while (size > 0) {
        size--;
        t[size] = f[size];
    }
    return to;
}

void *memset(void *to, int byte, size_t size) {
    unsigned char *t = to;
    uint32_t word = (unsigned char)byte * 0x01010101u;
    for (; size > 0 && ((uintptr_t)t & 3) != 0; size--) {
        *t++ = (unsigned char)byte;
    }
    for (; size >= 4; size -= 4, t += 4) {
        *(uint32_t *)(void *)t = word;
    }
    for (; size > 0; size--) {
        *t++ = (unsigned char)byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a;
    const unsigned char *y = b;
    for (; size > 0; size--, x++, y++) {
        if (*x != *y) {
            return *x - *y;
        }
    }
    return 0;
}

size_t strlen(const char *s) {
    const char *end = s;
    while (*end != '\0') {
        end++;
    }
    return (size_t)(end - s);
}

int strncmp(const char *a, const char *b, size_t size) {
    for (; size > 0; size--, a++, b++) {
        if (*a != *b || *a == '\0') {
            return (unsigned char)*a - (unsigned char)*b;
        }
    }
    return 0;
}

unsigned long parse_number(const char *text, const char **end) {
    unsigned long value = 0;
    unsigned base = 10;
    if (text[0] == '0' && text[1] == 'x') {
        base = 16;
        text += 2;
    }
    for (;; text++) {
        unsigned digit;
        if (*text >= '0' && *text <= '9') {
            digit = (unsigned)(*text - '0');
        } else if (base == 16 && *text >= 'a' && *text <= 'f') {
            digit = (unsigned)(*text - 'a') + 10;
        } else {
            break;
        }
        value = value * base + digit;
    }
    *end = text;
    return value;
}
