/* SPDX-License-Identifier: Apache-2.0 */
/* The two of C's string functions that the kernel uses; code in l4/lib/string.c. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

#endif
