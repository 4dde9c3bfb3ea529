/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef L4_TESTS_PICTURE_H
#define L4_TESTS_PICTURE_H

/* Draws it, and says what becomes of calls that read or write it: done, refused (EFAULT) or wrong.
 * 0, or Linux' number of an error. A signal ends it where there is no frame buffer. */
int picture(void);

#endif
