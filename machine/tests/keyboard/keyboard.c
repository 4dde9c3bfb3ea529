/* SPDX-License-Identifier: Apache-2.0 */
/* Tells on the serial port what a PC's keyboard and its controller answer, then, from a K on, which
 * bytes come by interrupts, until Escape is released: for keyboard_test.py. */

__asm__(".section .text.start, \"ax\"\n"
        ".p2align 2\n"
        ".long 0x1badb002, 0, -0x1badb002\n"
        ".globl _start\n"
        "_start: movl $0x90000, %esp\n"
        "call main\n"
        "entry: pusha\n"
        "call interrupt\n"
        "popa\n"
        "iret\n");

enum { DATA = 0x60, CONTROLLER = 0x64, SERIAL = 0x3f8, FULL = 1, PATIENCE = 10000 };

static void out(unsigned short port, unsigned char value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static unsigned char in(unsigned short port) {
    unsigned char value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void character(char c) {
    while ((in(SERIAL + 5) & 0x20) == 0) {
    }
    out(SERIAL, (unsigned char)c);
}

static void number(unsigned char value) {
    character("0123456789abcdef"[value >> 4]);
    character("0123456789abcdef"[value & 15]);
    character(' ');
}

static void answers(void) {
    for (unsigned tries = 0; tries < PATIENCE; tries++) {
        if ((in(CONTROLLER) & FULL) != 0) {
            number(in(DATA));
            tries = 0;
        }
    }
    character('\n');
}

static void command_byte(unsigned char value) {
    out(CONTROLLER, 0x60);
    out(DATA, value);
}

static volatile int ended;

__attribute__((used)) void interrupt(void) {
    unsigned char byte = in(DATA);
    number(byte);
    ended = byte == 0x81;
    out(0x20, 0x20);
}

static void keys(void) {
    extern char entry[];
    static unsigned long long table[0x22];
    static struct __attribute__((packed)) {
        unsigned short limit;
        void *base;
    } where = {sizeof(table) - 1, table};
    unsigned long long at = (unsigned)entry, code;
    __asm__("mov %%cs, %0" : "=r"(code));
    table[0x21] = (at & 0xffff) | (code & 0xffff) << 16 | 0x8e00ull << 32 | (at >> 16) << 48;
    __asm__ volatile("lidt %0" : : "m"(where));
    out(0x20, 0x11);
    out(0x21, 0x20);
    out(0x21, 0x04);
    out(0x21, 0x01);
    out(0x21, 0xfd); /* the keyboard's alone */
    character('K');
    while (!ended) {
        __asm__ volatile("sti; hlt; cli");
    }
}

__attribute__((used)) void main(void) {
    /* what the controller passes on as it comes, and translated, which is how keys are sent at the
     * end */
    static const unsigned char modes[] = {0x04, 0x44};
    static const unsigned char to_keyboard[] = {
        0xff, 0xf2, 0xee, 0xed, 0x07, 0xf3, 0x20, 0xf0, 0x00, 0xf0, 0x01, 0xf0, 0x00, 0xf0, 0x02,
        0xf0, 0x09, 0xf5, 0xf4, 0xf6, 0x00, 0x05, 0xe0, 0xf1, 0xed, 0xf4, 0xfa, 0xf0, 0x00};
    in(DATA);
    for (unsigned mode = 0; mode < sizeof(modes); mode++) {
        command_byte(modes[mode]);
        for (unsigned i = 0; i < sizeof(to_keyboard); i++) {
            out(DATA, to_keyboard[i]);
            answers();
        }
    }
    static const unsigned char to_controller[] = {0xaa, 0xab, 0x20, 0xad, 0x20, 0xae, 0x20};
    for (unsigned i = 0; i < sizeof(to_controller); i++) {
        out(CONTROLLER, to_controller[i]);
        answers();
        number(in(CONTROLLER));
    }
    /* off: what is sent to the keyboard switches it on */
    out(CONTROLLER, 0xad);
    out(DATA, 0xee);
    answers();
    out(CONTROLLER, 0x20);
    answers();
    out(CONTROLLER, 0xd2);
    out(DATA, 0x5a);
    answers();
    command_byte(0x45);
    keys();
    character('D');
    out(CONTROLLER, 0xfe); /* a reset */
    for (;;) {
    }
}
