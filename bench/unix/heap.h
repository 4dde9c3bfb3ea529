/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for programs with a C library whose own allocator has its state in thread-local storage,
 * as glibc's: below the base of a segment, which is not what every system lets be
 * (docs/linux-l4.md), and is not what is to be measured. No threads.
 */
#ifndef BENCH_UNIX_HEAP_H
#define BENCH_UNIX_HEAP_H

#include <stddef.h>

void *heap_take(size_t size); /* NULL: there is no more */
void heap_give(void *block);
void *heap_resize(void *block, size_t size);
size_t heap_size(void *block); /* what it holds; of NULL 0 */

#endif
