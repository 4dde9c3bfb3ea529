/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the guests of machine/tests/ share. start.S has set up, when it calls `test`:
 *
 *   virtual     physical   C B  what
 *   0x50000000  the same   - -  the probe; r8 points to it and must stay so
 *   0xc0000000  the same   C B  the first MB of SDRAM: code, tables, stack
 *   0xd0000000  0xc0000000 - -  the first 4 MB of SDRAM as memory has them: reads and writes here
 *                               pass all caches, so they show, and are, the truth
 *   0xe0000000  the same   C B  the zeros bank
 *   0xe0100000  the same   C -  the zeros bank through the mini data cache
 *   0xfff00000  0xc0300000 C B  with the vectors at 0xffff0000
 *
 * MMU, caches, write buffer and high vectors are on; all of the above is in domain 0, of which
 * the guest is a client. Addresses from 0x01000000 to 0x4fffffff are a test's own, and physical
 * memory from FRAME_1 on.
 *
 * Registers: r0 and r7 are scratch of the macros, r8 is the probe, r9 is where a prefetch abort
 * continues, r10 and r11 receive address and status of a fault. The rest is the test's.
 */
#ifndef GUEST_H
#define GUEST_H

#include "counters.h"
#include "probe.h"

/* Physical frames for tests, and the way to each past the caches. */
#define FRAME_1     0xc0100000
#define FRAME_2     0xc0200000
#define TRUTH_1     0xd0100000
#define TRUTH_2     0xd0200000
#define TRUTH       0x10000000 /* from an address in the first MB of SDRAM to its truth */

#define ZEROS       0xe0000000
#define ZEROS_MINI  0xe0100000

/* First-level descriptors (DM 7, ARM DDI 0100 B3.3.3). */
#define SECTION      0x012 /* a section; or it with permissions, domain, C and B */
#define TABLE        0x011 /* a page table */
#define FULL_ACCESS  0xc00 /* AP = 3 of a section: read and write for all */
#define C            0x008
#define B            0x004
#define DOMAIN(n)    ((n) << 5)
/* Second-level descriptors. */
#define SMALL_PAGE   0x002
#define LARGE_PAGE   0x001
#define ALL_SUBPAGES 0xff0 /* AP = 3 in each sub-page */

/* Control register (DM 5.2.2). */
#define CONTROL_MMU         0x0001
#define CONTROL_DCACHE      0x0004
#define CONTROL_WRITEBUFFER 0x0008
#define CONTROL_FIXED       0x0070
#define CONTROL_SYSTEM      0x0100
#define CONTROL_ROM         0x0200
#define CONTROL_ICACHE      0x1000
#define CONTROL_VECTORS     0x2000
#define CONTROL_ON (CONTROL_MMU | CONTROL_DCACHE | CONTROL_WRITEBUFFER | CONTROL_FIXED | \
	CONTROL_ICACHE | CONTROL_VECTORS)

/* Fault status (DM 7.2); or it with FAULT_DOMAIN. */
#define NO_FAULT            0x0
#define TRANSLATION_SECTION 0x5
#define TRANSLATION_PAGE    0x7
#define DOMAIN_SECTION      0x9
#define DOMAIN_PAGE         0xb
#define PERMISSION_SECTION  0xd
#define PERMISSION_PAGE     0xf
#define FAULT_DOMAIN(n)     ((n) << 4)
#define PREFETCH_ABORT      0x100 /* start.S's own mark: the processor leaves no status */

#ifdef __ASSEMBLER__
	.syntax unified
	.arm

/* Cache and TLB operations (DM 5.2.7, 5.2.8); `reg` holds an address or is ignored. */
.macro invalidate_caches
	mcr	p15, 0, r0, c7, c7, 0
.endm
.macro invalidate_icache
	mcr	p15, 0, r0, c7, c5, 0
.endm
.macro invalidate_dcache
	mcr	p15, 0, r0, c7, c6, 0
.endm
.macro invalidate_dline reg
	mcr	p15, 0, \reg, c7, c6, 1
.endm
.macro clean_dline reg
	mcr	p15, 0, \reg, c7, c10, 1
.endm
.macro drain
	mcr	p15, 0, r0, c7, c10, 4
.endm
.macro invalidate_tlbs
	mcr	p15, 0, r0, c8, c7, 0
.endm
.macro invalidate_itlb
	mcr	p15, 0, r0, c8, c5, 0
.endm
.macro invalidate_dtlb
	mcr	p15, 0, r0, c8, c6, 0
.endm
.macro invalidate_dtlb_entry reg
	mcr	p15, 0, \reg, c8, c6, 1
.endm
.macro set_dacr value
	ldr	r0, =\value
	mcr	p15, 0, r0, c3, c0, 0
.endm
.macro set_control value
	ldr	r0, =\value
	mcr	p15, 0, r0, c1, c0, 0
.endm
.macro set_pid slot
	ldr	r0, =(\slot << 25)
	mcr	p15, 0, r0, c13, c0, 0
.endm

/* Writes a first-level descriptor for the section at `va`, to memory at once. */
.macro map_section va, descriptor
	ldr	r7, =(l1_table + TRUTH + (\va >> 20) * 4)
	ldr	r0, =(\descriptor)
	str	r0, [r7]
.endm

/* Writes `value` to memory at `va`, which is one of the uncached addresses. */
.macro poke va, value
	ldr	r7, =\va
	ldr	r0, =\value
	str	r0, [r7]
.endm

/* Reads the word at `va` into `reg`. */
.macro peek reg, va
	ldr	r7, =\va
	ldr	\reg, [r7]
.endm

/* Reads the machine's counter `number` into `reg`; touches no cache. */
.macro counter reg, number
	mov	r0, #\number
	str	r0, [r8, #PROBE_COUNTER_SELECT]
	ldr	\reg, [r8, #PROBE_COUNTER]
.endm

/* Fails the test with status `check` unless `reg` has `value`. */
.macro expect reg, value, check
	mov	r6, \reg
	ldr	r7, =(\value)
	cmp	r6, r7
	movne	r0, #\check
	blne	fail
.endm

/* Runs an instruction that may fault; then r11 has the fault status (0: none), r10 the address. */
.macro try instruction:vararg
	mov	r11, #0
	\instruction
.endm

/* Reads all 8 KB that the data cache can hold from the zeros bank, so that every dirty line is
 * evicted (DM 6.2: the way to clean the cache); then drains. Changes r0, r1, r2. */
.macro clean_dcache
	mov	r1, #ZEROS
	add	r2, r1, #8192
77:	ldr	r0, [r1], #32
	cmp	r1, r2
	blo	77b
	drain
.endm

/* Cleans the 512 bytes of the mini data cache. */
.macro clean_minicache
	ldr	r1, =ZEROS_MINI
	add	r2, r1, #512
77:	ldr	r0, [r1], #32
	cmp	r1, r2
	blo	77b
	drain
.endm
#endif
#endif
