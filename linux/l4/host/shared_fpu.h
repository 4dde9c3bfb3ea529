/* SPDX-License-Identifier: GPL-2.0-only */
/* The floating-point unit in the page that a program shares with Linux (stub.S, task.c): what is to
 * be done, and where its registers are, by bytes. */
#ifndef L4_SHARED_FPU_H
#define L4_SHARED_FPU_H

#define HOST_FPU        128
#define HOST_FPU_SAVED  256
#define HOST_FPU_LOADED 384

#define HOST_FPU_SAVE 1
#define HOST_FPU_LOAD 2

#endif
