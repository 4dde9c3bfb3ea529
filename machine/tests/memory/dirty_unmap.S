/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dirty line after unmap: a page is taken away while the data cache has news of it.
 *
 * Access rights come from the TLB, also for a hit (DM 7.4), so the page is out of reach as soon as
 * its TLB entry is. Its line lives on and, since each line keeps its physical address for the
 * write-back (DM 6.2), reaches the frame whenever it is evicted: after the frame may have found
 * another owner.
 */
#include "guest.h"

#define PLACE 0x0a000000

	.text
	.global	test
test:
	map_section PLACE, FRAME_1 | SECTION | FULL_ACCESS | C | B
	poke	TRUTH_1, 1
	poke	(TRUTH_1 + 28), 1
	ldr	r4, =PLACE
	ldr	r1, [r4]
	mov	r1, #7
	str	r1, [r4]
	str	r1, [r4, #28]

	/* The descriptor is gone, its TLB entry is not. */
	map_section PLACE, 0
	try	ldr	r1, [r4]
	expect	r11, NO_FAULT, 1
	expect	r1, 7, 2

	/* With the TLB entry gone the line is out of reach, whether it would hit or not. */
	invalidate_dtlb_entry r4
	mov	r1, #0
	try	ldr	r1, [r4]
	expect	r11, TRANSLATION_SECTION, 3
	expect	r10, PLACE, 4
	expect	r1, 0, 5
	try	str	r1, [r4]
	expect	r11, TRANSLATION_SECTION, 6

	/* Memory knows nothing, the new owner writes; then the line is evicted, over the news. */
	peek	r1, TRUTH_1
	expect	r1, 1, 7
	poke	TRUTH_1, 55
	clean_dcache
	peek	r1, TRUTH_1
	expect	r1, 7, 8
	peek	r1, TRUTH_1 + 28
	expect	r1, 7, 9
	mov	pc, lr
