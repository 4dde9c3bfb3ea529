/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests have in another form on each architecture: IA-32's. */
#ifndef LINUX_USER_ARCH_H
#define LINUX_USER_ARCH_H

/* A function that returns `value`, which is below 256: mov $value, %eax, whose last byte is in the
 * second word; ret. */
#define LOAD_RESULT(value) (0xb8u | (value) << 8)
#define RETURN             0xc300u

/* An instruction that is none: ud2. */
#define UNDEFINED(function) 0x0b0ful

/* Whether `*word` was `old`, and is `new` now. */
#define EXCHANGE(old, new, word) __sync_bool_compare_and_swap((word), (old), (new))

/* An address that is the kernel's. */
#define KERNELS 0xc0008000ul

#endif
