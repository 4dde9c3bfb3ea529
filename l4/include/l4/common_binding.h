/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every binding of L4 X.2 has alike: fields of the KIP and the UTCB, whose offsets differ only
 * by the size of a word, and the indices of statistics. A binding (arch/ARCH/binding.h) defines
 * L4_WORD_BYTES and includes this file.
 *
 * Only plain constants, so that assembly may include this file; kip.h and utcb.h check with
 * static assertions that the C structures agree with it. All offsets are in bytes.
 */
#ifndef L4_COMMON_BINDING_H
#define L4_COMMON_BINDING_H

/* Kernel interface page (KIP): words that assembly or a boot loader uses. */
#define L4_KIP_SIZE           0x1000
#define L4_KIP_SIGMA0_SP      (8 * L4_WORD_BYTES)
#define L4_KIP_SIGMA0_IP      (9 * L4_WORD_BYTES)
#define L4_KIP_SIGMA0_LOW     (10 * L4_WORD_BYTES)
#define L4_KIP_SIGMA0_HIGH    (11 * L4_WORD_BYTES)
#define L4_KIP_ROOT_SP        (16 * L4_WORD_BYTES)
#define L4_KIP_ROOT_IP        (17 * L4_WORD_BYTES)
#define L4_KIP_ROOT_LOW       (18 * L4_WORD_BYTES)
#define L4_KIP_ROOT_HIGH      (19 * L4_WORD_BYTES)
#define L4_KIP_MEMORY_INFO    (21 * L4_WORD_BYTES)
#define L4_KIP_UTCB_INFO      (42 * L4_WORD_BYTES)
#define L4_KIP_KIP_AREA_INFO  (43 * L4_WORD_BYTES)
#define L4_KIP_BOOT_INFO      (46 * L4_WORD_BYTES)
#define L4_KIP_PROC_DESC_PTR  (47 * L4_WORD_BYTES)
#define L4_KIP_CLOCK_INFO     (48 * L4_WORD_BYTES)
#define L4_KIP_THREAD_INFO    (49 * L4_WORD_BYTES)
#define L4_KIP_PAGE_INFO      (50 * L4_WORD_BYTES)
#define L4_KIP_PROCESSOR_INFO (51 * L4_WORD_BYTES)

/* First words of the KIP: 'L' '4' 0xE6 'K' in memory order; version 0x84, sub-version 5 ("X.2"). */
#define L4_KIP_MAGIC       0x4be6344c
#define L4_API_VERSION     0x84
#define L4_API_SUBVERSION  5
#define L4_API_VERSIONWORD (L4_API_VERSION * 0x1000000u + L4_API_SUBVERSION * 0x10000u)

/* User-level thread control block (UTCB). */
#define L4_UTCB_SIZE                (128 * L4_WORD_BYTES)
#define L4_UTCB_MY_GLOBAL_ID        0
#define L4_UTCB_PROCESSOR_NO        (1 * L4_WORD_BYTES)
#define L4_UTCB_USER_DEFINED_HANDLE (2 * L4_WORD_BYTES)
#define L4_UTCB_PAGER               (3 * L4_WORD_BYTES)
#define L4_UTCB_EXCEPTION_HANDLER   (4 * L4_WORD_BYTES)
#define L4_UTCB_PREEMPT_FLAGS       (5 * L4_WORD_BYTES)
#define L4_UTCB_COP_FLAGS           (5 * L4_WORD_BYTES + 1)
#define L4_UTCB_XFER_TIMEOUTS       (6 * L4_WORD_BYTES)
#define L4_UTCB_ERROR_CODE          (7 * L4_WORD_BYTES)
#define L4_UTCB_INTENDED_RECEIVER   (8 * L4_WORD_BYTES)
#define L4_UTCB_VIRTUAL_SENDER      (9 * L4_WORD_BYTES)
#define L4_UTCB_MR                  (16 * L4_WORD_BYTES)
#define L4_UTCB_BR                  (80 * L4_WORD_BYTES)
#define L4_NUM_MRS                  64
#define L4_NUM_BRS                  33
#define L4_UTCB_AREA_MIN_SIZE       4096

/* Indices for the statistics. */
#define L4_STAT_FREE_PAGES         0
#define L4_STAT_TOTAL_PAGES        1
#define L4_STAT_CACHE_FLUSHES      2
#define L4_STAT_TLB_FLUSHES        3
#define L4_STAT_DOMAINS_RECYCLED   4
#define L4_STAT_RECYCLED_CLEAN     5
#define L4_STAT_COLLISIONS         6
#define L4_STAT_CPD_LOADS          7
#define L4_STAT_DOMAINS_ALLOCATED  8
#define L4_STAT_SYNONYM_MIGRATIONS 9
#define L4_STAT_SECTIONS_SHARED    10
#define L4_STAT_PAGE_SPLITS        11
#define L4_STAT_BYPASS             12
#define L4_STAT_BYPASS_END         13
#define L4_STAT_PROTECTS           100 /* 1: spaces are apart; 0: all programs share one */

#endif
