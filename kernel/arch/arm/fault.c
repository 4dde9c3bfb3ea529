/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults. Each goes, in this order, to whom it belongs: the switching scheme (a CPD entry to load),
 * the mapping database (an inactive page), the kernel as sigma0's pager, the pager by IPC.
 */
#include "fault.h"

#include "cpu.h"
#include "fault_entry.h"
#include "ipc.h"
#include "kdb.h"
#include "mapdb.h"
#include "message.h"
#include "sched.h"
#include "spaces.h"
#include "switch.h"
#include "utcb.h"

/* Set while the kernel reads where it may fail: user_load, kernel_probe_load. */
static volatile bool may_fail, failed;

static bool guarded_load(uint32_t va, uint32_t *value) {
    failed = false;
    may_fail = true;
    *value = *(volatile uint32_t *)va;
    may_fail = false;
    return !failed;
}

bool user_load(uint32_t va, uint32_t *value) {
    return va < KERNEL_AREA && (va & 3) == 0 && guarded_load(va, value);
}

/* The instruction at `pc`, which the program has just fetched; or false. */
static bool user_instruction(const struct tcb *t, uint32_t pc, uint32_t *insn) {
    if (!user_load(pc & ~3u, insn)) {
        return false;
    }
    if ((t->frame.status & CPSR_THUMB) != 0) {
        *insn = (pc & 2) != 0 ? *insn >> 16 : *insn & 0xffff;
    }
    return true;
}

static uint32_t insn_size(const struct tcb *t) {
    return (t->frame.status & CPSR_THUMB) != 0 ? 2 : 4;
}

bool kernel_probe_load(uint32_t va, uint32_t *value) {
    return guarded_load(va, value);
}

void fault_send(struct tcb *self) {
    thread_entered_kernel();
    ipc_send_kernel(self, KIND_PAGEFAULT, utcb_read(self, L4_UTCB_PAGER));
}

static void exception(struct tcb *self, uint32_t number, uint32_t code) {
    self->kmsg[0] = message_tag(L4_LABEL_EXCEPTION, L4_ARM_GENERIC_EXCEPTION_WORDS);
    self->kmsg[1] = self->frame.pc;
    self->kmsg[2] = self->frame.sp;
    self->kmsg[3] = frame_flags(&self->frame);
    self->kmsg[4] = number;
    self->kmsg[5] = code;
    self->kmsg[6] = self->utcb;
    ipc_send_kernel(self, KIND_EXCEPTION, utcb_read(self, L4_UTCB_EXCEPTION_HANDLER));
}

void fault_swi(struct tcb *self) {
    uint32_t insn = 0;
    (void)user_instruction(self, self->frame.pc - insn_size(self), &insn);
    self->kmsg[0] = message_tag(L4_LABEL_EXCEPTION, L4_ARM_SWI_EXCEPTION_WORDS);
    self->kmsg[1] = self->frame.pc;
    for (uint32_t i = 0; i < 8; i++) {
        self->kmsg[2 + i] = self->frame.r[i];
    }
    self->kmsg[10] = self->frame.sp;
    self->kmsg[11] = self->frame.lr;
    self->kmsg[12] = insn;
    self->kmsg[13] = frame_flags(&self->frame);
    ipc_send_kernel(self, KIND_EXCEPTION, utcb_read(self, L4_UTCB_EXCEPTION_HANDLER));
}

/* The layouts are those of the message that was sent; a reply with fewer words changes less. */
void message_exception_answered(struct tcb *t, const uint32_t *message) {
    uint32_t words = TAG_UNTYPED(message[0]);
    bool swi = TAG_UNTYPED(t->kmsg[0]) == L4_ARM_SWI_EXCEPTION_WORDS;
    if (words >= 1) {
        t->frame.pc = message[1];
    }
    if (!swi) {
        if (words >= 2) {
            t->frame.sp = message[2];
        }
        if (words >= 3) {
            t->frame.status = frame_status(t->frame.status, message[3]);
        }
        return;
    }
    for (uint32_t i = 0; i < 8 && words >= 2 + i; i++) {
        t->frame.r[i] = message[2 + i];
    }
    if (words >= 10) {
        t->frame.sp = message[10];
    }
    if (words >= 11) {
        t->frame.lr = message[11];
    }
    if (words >= 13) {
        t->frame.status = frame_status(t->frame.status, message[13]);
    }
}

void message_undeliverable(const struct tcb *t) {
    kdb_printf("kernel: thread %x stops: nobody takes its message %x (%x %x), pc %x sp %x\n", t->id,
               t->kmsg[0], t->kmsg[1], t->kmsg[2], t->frame.pc, t->frame.sp);
}

/* What is left when scheme and database do not know the fault. */
static enum fault_end unresolved(struct tcb *self, uint32_t va, uint32_t rights) {
    if (self->space->is_sigma0 && mapdb_map_sigma0(va)) {
        return FAULT_RESUME;
    }
    self->kmsg[0] = message_tag(L4_LABEL_PAGEFAULT | rights, 2);
    self->kmsg[1] = va;
    self->kmsg[2] = self->frame.pc;
    return FAULT_MESSAGE;
}

bool fault_scheme_data(void) {
    thread_entered_kernel();
    uint32_t va = cpu_fault_address();
    return switch_fault(hot.space, &va, cpu_fault_status());
}

bool fault_scheme_prefetch(uint32_t pc) {
    thread_entered_kernel();
    return pc < KERNEL_AREA && switch_fault(hot.space, &pc, FSR_TRANSLATION_SECTION);
}

enum fault_end fault_data(struct tcb *self, uint32_t status, uint32_t va) {
    uint32_t insn = 0;
    thread_entered_kernel();
    if (FSR_STATUS(status) == FSR_TRANSLATION_PAGE && switch_fault(self->space, &va, status)) {
        return FAULT_RESUME; /* of another's page table: the entry was not even missing */
    }
    switch (FSR_STATUS(status)) {
    case FSR_TRANSLATION_SECTION:
    case FSR_TRANSLATION_PAGE:
    case FSR_DOMAIN_SECTION:
    case FSR_DOMAIN_PAGE:
    case FSR_PERMISSION_SECTION:
    case FSR_PERMISSION_PAGE:
        break;
    default:
        exception(self, L4_ARM_EXC_DATA_ABORT, status);
        return FAULT_SCHEDULE;
    }
    /* The instruction was just executed: unreadable, it was an execute-only trick of the pager. */
    bool write = user_instruction(self, self->frame.pc, &insn) &&
                 cpu_insn_writes(insn, (self->frame.status & CPSR_THUMB) != 0);
    if (mapdb_activate(self->space, va, write)) {
        return FAULT_RESUME;
    }
    return unresolved(self, va, write ? L4_Writable : L4_Readable);
}

enum fault_end fault_prefetch(struct tcb *self) {
    uint32_t va = self->frame.pc;
    if (va >= L4_ARM_TRAPS) {
        kdb_trap(self, va);
        return FAULT_SCHEDULE;
    }
    if (mapdb_activate(self->space, va, false)) {
        return FAULT_RESUME;
    }
    return unresolved(self, va, L4_eXecutable);
}

void fault_undefined(struct tcb *self) {
    thread_entered_kernel();
    self->frame.pc -= insn_size(self);
    exception(self, L4_ARM_EXC_UNDEFINED, 0);
}

/* Instructions that may fail: fault_path.S reads the program's, lipc_path.S a local id's UTCB. */
extern const char fault_path_load[], lipc_path_load[];

/* Where the paths in assembly are (kernel.lds.S): there a thread's space is the one in force. */
extern const char paths_begin[], paths_end[];

/* Accesses of the IPC path after whose faults it does not go on but begins again. */
extern const struct restart {
    uint32_t at, again;
} ipc_path_reads[], ipc_path_reads_end[];

/* On the abort stack, the kernel's registers in their banks. How far after the access to go on: 0
 * repeats it, 4 skips it. */
uint32_t fault_kernel(uint32_t pc) {
    uint32_t status = cpu_fault_status();
    uint32_t address = cpu_fault_address();
    uint32_t va = address;
    if (pc >= (uint32_t)paths_begin && pc < (uint32_t)paths_end) {
        thread_entered_kernel();
    }
    if (hot.space != NULL && address < KERNEL_AREA && switch_fault(hot.space, &va, status)) {
        const struct restart *r = ipc_path_reads;
        while (r < ipc_path_reads_end && r->at != pc) {
            r++;
        }
        return r < ipc_path_reads_end ? r->again - pc : 0;
    }
    if (may_fail || pc == (uint32_t)fault_path_load || pc == (uint32_t)lipc_path_load) {
        failed = true;
        return 4;
    }
    kdb_printf("kernel: data abort at pc %x, address %x, status %x\n", pc, address, status);
    panic("fault in the kernel");
}

_Noreturn void fault_unexpected(uint32_t lr) {
    kdb_printf("kernel: unexpected exception, lr %x\n", lr);
    panic("unexpected exception");
}
