/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of 320 by 240 dots in a corner of the frame buffer, of 640 by 480 dots of 16 bits
 * (vga=0x311), through /dev/mem: by a program of Linux' with system calls by INT 80h, native or on
 * L4. Compiled with ALONE it is the first process, which draws and ends the run.
 */
#include "picture.h"

#include <stddef.h>

#define FRAME_BUFFER 0xe0000000u /* machine/src/dev/vbe.rs */

enum { WIDE = 640, TALL = 480, DRAWN_WIDE = 320, DRAWN_TALL = 240 };
enum { NR_OPEN = 5, NR_MKNOD = 14, NR_REBOOT = 88, NR_MMAP = 90 };
enum { DEVICE = 0020600, DEV_MEM = 1 << 8 | 1, READ_WRITE_SYNC = 02 | 04010000 };
enum { PROT_READ_WRITE = 3, MAP_SHARED = 1, ERRORS = 4096 };

static int call(int number, unsigned a, unsigned b, unsigned c) {
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return answer;
}

int picture(void) {
    const char *name = "/mem";
    (void)call(NR_MKNOD, (unsigned)name, DEVICE, DEV_MEM);
    int file = call(NR_OPEN, (unsigned)name, READ_WRITE_SYNC, 0);
    const unsigned wanted[] = {0,          2 * WIDE * TALL, PROT_READ_WRITE,
                               MAP_SHARED, (unsigned)file,  FRAME_BUFFER};
    int at = file < 0 ? file : call(NR_MMAP, (unsigned)wanted, 0, 0);
    if (at < 0 && at > -ERRORS) {
        return -at;
    }
    volatile unsigned short *dot = (volatile unsigned short *)at;
    for (unsigned y = 0; y < DRAWN_TALL; y++) {
        for (unsigned x = 0; x < DRAWN_WIDE; x++) {
            dot[y * WIDE + x] = (unsigned short)(x * 205 + y * 3079);
        }
    }
    return 0;
}

#ifdef ALONE
__attribute__((used)) static void begin(void) {
    (void)picture();
    for (;;) {
        (void)call(NR_REBOOT, 0xfee1dead, 672274793, 0x01234567);
    }
}
__asm__(".globl _start\n_start: call begin\n");
#endif
