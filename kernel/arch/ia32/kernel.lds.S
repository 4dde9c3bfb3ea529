/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot image: kernel at its own addresses but loaded from IMAGE_PA on, then sigma0 and the
 * program at the physical addresses for which they are linked (made by embed.py). The Multiboot
 * header is at the file's beginning.
 */
#include "layout.h"

ENTRY(_start)
PHDRS {
    boot PT_LOAD FLAGS(5);
    kernel PT_LOAD FLAGS(7);
    own PT_LOAD FLAGS(7);
    sigma0 PT_LOAD FLAGS(7);
    program PT_LOAD FLAGS(7);
}
SECTIONS {
    . = IMAGE_PA;
    .boot : AT(IMAGE_PA) { *(.boot) } :boot

    . = IMAGE_PA + 0x1000 - KERNEL_PA + KERNEL_VA;
    .text : AT(ADDR(.text) - KERNEL_VA + KERNEL_PA) { *(.text .text.*) } :kernel
    .rodata : AT(ADDR(.rodata) - KERNEL_VA + KERNEL_PA) { *(.rodata .rodata.*) } :kernel
    .extension : AT(ADDR(.extension) - KERNEL_VA + KERNEL_PA) { *(.extension .extension_data) } :kernel
    .kip ALIGN(4096) : AT(ADDR(.kip) - KERNEL_VA + KERNEL_PA) { *(.kip) } :kernel
    .data ALIGN(64) : AT(ADDR(.data) - KERNEL_VA + KERNEL_PA) { *(.data .data.*) } :kernel
    .bss ALIGN(4096) (NOLOAD) : AT(ADDR(.bss) - KERNEL_VA + KERNEL_PA) {
        kernel_bss_start = .;
        *(.bss .bss.* COMMON)
        . = ALIGN(64);
        kernel_bss_end = .;
    } :kernel
    ASSERT(kernel_bss_end <= KERNEL_VA + OWN_OFFSET, "the kernel does not fit below own_state.c's part")

    /* Far after all else, which stays where it was: registers that few threads have (own_state.c). */
    . = KERNEL_VA + OWN_OFFSET;
    .own : AT(KERNEL_PA + OWN_OFFSET) { *(.own .own_data) } :own
    .own_states (NOLOAD) : AT(ADDR(.own_states) - KERNEL_VA + KERNEL_PA) { *(.own_states) } :own
    own_from_tcb = own_states - tcbs;
    ASSERT(. <= KERNEL_VA + KERNEL_SIZE, "the kernel does not fit below the heap")

    . = SIGMA0_PA;
    .sigma0 : AT(SIGMA0_PA) { *(.sigma0) } :sigma0
    ASSERT(. <= SIGMA0_PA + SIGMA0_SIZE, "sigma0 is too large")

    . = PROGRAM_PA;
    .program : AT(PROGRAM_PA) { *(.program) } :program
    ASSERT(. <= PROGRAM_PA + PROGRAM_MAX, "the program is too large")

    /DISCARD/ : { *(.eh_frame*) *(.comment) *(.note*) }
}
