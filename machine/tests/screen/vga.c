/* SPDX-License-Identifier: Apache-2.0 */
/* A picture on the PC's VGA, for screen_test.py: text (TEXT 1), 256 colours by mode 13h, or a frame
 * buffer of BITS bits a dot, whose registers it tells on the serial port. */
#ifndef TEXT
#define TEXT 0
#endif
#ifndef BITS
#define BITS 0
#endif

__asm__(".section .text.start, \"ax\"\n"
        ".p2align 2\n"
        ".long 0x1badb002, 0, -0x1badb002\n"
        ".globl _start\n"
        "_start: movl $0x90000, %esp\n"
        "call main\n");

static void out(unsigned short port, unsigned char value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static unsigned char in(unsigned short port) {
    unsigned char value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void out16(unsigned short port, unsigned short value) {
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static unsigned short in16(unsigned short port) {
    unsigned short value;
    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void indexed(unsigned short port, unsigned char index, unsigned char value) {
    out(port, index);
    out(port + 1, value);
}

static void attribute(unsigned char index, unsigned char value) {
    (void)in(0x3da);
    out(0x3c0, index);
    out(0x3c0, value);
    (void)in(0x3da);
    out(0x3c0, 0x20); /* the palette is the screen's again */
}

static void text(void) {
    volatile unsigned short *cell = (volatile unsigned short *)0xb8000;
    for (unsigned i = 0; i < 80 * 25; i++) {
        /* a full block, or a space: which font there is does not matter */
        cell[i] = (unsigned short)((i % 3 == 0 ? 0xdb : 0x20) | (i * 5 % 128) << 8);
    }
    indexed(0x3d4, 0x0a, 0x20); /* no cursor */
}

static void bytes(void) {
    static const unsigned char crtc[] = {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0xbf, 0x1f, 0,
                                         0x41, 0x20, 0,    0,    0,    0,    0,    0x9c, 0x0e,
                                         0x8f, 0x28, 0x40, 0x96, 0xb9, 0xa3, 0xff};
    volatile unsigned char *dot = (volatile unsigned char *)0xa0000;
    out(0x3c2, 0x63);
    indexed(0x3c4, 1, 1);
    indexed(0x3c4, 2, 0x0f);
    indexed(0x3c4, 4, 0x0e);
    indexed(0x3d4, 0x11, 0x0e);
    for (unsigned char i = 0; i < sizeof(crtc); i++) {
        indexed(0x3d4, i, crtc[i]);
    }
    indexed(0x3ce, 5, 0x40);
    indexed(0x3ce, 6, 0x05);
    attribute(0x10, 0x41);
    attribute(0x13, 0);
    out(0x3c8, 0);
    for (unsigned i = 0; i < 256; i++) {
        out(0x3c9, (unsigned char)(i / 4));
        out(0x3c9, (unsigned char)(i * 7 % 64));
        out(0x3c9, (unsigned char)(63 - i / 4));
    }
    for (unsigned i = 0; i < 320 * 200; i++) {
        dot[i] = (unsigned char)(i % 320 + i / 320);
    }
}

/* Bochs' registers (machine/src/dev/vbe.rs). */
enum { ID, WIDTH, HEIGHT, DEPTH, ENABLE, VIRTUAL_WIDTH = 6, X = 8, Y };

static void set(unsigned short which, unsigned short value) {
    out16(0x1ce, which);
    out16(0x1cf, value);
}

static void tell(void) {
    static const unsigned char told[] = {ID, WIDTH, HEIGHT, DEPTH, ENABLE, VIRTUAL_WIDTH, X, Y, 11};
    for (unsigned i = 0; i < sizeof(told); i++) {
        out16(0x1ce, told[i]);
        unsigned short value = in16(0x1cf);
        out(0x3f8, (unsigned char)value);
        out(0x3f8, (unsigned char)(value >> 8));
    }
}

static void frame_buffer(void) {
    enum { WIDE = 328, TALL = 242, SHOWN_WIDE = 320, SHOWN_TALL = 240, BYTES = BITS / 8 };
    volatile unsigned char *dot = (volatile unsigned char *)0xe0000000;
    tell();
    set(ENABLE, 0);
    set(WIDTH, SHOWN_WIDE);
    set(HEIGHT, SHOWN_TALL);
    set(DEPTH, BITS);
    set(ENABLE, 0x61); /* with eight bits a colour in the palette */
    for (unsigned i = 0; i < SHOWN_TALL * SHOWN_WIDE * BYTES; i++) {
        dot[i] = 0x55;
    }
    set(ENABLE, 0xe0);
    set(ENABLE, 0xe1); /* again, and what is there stays */
    set(VIRTUAL_WIDTH, WIDE);
    set(X, 8);
    set(Y, 2);
    tell();
    out(0x3c8, 0);
    for (unsigned i = 0; i < 256; i++) {
        out(0x3c9, (unsigned char)i);
        out(0x3c9, (unsigned char)(i * 7));
        out(0x3c9, (unsigned char)(255 - i));
    }
    /* but for the last 100 lines; by words that are not aligned, too */
    for (unsigned i = 0; i < (TALL - 100) * WIDE * BYTES / 4; i++) {
        ((volatile unsigned *)(dot + (i % 2048 < 1024)))[i] = i * 0x9e3779b1;
    }
}

__attribute__((used)) void main(void) {
    if (BITS) {
        frame_buffer();
    } else if (TEXT) {
        text();
    } else {
        bytes();
    }
    out(0x3f8, 'D');
    for (;;) {
    }
}
