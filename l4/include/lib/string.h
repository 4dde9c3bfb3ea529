/* SPDX-License-Identifier: Apache-2.0 */
/* The memory and string functions there are (string.c); the compiler may call the first four. */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *s);
int strncmp(const char *a, const char *b, size_t size);

/* The number that `text` begins with (decimal, or hexadecimal after 0x); *end = what follows. */
unsigned long parse_number(const char *text, const char **end);

#ifdef __cplusplus
}
#endif

#endif
