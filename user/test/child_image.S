/* SPDX-License-Identifier: Apache-2.0 */
/* The child program's ELF file, as data; user/Makefile says where it is. */
    .section .rodata
    .global child_image
    .p2align WORD_LOG2
child_image:
    .incbin CHILD_ELF
