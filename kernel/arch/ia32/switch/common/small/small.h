/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small spaces: several spaces lie in one hardware address space, side by side, and segments keep
 * them apart. What the schemes that have them do alike; which directories can show whom is the
 * scheme's.
 *
 * A *large* space has the linear addresses below KERNEL_AREA, those that its programs use. A
 * *small* one has a *region* of the small-space area above, and segments with that base and limit,
 * so that its programs use the same low addresses as ever. Each space has its own directory. That
 * of a large space is loaded to run it; a small one runs under another, into which entries of its
 * own are copied at page faults: under whichever is in force, and then its pages are global, so
 * that its TLB entries outlive a load of CR3; or under that of its area (small_area.directory)
 * only. So:
 *
 * 1. What a segment register can reach is the running space's (relocated_segments_asm.h). That of a
 * large space ends below the small-space area.
 * 2. An entry of the small-space area, in any directory, is that of the space which has the region
 * there now, and so is one of a TLB while that directory is in force. When the space's directory
 * changes there, all copies go, and the TLBs' entries, global ones too.
 * 3. A page of a space whose region not every directory shows is not global, and the directory of a
 * small space is not in force.
 *
 * A program that goes beyond its limit makes its space large (switch_limit_fault), once and for
 * all, and notices nothing but the time.
 */
#ifndef SMALL_H
#define SMALL_H

#include "switch_impl.h"

struct space;

/*
 * The area has units of 4 MB at least: 128 of them, as SpaceControl's numbers have it (X.2 manual,
 * appendix on IA-32). A region is a power of two of them, and lies at a multiple of its size.
 */
#define SMALL_UNITS 128u

/* Regions that are given away together: those of units `first` to `end`. */
struct small_area {
    struct space **holder; /* by unit; NULL: nobody's */
    uint32_t first, end;
    uint32_t directory; /* pa of the only directory that shows them; 0: every one does */
};

/* ---- what a scheme may do ---- */

/* The space gets a region of the area. False: there is none, and nothing has changed. */
bool small_take(struct space *space, const struct small_area *area, uint32_t units);

bool small_is_small(const struct space *space);
/* The units that it has. */
uint32_t small_count_units(const struct space *space);

/* A directory that shows nothing but the kernel; and none that anybody runs under any more. */
uint32_t *small_make_directory(void);
void small_free_directory(uint32_t *directory);

/* ---- what it must say ---- */

void small_init(void);

/* A space runs for the first time: it gets a region of so many units somewhere, or false. */
bool small_place(struct space *space, uint32_t units);

/* Its credit is used up. */
void small_review(struct space *space);

/* In which area SpaceControl means a region that begins with this unit: `control` is its control
 * word without what this one knows. NULL: in none. */
const struct small_area *small_area_by_hand(struct space *space, uint32_t control, uint32_t unit);

/* What of the control word's result says which area that is. */
uint32_t small_area_number(const struct small_area *area);

/* Somebody has no region there any more, or has got none; perhaps nobody has. */
void small_area_left(const struct small_area *area);

#endif
