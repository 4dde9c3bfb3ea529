/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files here know of each other. */
#ifndef L4_OS_LAYER_H
#define L4_OS_LAYER_H

struct uml_pt_regs;

/* Takes what is pending (interrupts.c); `regs`: of the program that it has come to, or NULL. */
void take_interrupts(struct uml_pt_regs *regs);

/* The interrupt of the console's input. */
#define CONSOLE_IRQ 1

/* That of frames from the network. */
#define NETWORK_IRQ 3

/* Which programs are small: if any is, all addresses of programs end at 256 MB (misc.c). */
extern enum small_programs { NO_PROGRAMS, ALL_PROGRAMS, NAMED_PROGRAMS } programs_small;
bool is_small_name(const char *name);

/* Counts who follows whom, and tells it at the end (switches.c). */
extern bool switches_counted;
void count_switch(void);
void tell_switches(void);

/* What Linux takes from a C library; those without a header of Linux' own that this layer can have.
 */
int printf(const char *format, ...);
void exit(int status);
struct user_desc;
int os_set_thread_area(struct user_desc *info, int pid);

#endif
