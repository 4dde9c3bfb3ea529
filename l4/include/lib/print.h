/* SPDX-License-Identifier: Apache-2.0 */
/* Console output for programs: %c %s %d %u %x %llu %llx %%, with zero padding and a width. */
#ifndef LIB_PRINT_H
#define LIB_PRINT_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Where print's characters go; the library's is the kernel console, bare programs have their own.
 */
void print_character(char c);

#ifdef __cplusplus
}
#endif

#endif
