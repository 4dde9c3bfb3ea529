/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor's tables: the task state, which says where the kernel's stack is, vectors of
 * interrupts, and where SYSENTER goes. The segments' are in boot.S.
 */
#include "cpu.h"

#include "kernel.h"
#include "segments.h"

/* SDM vol. 3, 4.8.7. */
#define MSR_SYSENTER_CS  0x174u
#define MSR_SYSENTER_ESP 0x175u

#define TASK_STACK      1 /* word: ESP0; the next is SS0 */
#define GATE_INTERRUPT  0x8e00u
#define GATE_LEVEL_3    0x6000u
#define DESCRIPTOR_TASK 0x89u

extern uint64_t segments[SEGMENTS];
extern char kernel_stack_top[], sysenter_entry[];
extern const uint32_t vector_entries[VECTORS];

uint32_t task_state[TASK_STATE_SIZE / 4] __attribute__((aligned(128)));
static uint64_t vectors[VECTORS];

static void set_task_state(void) {
    uint32_t base = (uint32_t)task_state;
    task_state[TASK_STACK] = (uint32_t)kernel_stack_top;
    task_state[TASK_STACK + 1] = KERNEL_DATA;
    task_state[TASK_IO_MAP / 4] = TASK_IO_CLOSED;
    for (uint32_t i = TASK_PORTS / 4; i < TASK_STATE_SIZE / 4; i++) {
        task_state[i] = ~0u;
    }
    segments[TASK_STATE / 8] = (uint64_t)(base >> 24) << 56 | (uint64_t)DESCRIPTOR_TASK << 40 |
                               (uint64_t)(base & 0xffffff) << 16 | (TASK_STATE_SIZE - 1);
    __asm__ volatile("ltr %w0" : : "r"(TASK_STATE));
    /* No local table: after a reset it is 64 KB at linear address 0 (SDM vol. 3, 9.1.1), where a
     * program could write descriptors of its own. */
    __asm__ volatile("lldt %w0" : : "r"(0));
}

/* Which vectors a program may call by INT. */
static bool is_programs(uint32_t vector) {
    return vector == VECTOR_BREAKPOINT || vector == VECTOR_OVERFLOW || vector >= VECTOR_EXREGS;
}

static void set_vectors(void) {
    for (uint32_t i = 0; i < VECTORS; i++) {
        uint32_t at = vector_entries[i];
        uint32_t kind = GATE_INTERRUPT | (is_programs(i) ? GATE_LEVEL_3 : 0);
        if (at != 0) {
            vectors[i] = (uint64_t)((at & 0xffff0000u) | kind) << 32 | (uint64_t)KERNEL_CODE << 16 |
                         (at & 0xffff);
        }
    }
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) table = {sizeof vectors - 1, (uint32_t)vectors};
    __asm__ volatile("lidt %0" : : "m"(table));
}

void cpu_init(void) {
    set_task_state();
    set_vectors();
    cpu_write_msr(MSR_SYSENTER_CS, KERNEL_CODE);
    cpu_write_msr(MSR_SYSENTER_ESP, (uint32_t)kernel_stack_top);
    cpu_set_sysenter(sysenter_entry);
}
