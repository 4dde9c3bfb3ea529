/* SPDX-License-Identifier: GPL-2.0-only */
/* The library that the tests have beside the C library. */
#ifndef LINUX_LIBS_MORE_H
#define LINUX_LIBS_MORE_H

/* 42, from an instruction. */
int more_answer(void);
/* How often it was called in this process. */
int more_times(void);
/* One of two words; returns its length. */
size_t more_word(int which, char *to);
/* -1, with errno ENOENT. */
int more_open(void);

/* The address of more_answer(). */
void *more_where(void);

#endif
