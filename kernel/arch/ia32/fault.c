/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults. A page fault goes, in this order, to whom it belongs: the switching scheme, the mapping
 * database (an inactive page), the kernel as sigma0's pager, the pager by IPC. Ports that a program
 * has not are the pager's, too. Of other exceptions the kernel keeps for itself KernelInterface,
 * and what comes of segments: the kernel's access by a wrong one, a limit that the scheme has set.
 * The rest are the handler's.
 */
#include "fault.h"

#include "cpu.h"
#include "fault_entry.h"
#include "io_fpages.h"
#include "ipc.h"
#include "kdb.h"
#include "mapdb.h"
#include "message.h"
#include "segments.h"
#include "ptab.h"
#include "spaces.h"
#include "switch_segments.h"
#include "user_memory.h"
#include "utcb.h"

#include <l4/arch.h>

/* The error code of a page fault (SDM vol. 3, 5.12). */
#define ERROR_WRITE 2u

/* `lock; nop`, by which a program asks for its KIP (X.2 manual), as the first half of a word. */
#define KERNEL_INTERFACE_CODE 0x90f0u

/* In entry.S: a word of memory that may not be there, or false; where it reads, and where it goes
 * on if that faults. */
bool guarded_load(uint32_t va, uint32_t *value);
extern const char guarded_load_at[], guarded_load_failed[];

/* In ipc_path.S, the same of a local id. */
extern const char lipc_path_load[], lipc_path_failed[];

/* A byte of the running program's memory, if it is there. */
static bool load_byte(uint32_t va, uint8_t *value) {
    mapping_t m = ptab_get(hot.space, va);
    if ((m & MAPPING_VALID) == 0) {
        return false;
    }
    *value = *user_byte(va, mapping_frame(m));
    return true;
}

bool user_load(uint32_t va, uint32_t *value) {
    uint8_t bytes[4];
    for (uint32_t i = 0; i < 4; i++) {
        if (!load_byte(va + i, &bytes[i])) {
            return false;
        }
    }
    __builtin_memcpy(value, bytes, 4);
    return true;
}

bool kernel_probe_load(uint32_t va, uint32_t *value) {
    return guarded_load(va, value);
}

void fault_kernel(struct kernel_trap *t) {
    uint32_t next =
        t->vector == VECTOR_PAGE || t->vector == VECTOR_PROTECTION ? switch_kernel_fault(t->pc) : 0;
    if (next != 0) {
        t->pc = next;
    } else if (t->vector == VECTOR_DEBUG) { /* SYSENTER by a program that runs in single steps */
        t->status &= ~EFLAGS_TRAP;
    } else if (t->vector == VECTOR_PAGE && t->pc == (uint32_t)guarded_load_at) {
        t->pc = (uint32_t)guarded_load_failed;
    } else if ((t->vector == VECTOR_PAGE || t->vector == VECTOR_PROTECTION) &&
               t->pc == (uint32_t)lipc_path_load) {
        t->pc = (uint32_t)lipc_path_failed;
    } else {
        kdb_printf("kernel: exception %u at eip %x, error %x, address %x\n", t->vector, t->pc,
                   t->error, cpu_fault_address());
        panic("fault in the kernel");
    }
}

/*
 * Is the instruction one of ports, or one that programs may not execute at all (SDM vol. 3, 4.9)?
 * Both raise #GP(0) as an access beyond a limit does. (Others that may: loads of a null selector
 * into SS or CS.)
 */
enum instruction { ORDINARY, PRIVILEGED, OF_PORTS };

struct port_access {
    uint32_t first, count;
};

static enum instruction classify(const struct frame *f, struct port_access *ports) {
    uint32_t pc = f->pc, size = 4;
    uint8_t code = 0, extended = 0, modrm = 0;
    for (uint32_t i = 0; i < 14; i++) {
        if (!load_byte(pc + i, &code)) {
            return ORDINARY;
        }
        if (code == 0x66) {
            size = 2;
        }
        switch (code) {
        case 0x26: /* prefixes */
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64 ... 0x67:
        case 0xf0:
        case 0xf2:
        case 0xf3:
            continue;
        case 0x6c ... 0x6f: /* INS, OUTS */
        case 0xe4 ... 0xe7: /* IN, OUT */
        case 0xec ... 0xef:
            (void)load_byte(pc + i + 1, &extended);
            ports->first = (code & 0xfc) == 0xe4 ? extended : f->edx & 0xffff;
            ports->count = (code & 1) == 0 ? 1 : size;
            return OF_PORTS;
        case 0xf4: /* HLT */
        case 0xfa: /* CLI, STI */
        case 0xfb:
            return PRIVILEGED;
        case 0x0f:
            break;
        default:
            return ORDINARY;
        }
        (void)load_byte(pc + i + 1, &extended);
        (void)load_byte(pc + i + 2, &modrm);
        switch (extended) {
        case 0x00: /* LLDT, LTR */
            return (modrm & 0x30) == 0x10 ? PRIVILEGED : ORDINARY;
        case 0x01: /* LGDT, LIDT, LMSW, INVLPG */
            return (modrm & 0x10) != 0 ? PRIVILEGED : ORDINARY;
        case 0x06: /* CLTS, INVD, WBINVD */
        case 0x08:
        case 0x09:
        case 0x20 ... 0x23: /* control and debug registers */
        case 0x30:          /* WRMSR, RDMSR, RDPMC, SYSEXIT */
        case 0x32:
        case 0x33:
        case 0x35:
            return PRIVILEGED;
        default:
            return ORDINARY;
        }
    }
    return ORDINARY;
}

/* The program's selectors at its last #GP or #SS, by the numbers of the registers: entry.S, where
 * the way out loads those registers anew (relocated_segments_asm.h). */
enum { ES, CS, SS, DS, FS, GS, SEGMENT_REGISTERS };
extern uint16_t fault_selectors[SEGMENT_REGISTERS];

/* An opcode of one byte that a ModRM byte follows (SDM vol. 2, appendix A), but those of stacks and
 * far transfers, which are about others than data segments. */
static bool has_operand(uint8_t code) {
    switch (code) {
    case 0x62: /* BOUND, ARPL, IMUL */
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0x80 ... 0x8c: /* arithmetic, TEST, XCHG, MOV */
    case 0x8e ... 0x8f:
    case 0xc0 ... 0xc1: /* shifts */
    case 0xc4 ... 0xc7: /* LES, LDS, MOV */
    case 0xd0 ... 0xd3:
    case 0xd8 ... 0xdf: /* the floating-point unit */
    case 0xf6 ... 0xf7:
    case 0xfe ... 0xff:
        return true;
    default:
        return code < 0x40 && (code & 4) == 0;
    }
}

/* Whether an instruction after 0F has an operand in memory. */
static bool has_operand_0f(uint8_t code) {
    switch (code) {
    case 0x04 ... 0x0f:
    case 0x30 ... 0x37:
    case 0x77:
    case 0x80 ... 0x8f:
    case 0xa0 ... 0xa2:
    case 0xa8 ... 0xaa:
    case 0xc8 ... 0xcf:
        return false;
    default:
        return true;
    }
}

/* The segment registers, one bit each, by which the instruction accesses memory, if it does so
 * otherwise than by the stack. */
static uint32_t data_segments(uint32_t pc) {
    uint32_t source = 1u << DS;
    uint8_t code = 0, modrm = 0xff;
    bool operand = false;
    for (uint32_t i = 0; i < 14 && load_byte(pc + i, &code); i++) {
        switch (code) {
        case 0x26: /* prefixes */
        case 0x2e:
        case 0x36:
        case 0x3e:
            source = 1u << (code >> 3 & 3);
            continue;
        case 0x64:
        case 0x65:
            source = 1u << (code == 0x64 ? FS : GS);
            continue;
        case 0x66 ... 0x67:
        case 0xf0:
        case 0xf2 ... 0xf3:
            continue;
        case 0x6c ... 0x6d: /* INS, STOS, SCAS */
        case 0xaa ... 0xab:
        case 0xae ... 0xaf:
            return 1u << ES;
        case 0xa4 ... 0xa7: /* MOVS, CMPS */
            return source | 1u << ES;
        case 0x6e ... 0x6f: /* OUTS, MOV with an address, LODS, XLAT */
        case 0xa0 ... 0xa3:
        case 0xac ... 0xad:
        case 0xd7:
            return source;
        case 0x0f:
            operand = load_byte(pc + ++i, &code) && has_operand_0f(code);
            break;
        default:
            operand = has_operand(code);
            break;
        }
        return operand && load_byte(pc + i + 1, &modrm) && modrm < 0xc0 ? source : 0;
    }
    return 0;
}

/* Whether #GP(0) or #SS(0) may be about a limit that the scheme has set: none of the registers that
 * are used has a selector that is the program's own doing, null or the UTCB pointer's segment. (FS
 * and GS have that one as they should.) */
static bool may_be_limit(uint32_t vector, uint32_t pc) {
    uint32_t used = vector == VECTOR_STACK ? 1u << SS : data_segments(pc);
    for (uint32_t n = 0; n < SEGMENT_REGISTERS; n++) {
        uint32_t selector = fault_selectors[n] | 3;
        bool own = selector == 3 || (selector == USER_UTCB && n != FS && n != GS);
        if ((used >> n & 1) != 0 && n != CS && own) {
            return false;
        }
    }
    return true;
}

/* Ports that are not there are asked of the pager, as pages are: the smallest fpage with them. */
static void send_port_fault(struct tcb *self, const struct port_access *ports) {
    uint32_t log2 = 0;
    while ((ports->first ^ (ports->first + ports->count - 1)) >> log2 != 0) {
        log2++;
    }
    self->kmsg[0] = message_tag(L4_LABEL_IO_FAULT, 2);
    self->kmsg[1] = L4_IoFpageLog2(ports->first >> log2 << log2, (int)log2).raw;
    self->kmsg[2] = self->frame.pc;
    ipc_send_kernel(self, KIND_PAGEFAULT, utcb_read(self, L4_UTCB_PAGER));
}

/* #GP(0) or #SS(0) of a program, which may be about ports or a limit. False: an exception. */
static bool protection_fault(struct tcb *self, uint32_t vector) {
    struct port_access ports;
    enum instruction instruction = classify(&self->frame, &ports);
    if (instruction == OF_PORTS) {
        switch (io_access(self->space, ports.first, ports.count)) {
        case IO_MISSING:
            send_port_fault(self, &ports);
            return true;
        case IO_LOADED:
            return true;
        case IO_NO_PORTS:
            return false;
        case IO_PERMITTED: /* INS, OUTS: their memory is what is wrong */
            break;
        }
    }
    return instruction != PRIVILEGED && may_be_limit(vector, self->frame.pc) &&
           switch_limit_fault(self->space);
}

void fault_exception(struct tcb *self, uint32_t vector, uint32_t error) {
    uint32_t code = 0;
    const struct frame *f = &self->frame;
    if ((vector == VECTOR_PROTECTION || vector == VECTOR_STACK) && error == 0 &&
        protection_fault(self, vector)) {
        return;
    }
    if (vector == VECTOR_UNDEFINED && user_load(f->pc, &code) &&
        (code & 0xffff) == KERNEL_INTERFACE_CODE) {
        self->frame.pc += 2;
        call_debug(self, L4_TRAP_KERNEL_INTERFACE);
        return;
    }
    const uint32_t words[] = {message_tag(L4_LABEL_EXCEPTION, L4_IA32_EXCEPTION_WORDS),
                              f->pc,
                              frame_flags(f),
                              vector,
                              error,
                              f->edi,
                              f->message[0],
                              f->message[2],
                              f->sp,
                              f->message[1],
                              f->edx,
                              f->ecx,
                              f->eax};
    _Static_assert(sizeof words / 4 == L4_IA32_EXCEPTION_WORDS + 1 &&
                       L4_IA32_EXCEPTION_WORDS < KMSG_WORDS,
                   "an exception's message");
    __builtin_memcpy(self->kmsg, words, sizeof words);
    ipc_send_kernel(self, KIND_EXCEPTION, utcb_read(self, L4_UTCB_EXCEPTION_HANDLER));
}

/* SYSENTER with a number that no call has: as an instruction that is none. */
void fault_swi(struct tcb *self) {
    fault_exception(self, VECTOR_UNDEFINED, 0);
}

/* A reply with fewer words changes less; exception's number and error code are nobody's registers.
 */
void message_exception_answered(struct tcb *t, const uint32_t *message) {
    struct frame *f = &t->frame;
    uint32_t *const registers[] = {&f->pc,         NULL,           NULL,           NULL,
                                   &f->edi,        &f->message[0], &f->message[2], &f->sp,
                                   &f->message[1], &f->edx,        &f->ecx,        &f->eax};
    uint32_t words = TAG_UNTYPED(message[0]);
    for (uint32_t i = 0; i < L4_IA32_EXCEPTION_WORDS && i < words; i++) {
        if (registers[i] != NULL) {
            *registers[i] = message[1 + i];
        }
    }
    if (words >= 2) {
        f->status = frame_status(f->status, message[2]);
    }
}

void message_undeliverable(const struct tcb *t) {
    kdb_printf("kernel: thread %x stops: nobody takes its message %x (%x %x), eip %x esp %x\n",
               t->id, t->kmsg[0], t->kmsg[1], t->kmsg[2], t->frame.pc, t->frame.sp);
}

void fault_page(struct tcb *self, uint32_t error, uint32_t va) {
    bool write = (error & ERROR_WRITE) != 0;
    if (switch_fault(self->space, &va, error)) {
        return;
    }
    if (mapdb_activate(self->space, va, write) ||
        (self->space->is_sigma0 && mapdb_map_sigma0(va))) {
        return;
    }
    /* The processor does not tell a fetch from a read. */
    uint32_t rights = write ? L4_Writable : va == self->frame.pc ? L4_eXecutable : L4_Readable;
    self->kmsg[0] = message_tag(L4_LABEL_PAGEFAULT | rights, 2);
    self->kmsg[1] = va;
    self->kmsg[2] = self->frame.pc;
    ipc_send_kernel(self, KIND_PAGEFAULT, utcb_read(self, L4_UTCB_PAGER));
}
