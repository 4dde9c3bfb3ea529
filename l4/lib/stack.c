/* SPDX-License-Identifier: Apache-2.0 */
/* The stack that crt0.S gives a program's first thread. */
#include <stdint.h>

#define STACK_SIZE 4096

static uint8_t stack[STACK_SIZE] __attribute__((section(".stack"), used, aligned(8)));
