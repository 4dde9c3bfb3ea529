/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small spaces: the control word of SpaceControl (X.2 manual, appendix on IA-32).
 *
 * With L4_SMALL_SPACE_SET the space gets the small-space number below it: which part of the
 * small-space area it has; 0: none, it is large. The result is the number that it had before, and
 * L4_SMALL_SPACE_DONE if it has the new one now. A kernel without small spaces answers 0.
 *
 * Groups are not the manual's. Under the scheme `small-spaces-groups` bits 15..8 are the number of
 * a group, from 1 on, or 0: the one that it is in, or the first. A part of the first quarter is in
 * no group, but seen in all.
 */
#ifndef L4_SMALL_SPACE_H
#define L4_SMALL_SPACE_H

#include <l4/types.h>

#define L4_LargeSpace 0u

#define L4_SMALL_SPACE_SET    0x80000000u
#define L4_SMALL_SPACE_DONE   0x80000000u
#define L4_SMALL_SPACE_NUMBER 0xffu
#define L4_SMALL_SPACE_GROUP  8

/*
 * The number of a part, both in MB, of an area of 512 MB: `size` a power of two from 4 on,
 * `location` a multiple of it. (A kernel with a larger area counts in larger units: 1/128 of it
 * where 4 MB are said here.)
 */
L4_INLINE L4_Word_t L4_SmallSpace(L4_Word_t location, L4_Word_t size) {
    return location / 2 | size / 4;
}

#endif
