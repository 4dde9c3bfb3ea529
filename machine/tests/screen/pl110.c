/* SPDX-License-Identifier: Apache-2.0 */
/* A picture on the Versatile's LCD controller, for screen_test.py: BITS a dot (8 or 32). */

enum { CLCD = 0x10120000, UART = 0x101f1000, FRAME = 0x200000, WIDE = 320, TALL = 240 };

static volatile unsigned *at(unsigned address) {
    return (volatile unsigned *)address;
}

__attribute__((naked, used)) void _start(void) {
    __asm__("ldr sp, =0x100000\n b main");
}

__attribute__((used)) void main(void) {
    for (unsigned i = 0; i < 128; i++) {
        *at(CLCD + 0x200 + 4 * i) = i * 0x02450a1bu; /* the palette, two entries a word */
    }
    for (unsigned y = 0; y < TALL; y++) {
        for (unsigned x = 0; x < WIDE; x++) {
            unsigned dot = y * WIDE + x;
            if (BITS == 8) {
                ((volatile unsigned char *)FRAME)[dot] = (unsigned char)(x + 3 * y);
            } else {
                *at(FRAME + 4 * dot) = x | y << 8 | ((x ^ y) & 0xff) << 16;
            }
        }
    }
    *at(CLCD) = (WIDE / 16 - 1) << 2;
    *at(CLCD + 4) = TALL - 1;
    *at(CLCD + 0x10) = FRAME;
    *at(CLCD + 0x18) = 1 | (BITS == 8 ? 3 : 5) << 1 | 1 << 5 | 1 << 8 | 1 << 11;
    *at(UART + 0x30) = 0x301;
    *at(UART) = 'D';
    for (;;) {
    }
}
