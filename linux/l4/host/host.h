/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Linux asks of L4. Plain C, for the files that know Linux (above) and those that know L4
 * (here).
 *
 * The server runs in a space of its own, under the root task (../root). Its main thread is Linux;
 * it is the pager and the exception handler of one thread for each address space of programs
 * (host_task), which has a stub page that makes messages of system calls (stub.S), and it has a
 * helper of higher priority, which is the timer (timer.c).
 */
#ifndef L4_HOST_H
#define L4_HOST_H

/* ---- the console, the loader, the end (host.c) ---- */

void host_put(char c);

const char *host_command_line(void);

/* The loader's first module, where it lies; its size, 0: none. */
const void *host_module(unsigned long *size);

/* Memory from the server's program on is its own, up to here. */
unsigned long host_memory_end(void);

/* Where programs' addresses end at most. */
unsigned long host_address_end(void);

/* Of the time-stamp counter. */
unsigned long host_khz(void);

/* Devices that programs may be shown, the simulator's probe and the frame buffer: our address of
 * the page with this physical address, or 0. */
unsigned long host_device(unsigned long physical);

void host_exit(int status) __attribute__((noreturn));

/* ---- what interrupts Linux (timer.c) ---- */

#define HOST_TICK    1u
#define HOST_INPUT   2u
#define HOST_NETWORK 4u

/* Those that have come and nobody has taken. */
extern volatile unsigned host_pending;
unsigned host_take_pending(void);

/* A tick each so many microseconds, from now on; 0: none. False: no thread could be made. */
int host_set_tick(unsigned long microseconds);

/* Until something is pending. */
void host_idle(void);

/* A character of the console's, or -1. */
int host_get(void);

/* ---- the network (network.c) ---- */

/* The interface's address. False: there is none. */
int host_network_address(unsigned char mac[6]);

/* Frames are received from here on, and interrupt Linux. False: no thread could be made. */
int host_network_start(void);

/* The first of those that have been received, or 0; gives it back. */
const void *host_network_frame(unsigned *length);
void host_network_taken(void);

/* A frame is in line to be sent when this returns. False: it is not. */
int host_network_send(const void *frame, unsigned length);

/* ---- programs (task.c) ---- */

/* Each takes some 24 KB of the kernel's heap of 12 MB, with a program in it. */
#define HOST_TASKS 480

/* In each program's space, where Linux gives it nothing. */
#define HOST_KIP    0x2000u
#define HOST_UTCB   0x3000u
#define HOST_STUB   0x4000u
#define HOST_SHARED 0x5000u
#define HOST_END    0x6000u

struct host_registers {
    unsigned int ip, flags, di, si, bp, sp, bx, dx, cx, ax;
};

/* Why it has stopped. */
enum host_event {
    HOST_SYSCALL,   /* INT 80h, IP after it */
    HOST_FAULT,     /* address, write; registers are not known */
    HOST_EXCEPTION, /* vector, error */
    HOST_PORTS,     /* it may not use ports; registers are not known */
    HOST_INTERRUPT, /* something is pending, registers are not known */
};

struct host_stop {
    enum host_event event;
    unsigned int address, ip, vector, error;
    int write;
};

/*
 * A space with a thread that waits; small, if a region of 256 MB is free. `shared` is a page by
 * which registers come and go. 0, or L4's error code.
 */
int host_task_create(unsigned task, void *shared, int small);
void host_task_end(unsigned task);

/* It is small from here on, if a region is free. */
void host_task_make_small(unsigned task);

/* It has a segment in GS that begins there, from its next host_task_run on; not where it waits for
 * a page. False: it is lost (HOST_LOST). */
int host_task_set_segment(unsigned task, unsigned long base);

/* The floating-point unit's registers, as FNSAVE has them: where they are to go to, and those that
 * are to be there; NULL: not. Its first use is no exception from here on. Not where it waits for a
 * page. False: it is lost. */
#define HOST_FPU_WORDS 27
int host_task_fpu(unsigned task, unsigned long *save, const unsigned long *load);

/* Goes on with these registers, or, after a HOST_FAULT, with those that it has and this page:
 * `frame` is our address, rights 4 read, 2 write, 1 execute. Until it stops. */
void host_task_run(unsigned task, struct host_registers *registers, struct host_stop *stop);
void host_task_map(unsigned task, unsigned long address, unsigned long frame, int rights,
                   struct host_registers *registers, struct host_stop *stop);
/* After a HOST_INTERRUPT: as it was. */
void host_task_continue(unsigned task, struct host_registers *registers, struct host_stop *stop);

/* After a HOST_FAULT or HOST_INTERRUPT: makes it wait where its registers are known. */
enum host_capture {
    HOST_WAITS, /* it does */
    HOST_CALLS, /* it was about to make a system call, and this is it */
    HOST_LOST,  /* it has seen to it that it cannot be: it can only be ended */
};
enum host_capture host_task_capture(unsigned task, struct host_registers *registers);

/* Our page is at `address`, too. False: it could not be mapped. */
int host_alias(unsigned long frame, unsigned long address);

/* No program that runs from here on has our page. */
void host_revoke(unsigned long frame);

#endif
