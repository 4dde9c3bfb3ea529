/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included first, in nolibc.h's place, where a file is compiled to Thumb: the library stays ARM,
 * because its entry point has no Thumb form without Thumb-2, and so every call of it changes state.
 */
#ifndef LINUX_USER_THUMB_H
#define LINUX_USER_THUMB_H

#pragma clang attribute push(__attribute__((target("arm"))), apply_to = function)
#include "nolibc.h"
#pragma clang attribute pop

#endif
