/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory costs: line fills, table walks, the write buffer, write-backs (DM 6, 7), with the
 * constants of machines/sa1110.toml. golden.json derives each number.
 */
#include "timing.h"

#define PAGED    0x0c000000 /* FRAME_1 by a small page */
#define UNCACHED 0x0d000000 /* FRAME_2, neither C nor B */
#define BUFFERED 0x0e000000 /* FRAME_2, B only */

	.text
	.global	test
test:
	mov	r12, lr
	map_section CACHED, FRAME_1 | SECTION | FULL_ACCESS | C | B
	map_section OTHER, FRAME_2 | SECTION | FULL_ACCESS | C | B
	map_section UNCACHED, FRAME_2 | SECTION | FULL_ACCESS
	map_section BUFFERED, FRAME_2 | SECTION | FULL_ACCESS | B
	map_section PAGED, l2_table + TABLE
	ldr	r7, =(l2_table + TRUTH)
	ldr	r0, =(FRAME_1 | SMALL_PAGE | ALL_SUBPAGES | C | B)
	str	r0, [r7]
	poke	TRUTH_1, 0xe1a0f00e	/* mov pc, lr, for the fetches below */
	ldr	r9, =CACHED
	ldr	r10, =OTHER
	ldr	r11, =PAGED

	begin	fill
	ldr	r1, [r9, #32]
	invalidate_dline r9
	start
	ldr	r0, [r9]
	pass_time 100
	stop	fill

	begin	fill_use
	invalidate_dline r9
	start
	ldr	r0, [r9]
	add	r0, r0, #1
	pass_time 100
	stop	fill_use

	/* Words of the line, in the order in which they come and not. */
	begin	fill_sixth_word
	invalidate_dline r9
	start
	ldr	r0, [r9, #20]
	pass_time 100
	stop	fill_sixth_word

	begin	fill_then_last_word
	invalidate_dline r9
	start
	ldr	r0, [r9]
	ldr	r1, [r9, #28]
	pass_time 100
	stop	fill_then_last_word

	begin	fill_last_word_then_first
	invalidate_dline r9
	start
	ldr	r1, [r9, #28]
	ldr	r0, [r9]
	pass_time 100
	stop	fill_last_word_then_first

	begin	fill_multiple
	invalidate_dline r9
	start
	ldmia	r9, {r0, r1, r2, r3}
	pass_time 100
	stop	fill_multiple

	begin	fill_then_store
	invalidate_dline r9
	start
	ldr	r0, [r9]
	str	r3, [r9, #8]
	pass_time 100
	stop	fill_then_store

	begin	fill_holds_the_bus
	invalidate_dline r9
	start
	ldr	r0, [r9]
	stop	fill_holds_the_bus

	begin	fill_twice
	add	r1, r9, #32
	invalidate_dline r9
	invalidate_dline r1
	start
	ldr	r0, [r9]
	ldr	r0, [r1]
	pass_time 100
	stop	fill_twice

	begin	walk_section
	ldr	r0, [r9]
	invalidate_dtlb_entry r9
	start
	ldr	r0, [r9]
	stop	walk_section

	begin	walk_page
	ldr	r0, [r11]
	invalidate_dtlb_entry r11
	start
	ldr	r0, [r11]
	stop	walk_page

	begin	walk_page_and_fill
	invalidate_dline r11
	invalidate_dtlb_entry r11
	start
	ldr	r0, [r11]
	pass_time 100
	stop	walk_page_and_fill

	/* The measured code shares one instruction line, which is fetched after the invalidation and
	 * before the start; the called line is elsewhere. */
	begin	fetch_fill
	invalidate_icache
	b	1f
	.balign	32
1:	nop
	start
	bl	return
	pass_time 100
	stop	fetch_fill

	begin	fetch_fill_and_on
	invalidate_icache
	b	1f
	.balign	32
1:	nop
	start
	bl	return_later
	pass_time 100
	stop	fetch_fill_and_on

	begin	fetch_walk
	mov	r3, r9
	mov	lr, pc
	mov	pc, r3
	invalidate_itlb
	b	1f
	.balign	32
1:	nop
	start
	mov	lr, pc
	mov	pc, r3
	stop	fetch_walk

	/* Reads and writes past the caches. */
	ldr	r1, =UNCACHED
	ldr	r2, =BUFFERED
	literals

	begin	uncached_load
	ldr	r0, [r1]
	start
	ldr	r0, [r1]
	stop	uncached_load

	begin	uncached_store
	start
	str	r3, [r1]
	stop	uncached_store

	begin	buffered_store
	start
	str	r3, [r2]
	pass_time 100
	stop	buffered_store

	begin	buffered_store_and_drain
	start
	str	r3, [r2]
	drain
	stop	buffered_store_and_drain

	begin	store_miss
	invalidate_dline r10
	start
	str	r3, [r10]
	pass_time 100
	stop	store_miss

	begin	store_multiple_and_drain
	start
	stmia	r2, {r0, r1, r3, r7}
	drain
	stop	store_multiple_and_drain

	begin	buffer_takes_8
	start
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	str	r3, [r2, #(16 * \n)]
	.endr
	pass_time 100
	stop	buffer_takes_8

	begin	buffer_full_9
	start
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8
	str	r3, [r2, #(16 * \n)]
	.endr
	pass_time 100
	stop	buffer_full_9

	begin	buffer_full_10
	start
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	str	r3, [r2, #(16 * \n)]
	.endr
	pass_time 100
	stop	buffer_full_10

	/* A fill goes before buffered writes that have not started. */
	begin	fill_behind_stores
	invalidate_dline r9
	start
	str	r3, [r2]
	str	r3, [r2, #16]
	str	r3, [r2, #32]
	ldr	r0, [r9]
	pass_time 100
	stop	fill_behind_stores

	/* All 32 lines of a set are dirty in both halves; the next line of the set evicts one. */
	begin	write_back
	bl	make_set_dirty
	start
	ldr	r0, [r10, #0x40]
	pass_time 100
	stop	write_back

	begin	write_back_twice
	bl	make_set_dirty
	start
	ldr	r0, [r10, #0x40]
	ldr	r0, [r10, #0x140]
	pass_time 100
	stop	write_back_twice

	begin	clean_line_and_drain
	ldr	r0, [r9]
	str	r3, [r9]
	start
	clean_dline r9
	drain
	stop	clean_line_and_drain

	begin	clean_line_that_is_clean
	ldr	r0, [r9]
	start
	clean_dline r9
	drain
	stop	clean_line_that_is_clean

	begin	invalidate_data
	start
	invalidate_dcache
	stop	invalidate_data

	begin	invalidate_everything
	b	1f
	.balign	32
1:	nop
	start
	invalidate_caches
	stop	invalidate_everything

	/* The whole cache, read over by 8 KB of the zeros bank. */
	begin	clean_all_empty
	mov	r1, #ZEROS
	ldr	r0, [r1]		/* the TLB entry */
	invalidate_dcache
	mov	r2, #256
	start
1:	ldr	r0, [r1], #32
	subs	r2, r2, #1
	bne	1b
	pass_time 100
	stop	clean_all_empty

	begin	clean_all_dirty
	invalidate_dcache
	add	r1, r9, #0
	mov	r2, #256
1:	ldr	r0, [r1]
	str	r0, [r1]
	str	r0, [r1, #16]
	add	r1, r1, #32
	subs	r2, r2, #1
	bne	1b
	mov	r1, #ZEROS
	mov	r2, #256
	start
1:	ldr	r0, [r1], #32
	subs	r2, r2, #1
	bne	1b
	pass_time 200
	stop	clean_all_dirty

	mov	pc, r12

/* Fills the set of address bits 7:5 = 2 with dirty lines. */
make_set_dirty:
	invalidate_dcache
	add	r1, r9, #0x40
	mov	r2, #32
1:	ldr	r0, [r1]
	str	r0, [r1]
	str	r0, [r1, #16]
	add	r1, r1, #256
	subs	r2, r2, #1
	bne	1b
	drain
	mov	pc, lr

	.balign	32
return:
	mov	pc, lr

	.balign	32
	nop
	nop
return_later:
	nop
	mov	pc, lr
