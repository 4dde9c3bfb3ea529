/* SPDX-License-Identifier: Apache-2.0 */
/* The worker program's ELF file, as data; user/Makefile says where it is. */
    .section .rodata
    .global worker_image
    .p2align WORD_LOG2
worker_image:
    .incbin WORKER_ELF
