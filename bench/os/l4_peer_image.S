/* SPDX-License-Identifier: Apache-2.0 */
/* The peer program's ELF file, as data; bench/Makefile says where it is. */
    .section .rodata
    .global partner_image
    .p2align WORD_LOG2
partner_image:
    .incbin PARTNER_ELF
