/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests have in another form on each architecture: RISC-V's. */
#ifndef LINUX_USER_ARCH_H
#define LINUX_USER_ARCH_H

/* A function that returns `value`, which is below 256: li a0, value; ret. */
#define LOAD_RESULT(value) (0x00000513u | (value) << 20)
#define RETURN             0x00008067u

/* An instruction that is none. */
#define UNDEFINED(function) 0ul

/* Whether `*word` was `old`, and is `new` now. */
#define EXCHANGE(old, new, word) __sync_bool_compare_and_swap((word), (old), (new))

/* An address that is the kernel's. */
#define KERNELS 0xffffffff80008000ul

#endif
