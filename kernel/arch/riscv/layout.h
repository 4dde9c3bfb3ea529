/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where everything is. Plain constants: C, assembly and the linker script include this file.
 *
 * Programs own the lower half of Sv39's addresses, under every scheme the same. The kernel's are at
 * the beginning of the upper half: physical memory up to 3 GB, each address higher by PHYSICAL_VA,
 * in three global pages of 1 GB of which the root of every space has the entries. So the kernel
 * needs one entry of a TLB, reaches all memory, and has no tables. Caches are physically tagged: a
 * frame may have as many addresses as one likes.
 *
 *   FFFFFFC0 00000000  00000000     the board's devices
 *   FFFFFFC0 40000000  40000000     the probe
 *   FFFFFFC0 80000000  80000000     memory: the kernel (2 MB), its heap, sigma0, the program
 *
 * Physical memory, 64 MB from SDRAM_PA (a larger machine's rest is left alone).
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "board_layout.h"

#define KERNEL_AREA      0x4000000000 /* everything above is the kernel's, or nobody's */
#define FRAMES_END       KERNEL_AREA  /* sigma0 gives none that lies above */
#define PHYSICAL_VA      0xffffffc000000000
#define KERNEL_VA        (PHYSICAL_VA + KERNEL_PA)
#define HEAP_VA          (PHYSICAL_VA + HEAP_PA)
#define HEAP_UNCACHED_VA HEAP_VA
#define PROBE_VA         (PHYSICAL_VA + PROBE_PA)

/* Which of a root's 512 entries these three are, from the first on. */
#define KERNEL_ROOT_ENTRY   256
#define KERNEL_ROOT_ENTRIES 3

#define KERNEL_PA   SDRAM_PA
#define KERNEL_SIZE 0x00200000
#define HEAP_PA     (SDRAM_PA + KERNEL_SIZE)
#define HEAP_SIZE   0x00c00000
#define SIGMA0_PA   (HEAP_PA + HEAP_SIZE)
#define SIGMA0_SIZE 0x00200000
#define PROGRAM_PA  (SIGMA0_PA + SIGMA0_SIZE)
#define PROGRAM_MAX 0x02000000

/* The root at boot. */
#define BOOT_DIRECTORY_PA HEAP_PA

#endif
