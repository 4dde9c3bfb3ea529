/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of 320 by 240 dots in a corner of the frame buffer, of 640 by 480 dots of 16 bits
 * (vga=0x311), through /dev/mem: by a program of Linux' with system calls by INT 80h, native or on
 * L4. And what becomes of it where Linux itself is to read or write there. Compiled with ALONE it
 * is the first process, which does that and what registers.c has, and ends the run.
 */
#include "picture.h"

#include "calls.h"
#include "registers.h"

#include <stddef.h>

#define FRAME_BUFFER 0xe0000000u /* machine/src/dev/vbe.rs */

enum { WIDE = 640, TALL = 480, DRAWN_WIDE = 320, DRAWN_TALL = 240 };
enum { TCSBRK = 0x5409 };
enum { DEVICE = 0020600, DEV_MEM = 1 << 8 | 1, READ_WRITE_SYNC = 02 | 04010000 };
enum { PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_PRIVATE = 2, EFAULT = 14, ERRORS = 4096 };

typedef unsigned short dot_t;
/* A row of the picture in bytes. */
enum { ROW = DRAWN_WIDE * sizeof(dot_t) };

static void draw_row(volatile dot_t *row, unsigned y) {
    for (unsigned x = 0; x < DRAWN_WIDE; x++) {
        row[x] = (dot_t)(x * 205 + y * 3079);
    }
}

static int is_row(const volatile dot_t *row, unsigned y) {
    unsigned x = 0;
    while (x < DRAWN_WIDE && row[x] == (dot_t)(x * 205 + y * 3079)) {
        x++;
    }
    return x == DRAWN_WIDE;
}

static void say_what(const char *what, int answer, int good) {
    say(what);
    say(answer == -EFAULT ? ": refused\n" : answer == ROW && good ? ": done\n" : ": WRONG\n");
}

static volatile dot_t *map(int file, unsigned flags) {
    const unsigned wanted[] = {0,     2 * WIDE * TALL, PROT_READ_WRITE,
                               flags, (unsigned)file,  FRAME_BUFFER};
    return (volatile dot_t *)call(NR_MMAP, (unsigned)wanted, 0, 0, 0);
}

/* Calls that read or write a drawn row, through the file or where it is mapped. The picture stays.
 */
static void calls(int file, volatile dot_t *dots) {
    static dot_t copy[DRAWN_WIDE];
    const unsigned at = (unsigned)copy, row = (unsigned)dots;
    int pipe[2] = {-1, -1};
    int answer = call(NR_PREAD, (unsigned)file, at, ROW, FRAME_BUFFER);
    say_what("pread() of the screen", answer, is_row(copy, 0));
    draw_row(copy, 0);
    answer = call(NR_PWRITE, (unsigned)file, at, ROW, FRAME_BUFFER);
    say_what("pwrite() of the screen", answer, is_row(dots, 0));

    (void)call(NR_PIPE, (unsigned)pipe, 0, 0, 0);
    answer = call(NR_WRITE, (unsigned)pipe[1], row, ROW, 0);
    if (answer == ROW) {
        draw_row(copy, 1);
        (void)call(NR_READ, (unsigned)pipe[0], at, ROW, 0);
    }
    say_what("write() from the screen", answer, is_row(copy, 0));
    draw_row(copy, 0);
    draw_row(dots, 1);
    (void)call(NR_WRITE, (unsigned)pipe[1], at, ROW, 0);
    say_what("read() to the screen", call(NR_READ, (unsigned)pipe[0], row, ROW, 0),
             is_row(dots, 0));
    draw_row(dots, 0);

    volatile dot_t *own = map(file, MAP_PRIVATE);
    draw_row(own, 1);
    say_what("a copy of the screen's page", ROW, is_row(own, 1) && is_row(dots, 0));
}

int picture(void) {
    const char *name = "/mem";
    (void)call(NR_MKNOD, (unsigned)name, DEVICE, DEV_MEM, 0);
    int file = call(NR_OPEN, (unsigned)name, READ_WRITE_SYNC, 0, 0);
    if (file < 0) {
        return -file;
    }
    volatile dot_t *dots = map(file, MAP_SHARED);
    if ((int)dots < 0 && (int)dots > -ERRORS) {
        return -(int)dots;
    }
    for (unsigned y = 0; y < DRAWN_TALL; y++) {
        draw_row(&dots[y * WIDE], y);
    }
    calls(file, dots);
    return 0;
}

#ifdef ALONE
__attribute__((used)) static void begin(void) {
    (void)picture();
    registers_of_tasks();
    (void)call(NR_IOCTL, 1, TCSBRK, 1, 0); /* until it is out */
    restart();
}
__asm__(".globl _start\n_start: call begin\n");
#endif
