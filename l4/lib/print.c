/* SPDX-License-Identifier: Apache-2.0 */
#include <lib/print.h>

static void print_number(unsigned long long value, unsigned base, unsigned width, char pad) {
    char digits[24];
    unsigned n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    for (; width > n; width--) {
        print_character(pad);
    }
    while (n > 0) {
        print_character(digits[--n]);
    }
}

void print_list(const char *format, va_list arguments) {
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            print_character(*format);
            continue;
        }
        char pad = ' ';
        unsigned width = 0;
        unsigned longs = 0;
        format++;
        if (*format == '0') {
            pad = '0';
        }
        for (; *format >= '0' && *format <= '9'; format++) {
            width = width * 10 + (unsigned)(*format - '0');
        }
        for (; *format == 'l'; format++) {
            longs++;
        }
        switch (*format) {
        case 'c':
            print_character((char)va_arg(arguments, int));
            break;
        case 's':
            for (const char *s = va_arg(arguments, const char *); *s != '\0'; s++) {
                print_character(*s);
            }
            break;
        case 'd': {
            long value = va_arg(arguments, long);
            if (value < 0) {
                print_character('-');
                value = -value;
            }
            print_number((unsigned long)value, 10, width, pad);
            break;
        }
        case 'u':
        case 'x': {
            unsigned long long value = longs > 1 ? va_arg(arguments, unsigned long long)
                                                 : va_arg(arguments, unsigned long);
            print_number(value, *format == 'x' ? 16 : 10, width, pad);
            break;
        }
        case '\0':
            return;
        default:
            print_character(*format);
            break;
        }
    }
}

void print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_list(format, arguments);
    va_end(arguments);
}
