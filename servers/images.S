/* SPDX-License-Identifier: Apache-2.0 */
/* The servers' programs, inside the root task's. */
    .section .rodata
    .balign 4
    .global driver_image
driver_image:
    .incbin DRIVER_ELF
    .balign 4
    .global stack_image
stack_image:
    .incbin STACK_ELF
