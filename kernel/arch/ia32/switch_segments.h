/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheme of IA-32 answers beside switch.h, since it may have segments of its own making.
 */
#ifndef SWITCH_SEGMENTS_H
#define SWITCH_SEGMENTS_H

#include "switch.h"

/* Besides, its switch_state has `io_map`, the word of the task state's that says if ports are
 * permitted while the space runs (io_fpages.h): TASK_IO_CLOSED in a new space. The switch stores it
 * there (segments_asm.h). */

/* A program of the space in force has had #GP(0) or #SS(0), by an instruction that is not
 * privileged. True: the scheme has changed what the program's segments reach, so the instruction is
 * to be repeated. */
bool switch_limit_fault(struct space *space);

/* What the space's segments reach: linear addresses from `base` on, so many; 0: all there are. */
void switch_segment_range(const struct space *space, uint32_t *base, uint32_t *size);

/* The kernel has had #GP or a page fault at `pc`: where it goes on, if that is the scheme's doing;
 * or 0. */
uint32_t switch_kernel_fault(uint32_t pc);

/* SpaceControl's control word (X.2 manual, appendix on IA-32), and its result. */
uint32_t switch_control(struct space *space, uint32_t control);

#endif
