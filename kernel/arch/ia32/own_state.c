/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers that only some threads have: those of the floating-point unit, and a segment in GS, as
 * thread-local storage of other systems wants it (l4/arch/ia32/own_segment.h).
 *
 * A kernel none of whose threads has any does nothing for them, in no cycle: not before the first
 * one are the gates of #GP and #NP, SYSENTER's entry, kernel_exit's call and the end of the IPC
 * path exchanged for those of own_traps.S and own_path.S (SDM vol. 3, 7.1.3, for the code), and all
 * is in a part of its own after the rest. From then on there are two invariants when a program is
 * entered:
 *
 *   1. The descriptor USER_OWN is the running thread's, and GS has it; or it is not present.
 *   2. The floating-point unit may be used (CR0.TS clear) only if its registers are the running
 *      thread's.
 *
 * The IPC path, which switches threads without C, keeps the first: own_path.S is before and behind
 * it. It would break the second, and so is closed (hot.ready_check) while the running thread may
 * use the unit. It may enter a thread that has numbers there: with the unit closed, so that a
 * floating-point instruction raises #NM, and here that is made good.
 *
 * The segment. glibc reads at positive and at negative offsets, so a limit of 4 GB is what it
 * expects; where limits are walls (switch/common/small) no segment may reach beyond the space's. It
 * is of one of two kinds, each with the largest limit that keeps it within: expand-up, from its
 * base on, or expand-down, below its base (3.4.3.1). #GP(0) of the thread changes the kind, unless
 * the same instruction with the same registers has just done that: then the address is in neither,
 * or it is about something else, to which the kind does not matter.
 */
#include "own_state.h"

#include "call.h"
#include "cpu.h"
#include "events.h"
#include "fault.h"
#include "fault_entry.h"
#include "offsets.h"
#include "segments.h"
#include "spaces.h"
#include "switch_segments.h"
#include "utcb.h"

#include <binding.h>

#define OWN      __attribute__((section(".own")))
#define OWN_DATA __attribute__((section(".own_data")))

#define ERROR_OF_CALL   (L4_IA32_OWN_CALL * 8 + 2)
#define ERROR_OF_LOAD   ((uint32_t)USER_OWN & ~3u)
#define GATE_INTERRUPT  0x8e00u
#define CALL            0xe8
#define JUMP            0xe9
#define DESCRIPTOR_UP   0x0040f300u /* data, level 3, writable, 32 bits (SDM vol. 3, 3.4.3) */
#define DESCRIPTOR_DOWN 0x0040f700u
#define DESCRIPTOR_4K   0x00800000u

/* CR0 (2.5): native errors, exceptions where the unit is not the thread's (also of WAIT). */
#define CR0_EM    0x04u
#define CR0_TS    0x08u
#define CR0_MP_NE 0x22u

/* What FNSAVE stores and FRSTOR loads (SDM vol. 1, 8.1.11), and what it is after FNINIT, with no
 * one's numbers in it. */
#define FPU_WORDS   27
#define FPU_CONTROL 0xffff037fu
#define FPU_TAGS    0xffffffffu

struct own_state {
    /* The last instruction to have changed the kind, and its registers; whether it may still have
     * been in vain. */
    uint32_t flip_pc, flip_registers[8];
    uint32_t flipped;
    /* The segment as the GDT has it, the same of the other kind (its upper word 0: there is none),
     * and where the space lay then. Nothing yet: `descriptor[1]` is 0. */
    uint32_t descriptor[2], other[2];
    uint32_t place[2];
    uint32_t base; /* as the program has addresses */
    uint32_t fpu[FPU_WORDS];
} __attribute__((aligned(OWN_STATE_SIZE)));

/* By the thread's slot; meaningful as far as frame.own says (own_traps.S). */
extern struct own_state own_states[THREAD_COUNT];
_Static_assert(USER_OWN == L4_IA32_OWN_SELECTOR, "programs know it");
_Static_assert(sizeof(struct own_state) == OWN_STATE_SIZE, "own_traps.S has room for them");
_Static_assert(offsetof(struct own_state, flip_pc) == OWN_FLIP_PC &&
                   offsetof(struct own_state, flip_registers) == OWN_FLIP_REGISTERS &&
                   offsetof(struct own_state, flipped) == OWN_FLIPPED &&
                   offsetof(struct own_state, descriptor) == OWN_DESCRIPTOR &&
                   offsetof(struct own_state, other) == OWN_OTHER &&
                   offsetof(struct own_state, place) == OWN_PLACE,
               "own_path.S has them");
_Static_assert(EVENT_SEGMENT_FLIPPED == EVENT_FLIPPED_ASM, "own_path.S reports it");

static OWN_DATA struct {
    bool installed;
    bool fpu_open;        /* TS is clear */
    struct tcb *fpu_last; /* whose numbers are in the unit, if it has OWN_FPU still */
} own;

static OWN_DATA uint32_t fpu_new[FPU_WORDS] = {FPU_CONTROL, 0xffff0000u, FPU_TAGS};

extern uint64_t segments[SEGMENTS];
extern volatile uint32_t own_segment_descriptor[2];
extern char kernel_exit_call[], own_finish[], own_vector_11[], own_vector_13[];
extern char path_leaving[], own_path_leaving[], own_sysenter_entry[];

static OWN struct own_state *state_of(const struct tcb *t) {
    return &own_states[t - tcbs];
}

/* ---- the first thread that has any ---- */

struct __attribute__((packed)) table_register {
    uint16_t limit;
    uint32_t base;
};

static OWN void set_gate(uint64_t *vectors, uint32_t vector, const char *entry) {
    uint32_t at = (uint32_t)entry;
    vectors[vector] = (uint64_t)((at & 0xffff0000u) | GATE_INTERRUPT) << 32 |
                      (uint64_t)KERNEL_CODE << 16 | (at & 0xffff);
}

/* Code: a branch whose operand is relative to what follows it. */
static OWN void set_branch(char *at, uint8_t code, const char *to) {
    *(volatile uint8_t *)at = code;
    *(volatile uint32_t *)(at + 1) = (uint32_t)to - ((uint32_t)at + 5);
}

static OWN void install(void) {
    struct table_register table;
    if (own.installed) {
        return;
    }
    own.installed = true;
    __asm__ volatile("sidt %0" : "=m"(table));
    set_gate((uint64_t *)table.base, VECTOR_ABSENT, own_vector_11);
    set_gate((uint64_t *)table.base, VECTOR_PROTECTION, own_vector_13);
    own_segment_descriptor[0] = 0;
    own_segment_descriptor[1] = DESCRIPTOR_NONE;
    table = (struct table_register){SEGMENTS * 8 + 7, (uint32_t)segments};
    __asm__ volatile("lgdt %0" : : "m"(table));
    /* IRET, before any of it is executed, serializes. */
    set_branch(kernel_exit_call, CALL, own_finish);
    set_branch(path_leaving, JUMP, own_path_leaving);
    cpu_set_sysenter(own_sysenter_entry);
}

/* ---- the floating-point unit ---- */

static OWN void set_task_switched(bool set) {
    uint32_t cr0;
    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    cr0 = (cr0 & ~(CR0_EM | CR0_TS)) | CR0_MP_NE | (set ? CR0_TS : 0);
    __asm__ volatile("movl %0, %%cr0" : : "r"(cr0) : "memory");
    own.fpu_open = !set;
}

static OWN void open_fpu(struct tcb *t) {
    struct tcb *last = own.fpu_last;
    install();
    set_task_switched(false);
    if (last == t && (t->frame.own & OWN_FPU) != 0) {
        return;
    }
    if (last != NULL && (last->frame.own & OWN_FPU) != 0) {
        __asm__ volatile("fnsave %0" : "=m"(state_of(last)->fpu));
    } else { /* an exception may be pending that was a dead thread's: FRSTOR would raise it here */
        __asm__ volatile("fninit");
    }
    if ((t->frame.own & OWN_FPU) != 0) {
        __asm__ volatile("frstor %0" : : "m"(state_of(t)->fpu));
    } else {
        __asm__ volatile("frstor %0" : : "m"(fpu_new));
    }
    t->frame.own |= OWN_FPU;
    own.fpu_last = t;
}

/* ---- the segment ---- */

static OWN void describe(uint32_t words[2], uint32_t base, uint32_t limit, uint32_t kind) {
    words[0] = (limit & 0xffff) | base << 16;
    words[1] = (limit & 0xf0000) | kind | (base >> 16 & 0xff) | (base & 0xff000000u);
}

/* Both kinds, where the space lies now: expand-up at first. */
static OWN void describe_both(struct own_state *s, uint32_t base, uint32_t size) {
    uint32_t left = size - s->base; /* (0: all 4 GB) */
    s->place[0] = base;
    s->place[1] = size;
    s->flipped = false;
    s->other[1] = 0;
    if (size == 0) {
        describe(s->descriptor, base + s->base, 0xfffff, DESCRIPTOR_UP | DESCRIPTOR_4K);
        return;
    }
    /* Offsets above n * 4 KB + 4095 are valid: those from -base on. */
    describe(s->other, base + s->base, 0xfffffu - (s->base >> 12), DESCRIPTOR_DOWN | DESCRIPTOR_4K);
    if (left <= 1u << 20) {
        describe(s->descriptor, base + s->base, left - 1, DESCRIPTOR_UP);
    } else {
        describe(s->descriptor, base + s->base, (left >> 12) - 1, DESCRIPTOR_UP | DESCRIPTOR_4K);
    }
}

static OWN void load_segment(struct tcb *t) {
    struct own_state *s = state_of(t);
    uint32_t base, size;
    switch_segment_range(t->space, &base, &size);
    if (size != 0 && s->base >= size) { /* beyond a small space's limit: it is large now */
        (void)switch_limit_fault(t->space);
        switch_segment_range(t->space, &base, &size);
    }
    if (s->descriptor[1] == 0 || s->place[0] != base || s->place[1] != size) {
        describe_both(s, base, size);
    }
    own_segment_descriptor[0] = s->descriptor[0];
    own_segment_descriptor[1] = s->descriptor[1];
}

/* The thread's call: ECX a base, or EAX 0: it has no segment any more. Its selector, or 0. */
static OWN void set_segment(struct tcb *t) {
    struct frame *f = &t->frame;
    f->pc += 2;
    if (f->eax == 0) {
        f->own &= ~(uint32_t)OWN_SEGMENT;
        return;
    }
    if (f->ecx >= KERNEL_AREA) {
        f->eax = 0;
        return;
    }
    install();
    f->own |= OWN_SEGMENT;
    state_of(t)->base = f->ecx;
    state_of(t)->descriptor[1] = 0;
    f->eax = USER_OWN;
}

/* #GP(0), as own_protection has it (own_path.S). True: the segment is of the other kind now, and
 * the access is repeated. */
static OWN bool flip(struct tcb *t) {
    struct own_state *s = state_of(t);
    const struct frame *f = &t->frame;
    const uint32_t now[8] = {f->edi, f->message[0], f->message[1], f->message[2],
                             f->edx, f->ecx,        f->eax,        f->sp};
    uint32_t changed = f->pc ^ s->flip_pc;
    for (uint32_t i = 0; i < 8; i++) {
        changed |= now[i] ^ s->flip_registers[i];
        s->flip_registers[i] = now[i];
    }
    s->flip_pc = f->pc;
    if (s->other[1] == 0 || (s->flipped && changed == 0)) {
        s->flipped = false;
        return false;
    }
    s->flipped = true;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t word = s->descriptor[i];
        s->descriptor[i] = s->other[i];
        s->other[i] = word;
    }
    probe_write(PROBE_EVENT, EVENT_SEGMENT_FLIPPED);
    return true;
}

/* ---- ways in and out ---- */

/* The thread wants its first use of the unit to be an exception (first_fpu_use.h). */
static OWN bool first_use_raises(const struct tcb *t) {
    return (t->frame.own & OWN_FPU) == 0 && utcb_read(t, L4_IA32_UTCB_FIRST_FPU_USE) != 0;
}

OWN void own_trap(struct tcb *self, uint32_t vector, uint32_t error) {
    bool has = (self->frame.own & OWN_SEGMENT) != 0;
    thread_entered_kernel();
    if (vector == VECTOR_NO_FPU && !first_use_raises(self)) {
        open_fpu(self);
    } else if (vector == VECTOR_PROTECTION && error == ERROR_OF_CALL) {
        set_segment(self);
    } else if (vector == VECTOR_ABSENT && has && (error & ~3u) == ERROR_OF_LOAD) {
        /* It has one as soon as it runs. */
    } else if (vector != VECTOR_PROTECTION || error != 0 || !has || !flip(self)) {
        trap(self, vector, error);
    }
}

OWN uint32_t own_leave(struct tcb *t) {
    bool has = (t->frame.own & OWN_SEGMENT) != 0;
    /* (Another thread may have got its slot.) */
    if (own.fpu_open && (t != own.fpu_last || (t->frame.own & OWN_FPU) == 0)) {
        set_task_switched(true);
    }
    own_segment_descriptor[1] = DESCRIPTOR_NONE;
    if (has) {
        load_segment(t);
    }
    if (own.fpu_open) {
        hot.ready_check = IPC_PATH_CLOSED;
    }
    return has;
}

OWN void own_enter(struct tcb *t) {
    hot.current = t;
    thread_entered_kernel();
    load_segment(t);
}
