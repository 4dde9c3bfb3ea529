/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef L4_TESTS_PICTURE_H
#define L4_TESTS_PICTURE_H

/* Draws it; 0, or Linux' number of an error. A signal ends it where there is no frame buffer. */
int picture(void);

#endif
