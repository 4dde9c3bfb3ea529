/* SPDX-License-Identifier: GPL-2.0-only */
/* In front of all code, data and zeros of the kernel: room, by which they lie elsewhere. */
	.text
	.space	PAD_TEXT
	.data
	.space	PAD_DATA
	.bss
	.space	PAD_BSS
	.section .note.GNU-stack, "", %progbits
