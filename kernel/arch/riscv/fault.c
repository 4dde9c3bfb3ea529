/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults. A page fault goes, in this order, to whom it belongs: the switching scheme, the page
 * table (the first fetch from a page), the mapping database (an inactive page), the kernel as
 * sigma0's pager, the pager by IPC. Other exceptions are the handler's.
 */
#include "fault.h"

#include "cpu.h"
#include "execute.h"
#include "fault_entry.h"
#include "ipc.h"
#include "kdb.h"
#include "mapdb.h"
#include "message.h"
#include "spaces.h"
#include "switch.h"
#include "user_memory.h"
#include "utcb.h"

#include <l4/arch.h>

/* In entry.S: a word of memory that may not be there, or false. */
bool guarded_load(word_t va, uint32_t *value);

bool user_load(word_t va, word_t *value) {
    mapping_t m = ptab_get(hot.space, va);
    if ((m & MAPPING_VALID) == 0 || (va & (sizeof(word_t) - 1)) != 0) {
        return false;
    }
    *value = *(const word_t *)user_byte(va, mapping_frame(m));
    return true;
}

bool kernel_probe_load(word_t va, uint32_t *value) {
    return guarded_load(va, value);
}

void fault_kernel(word_t cause, word_t pc, word_t value) {
    kdb_printf("kernel: exception %u at pc %x, value %x\n", cause, pc, value);
    panic("fault in the kernel");
}

void fault_exception(struct tcb *self, word_t cause, word_t value) {
    const struct frame *f = &self->frame;
    const word_t words[] = {message_tag(L4_LABEL_EXCEPTION, L4_RISCV_EXCEPTION_WORDS),
                            f->pc,
                            f->sp,
                            f->ra,
                            cause,
                            value,
                            f->a[0],
                            f->a[1],
                            f->a[2],
                            f->a[3],
                            f->a[4],
                            f->a[5],
                            f->a[6],
                            f->a[7]};
    _Static_assert(sizeof words / sizeof words[0] == L4_RISCV_EXCEPTION_WORDS + 1 &&
                       L4_RISCV_EXCEPTION_WORDS < KMSG_WORDS,
                   "an exception's message");
    __builtin_memcpy(self->kmsg, words, sizeof words);
    ipc_send_kernel(self, KIND_EXCEPTION, utcb_read(self, L4_UTCB_EXCEPTION_HANDLER));
}

/* A system call with a number that none has. */
void fault_swi(struct tcb *self) {
    fault_exception(self, CAUSE_ECALL, 0);
}

/* A reply with fewer words changes less; the exception's cause and value are nobody's registers. */
void message_exception_answered(struct tcb *t, const word_t *message) {
    struct frame *f = &t->frame;
    word_t *const registers[] = {&f->pc,   &f->sp,   &f->ra,   NULL,     NULL,
                                 &f->a[0], &f->a[1], &f->a[2], &f->a[3], &f->a[4],
                                 &f->a[5], &f->a[6], &f->a[7]};
    word_t words = TAG_UNTYPED(message[0]);
    for (word_t i = 0; i < L4_RISCV_EXCEPTION_WORDS && i < words; i++) {
        if (registers[i] != NULL) {
            *registers[i] = message[1 + i];
        }
    }
}

void message_undeliverable(const struct tcb *t) {
    kdb_printf("kernel: thread %x stops: nobody takes its message %x (%x %x), pc %x sp %x\n", t->id,
               t->kmsg[0], t->kmsg[1], t->kmsg[2], t->frame.pc, t->frame.sp);
}

void fault_page(struct tcb *self, word_t cause, word_t va) {
    bool write = cause == CAUSE_STORE_PAGE;
    if (switch_fault(self->space, &va, cause) ||
        (cause == CAUSE_FETCH_PAGE && ptab_execute(self->space, va)) ||
        mapdb_activate(self->space, va, write) ||
        (self->space->is_sigma0 && mapdb_map_sigma0(va))) {
        return;
    }
    word_t rights = write ? L4_Writable : cause == CAUSE_FETCH_PAGE ? L4_eXecutable : L4_Readable;
    self->kmsg[0] = message_tag(L4_LABEL_PAGEFAULT | rights, 2);
    self->kmsg[1] = va;
    self->kmsg[2] = self->frame.pc;
    ipc_send_kernel(self, KIND_PAGEFAULT, utcb_read(self, L4_UTCB_PAGER));
}
