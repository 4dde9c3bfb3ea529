/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel interface page says of memory that is only on this architecture. */
#ifndef KIP_MEMORY_H
#define KIP_MEMORY_H

#define RESERVED_VA      0u
#define RESERVED_VA_SIZE 0u
#define KIP_DEVICES(ADD) /* they are at ports */

/* ... but for a frame buffer that the boot loader has told of (screen.c). */
#define KIP_ADD_FOUND() kip_add_found()
void kip_add_found(void);

/* Absolute symbols made by embed.py. */
extern char boot_sigma0_ip[], boot_sigma0_low[], boot_sigma0_high[];
extern char boot_program_ip[], boot_program_low[], boot_program_high[];
#define BOOT_ADDRESS(name) ((L4_Word_t)boot_##name)

#endif
