/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `flush`: every change of space cleans and invalidates the caches and the TLBs.
 *
 * Each space has its own directory, which the processor walks, with the kernel's entries copied
 * in. Programs are in one domain, always open. Nothing of another space is ever in a cache or
 * TLB, which makes everything else here simple. The order of the steps is the custom of kernels
 * for this processor: data written back under the old translations, then all dropped, then the
 * new directory.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdint.h>

struct switch_state {
    uint32_t ttb; /* pa of the directory */
};

struct switch_hot {
    uint32_t unused;
};

#endif
