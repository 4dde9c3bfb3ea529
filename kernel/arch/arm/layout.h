/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where everything is. Plain constants: C, assembly and the linker script include this file.
 *
 * Programs own 00000000..FDFFFFFF. The kernel's own addresses are the same in every space, all in
 * domain 0, and every kernel frame that is accessed through the cache has one mva only, but for
 * heap frames that become page tables or UTCBs (kmem.h says how that is kept right).
 *
 *   FE000000  heap, cached          8 MB sections over HEAP_PA
 *   FE800000  heap, uncached        the same frames, write-buffered: page tables, UTCBs of others
 *   FF000000  the UTCB pointer      one page, programs read it (l4/arch/arm/binding.h)
 *   FF100000  UART_PA               serial ports
 *   FF200000  SYSTEM_PA             what else the kernel uses of the board
 *   FF300000  50000000              the probe
 *   FF400000  E0000000 (SA-1110)    zeros bank, cached: reading it cleans the data cache
 *   FF500000  E0000000 (SA-1110)    zeros bank, mini data cache: likewise
 *   FF600000  the last 1 MB of RAM  until boot information is written there (bootinfo.c)
 *   FFF00000  KERNEL_PA             the kernel itself: text, data, TCBs, stacks and, at FFFF0000,
 *                                   the vectors. One section, so that the kernel needs one ITLB and
 *                                   one DTLB entry, and the vectors can branch to it directly.
 *
 * Physical memory, 32 MB from SDRAM_PA (a larger machine's rest is left alone).
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "board_layout.h"

#define KERNEL_AREA      0xfe000000  /* everything above is the kernel's */
#define FRAMES_END       KERNEL_AREA /* sigma0 gives none that lies above */
#define HEAP_SIZE        0x00800000
#define HEAP_VA          0xfe000000
#define HEAP_UNCACHED_VA 0xfe800000
#define UTCB_POINTER_VA  0xff000000
#define XFER_WINDOW_VA   (UTCB_POINTER_VA + 0x1000) /* user_memory.h */
#define UART_VA          0xff100000
#define SYSTEM_VA        0xff200000
#define PROBE_VA         0xff300000
#define ZEROS_VA         0xff400000
#define ZEROS_MINI_VA    0xff500000
#define BOOT_WINDOW_VA   0xff600000
#define KERNEL_VA        0xfff00000
#define VECTORS_VA       0xffff0000

#define KERNEL_PA   (SDRAM_PA)
#define KERNEL_SIZE 0x00100000
#define HEAP_PA     (SDRAM_PA + KERNEL_SIZE)
#define SIGMA0_PA   (HEAP_PA + HEAP_SIZE)
#define SIGMA0_SIZE 0x00100000
#define PROGRAM_PA  (SIGMA0_PA + SIGMA0_SIZE)
#define PROGRAM_MAX 0x01000000

/* The kernel's page directory at boot; under `fass` it is the caching page directory. */
#define BOOT_DIRECTORY_PA (HEAP_PA)

#endif
