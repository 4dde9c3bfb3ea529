/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests have in another form on each architecture: ARM's. */
#ifndef LINUX_USER_ARCH_H
#define LINUX_USER_ARCH_H

/* A function that returns `value`, which is below 256: mov r0, #value; mov pc, lr. */
#define LOAD_RESULT(value) (0xe3a00000 | (value))
#define RETURN             0xe1a0f00e

/* An instruction that is none, or two, in the state to which the function is compiled. */
#define UNDEFINED(function) ((unsigned long)(function) & 1 ? 0xdefedefe : 0xe7f000f0)

/* Whether `*word` was `old`, and is `new` now (Documentation/arch/arm/kernel_user_helpers.rst). */
#define EXCHANGE(old, new, word)                                                                   \
    (((int (*)(int, int, volatile int *))0xffff0fc0)((old), (new), (word)) == 0)

/* An address that is the kernel's. */
#define KERNELS 0xc0008000ul

#endif
