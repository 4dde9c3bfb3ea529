/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User-level thread control block: the part of a thread that program and kernel share.
 *
 * The kernel includes this file for the structure; programs use the accessors of thread.h.
 */
#ifndef L4_UTCB_H
#define L4_UTCB_H

#include <l4/types.h>

typedef struct {
    L4_Word_t my_global_id;
    L4_Word_t processor_no;
    L4_Word_t user_defined_handle;
    L4_Word_t pager;
    L4_Word_t exception_handler;
    L4_Word8_t preempt_flags;
    L4_Word8_t cop_flags;
    L4_Word16_t reserved22;
    L4_Word_t xfer_timeouts;
    L4_Word_t error_code;
    L4_Word_t intended_receiver;
    L4_Word_t virtual_sender; /* in: virtual sender, out: actual sender */
    L4_Word_t arch[6];        /* extensions of the architecture (binding.h) */
    L4_Word_t mr[L4_NUM_MRS];
    L4_Word_t br[L4_NUM_BRS];
    L4_Word_t reserved452[15];
} L4_Utcb_t;

#define L4_UTCB_AT(field, offset)                                                                  \
    L4_STATIC_ASSERT(offsetof(L4_Utcb_t, field) == (offset), "UTCB: " #field)
L4_UTCB_AT(my_global_id, L4_UTCB_MY_GLOBAL_ID);
L4_UTCB_AT(processor_no, L4_UTCB_PROCESSOR_NO);
L4_UTCB_AT(user_defined_handle, L4_UTCB_USER_DEFINED_HANDLE);
L4_UTCB_AT(pager, L4_UTCB_PAGER);
L4_UTCB_AT(exception_handler, L4_UTCB_EXCEPTION_HANDLER);
L4_UTCB_AT(preempt_flags, L4_UTCB_PREEMPT_FLAGS);
L4_UTCB_AT(cop_flags, L4_UTCB_COP_FLAGS);
L4_UTCB_AT(xfer_timeouts, L4_UTCB_XFER_TIMEOUTS);
L4_UTCB_AT(error_code, L4_UTCB_ERROR_CODE);
L4_UTCB_AT(intended_receiver, L4_UTCB_INTENDED_RECEIVER);
L4_UTCB_AT(virtual_sender, L4_UTCB_VIRTUAL_SENDER);
L4_UTCB_AT(mr, L4_UTCB_MR);
L4_UTCB_AT(br, L4_UTCB_BR);
#undef L4_UTCB_AT
L4_STATIC_ASSERT(sizeof(L4_Utcb_t) == L4_UTCB_SIZE, "UTCB: size");

/* preempt_flags: I (was pending), d (delay), s (signal). */
#define L4_PREEMPT_SIGNAL  0x20
#define L4_PREEMPT_DELAY   0x40
#define L4_PREEMPT_PENDING 0x80

#endif
