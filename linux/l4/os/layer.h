/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files here know of each other. */
#ifndef L4_OS_LAYER_H
#define L4_OS_LAYER_H

struct uml_pt_regs;

/* Takes what is pending (interrupts.c); `regs`: of the program that it has come to, or NULL. */
void take_interrupts(struct uml_pt_regs *regs);

/* The interrupt of the console's input. */
#define CONSOLE_IRQ 1

/* Whether programs are small: their addresses end at 256 MB then (misc.c). */
extern int programs_small;

/* What Linux takes from a C library; those without a header of Linux' own that this layer can have.
 */
int printf(const char *format, ...);
void exit(int status);
struct user_desc;
int os_set_thread_area(struct user_desc *info, int pid);

#endif
