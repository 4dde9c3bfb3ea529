/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where everything is. Plain constants: C, assembly and the linker script include this file.
 *
 * Programs own what is below KERNEL_AREA, under every scheme the same. The kernel's own addresses
 * are the same in every space, in global pages, which a load of CR3 leaves in the TLBs. Caches are
 * physically tagged, so a frame may have as many addresses as one likes, and nothing has to be
 * uncached for the sake of the page walker.
 *
 *   D0000000                        the small-space area: linear addresses of programs that run in
 *                                   a part of it (switch/small-spaces); else unused. 512 MB, or
 *                                   what SMALL_AREA says, which make is told, below F0000000
 *   F0000000  KERNEL_PA             the kernel: text, data, TCBs, stack. One page of 4 MB.
 *   F0400000  HEAP_PA               the heap: 12 MB in pages of 4 MB
 *   F1000000  PROBE_PA              the probe: a page of 4 MB, uncached
 *   F1400000                        4 KB pages: the UTCB pointer as programs read it, by gs:0
 *                                   (segments.h), the same frame for the kernel to write, and two
 *                                   windows on frames that are no memory (user_memory.h)
 *   F4000000  SDRAM_PA              all memory, in pages of 4 MB: how the kernel reaches that of
 *                                   programs (user_memory.h)
 *
 * Physical memory, 64 MB. The kernel's 4 MB are the lowest, with the PC's hole for adapters in
 * them.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "board_layout.h"

#define KERNEL_VA        0xf0000000
#define KERNEL_AREA      (KERNEL_VA - SMALL_AREA) /* everything above is the kernel's to give */
#define FRAMES_END       KERNEL_VA                /* sigma0 gives none that lies above */
#define HEAP_VA          0xf0400000
#define HEAP_UNCACHED_VA HEAP_VA
#define PROBE_VA         0xf1000000
#define PAGES_VA         0xf1400000
#define UTCB_SEGMENT_VA  PAGES_VA
#define UTCB_POINTER_VA  (PAGES_VA + 0x1000)
#define WINDOWS_VA       (PAGES_VA + 0x2000)
#define WINDOWS          2
#define SDRAM_VA         0xf4000000

#define KERNEL_PA   0x00000000
#define KERNEL_SIZE 0x00400000
#define OWN_OFFSET  0x00300000 /* in it: what own_state.c has */
#define IMAGE_PA    0x00100000 /* where a loader may put it: after the hole */
#define HEAP_PA     0x00400000
#define HEAP_SIZE   0x00c00000
#define SIGMA0_PA   0x01000000
#define SIGMA0_SIZE 0x00100000
#define PROGRAM_PA  0x01100000
#define PROGRAM_MAX 0x02000000

/* The kernel's page directory at boot. */
#define BOOT_DIRECTORY_PA HEAP_PA

#endif
