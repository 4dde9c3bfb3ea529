/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot image: kernel at its own addresses but loaded from KERNEL_PA on, where it begins, then
 * sigma0 and the program at the physical addresses for which they are linked (made by embed.py).
 */
#include "layout.h"

ENTRY(boot_entry)
PHDRS {
    kernel PT_LOAD FLAGS(7);
    sigma0 PT_LOAD FLAGS(7);
    program PT_LOAD FLAGS(7);
}
SECTIONS {
    . = KERNEL_VA;
    .text : AT(KERNEL_PA) { *(.boot) *(.text.paths) *(.text .text.*) } :kernel
    boot_entry = KERNEL_PA;
    .rodata : AT(ADDR(.rodata) - PHYSICAL_VA) { *(.rodata .rodata.* .srodata .srodata.*) } :kernel
    .kip ALIGN(4096) : AT(ADDR(.kip) - PHYSICAL_VA) { *(.kip) } :kernel
    .data ALIGN(64) : AT(ADDR(.data) - PHYSICAL_VA) { *(.data .data.* .sdata .sdata.*) } :kernel
    .bss ALIGN(4096) (NOLOAD) : AT(ADDR(.bss) - PHYSICAL_VA) {
        kernel_bss_start = .;
        *(.bss .bss.* .sbss .sbss.* COMMON)
        . = ALIGN(64);
        kernel_bss_end = .;
    } :kernel
    ASSERT(kernel_bss_end <= KERNEL_VA + KERNEL_SIZE, "the kernel is too large")

    . = SIGMA0_PA;
    .sigma0 : AT(SIGMA0_PA) { *(.sigma0) } :sigma0
    ASSERT(. <= SIGMA0_PA + SIGMA0_SIZE, "sigma0 is too large")

    . = PROGRAM_PA;
    .program : AT(PROGRAM_PA) { *(.program) } :program
    ASSERT(. <= PROGRAM_PA + PROGRAM_MAX, "the program is too large")

    /DISCARD/ : { *(.eh_frame*) *(.riscv.attributes) *(.comment) *(.note*) }
}
