// SPDX-License-Identifier: GPL-2.0-only
/*
 * The console: the kernel's serial port, as a terminal of Linux' hypervisor consoles.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <hvc_console.h>
#include <os.h>

#include "../host/host.h"
#include "layer.h"

static void put(const char *s, size_t n) {
    while (n--) {
        if (*s == '\n') {
            host_put('\r');
        }
        host_put(*s++);
    }
}

void um_early_printk(const char *s, unsigned int n) {
    put(s, n);
}

static void print(const char *format, va_list args) {
    static char line[256];

    vscnprintf(line, sizeof(line), format, args);
    put(line, strlen(line));
}

void os_info(const char *format, ...) {
    va_list args;

    va_start(args, format);
    print(format, args);
    va_end(args);
}

void os_warn(const char *format, ...) {
    va_list args;

    va_start(args, format);
    print(format, args);
    va_end(args);
}

int printf(const char *format, ...) {
    va_list args;

    va_start(args, format);
    print(format, args);
    va_end(args);
    return 0;
}

void os_flush_stdout(void) {
}

static ssize_t get_chars(u32 vtermno, u8 *buffer, size_t count) {
    size_t n = 0;
    int c;

    while (n < count && (c = host_get()) >= 0) {
        buffer[n++] = c;
    }
    return n;
}

static ssize_t put_chars(u32 vtermno, const u8 *buffer, size_t count) {
    size_t i;

    for (i = 0; i < count; i++) {
        host_put(buffer[i]);
    }
    return count;
}

static const struct hv_ops ops = {
    .get_chars = get_chars,
    .put_chars = put_chars,
    .notifier_add = notifier_add_irq,
    .notifier_del = notifier_del_irq,
    .notifier_hangup = notifier_hangup_irq,
};

static int __init console_begin(void) {
    return hvc_instantiate(0, 0, &ops);
}
console_initcall(console_begin);

static int __init terminal_begin(void) {
    return PTR_ERR_OR_ZERO(hvc_alloc(0, CONSOLE_IRQ, &ops, 256));
}
device_initcall(terminal_begin);
