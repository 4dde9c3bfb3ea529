/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A multi-server system: a network driver and an IP stack, each in a space of its own, which answer
 * pings. This is the root task: it starts them, gives each its memory and the driver its device and
 * interrupt, and while pings are measured it is the program that they interrupt.
 *
 * Parameters (boot command line): warmup=20 rounds=0 load=0. So many pings are measured, then the
 * run ends; 0, or without a probe: never. `load`: KB that this program reads over and over beside,
 * where there is a probe; 0: it sleeps.
 */
#include <lib/print.h>

#include "../bench/os/os.h"
#include "../bench/parameters.h"
#include "../user/common/frames.h"
#include "../user/common/probe.h"
#include "../user/common/task.h"
#include "devices.h"
#include "interface.h"
#include "protocol.h"

#define MOST_LOAD_KB 64u
/* After the interface's page, if that has one. */
#define PROBE_VA   (INTERFACE_VA + FRAME_SIZE)
#define LINE_BYTES 32u
/* Cycles, and the stream of samples of how long pings kept the load from its work. */
#define A_PING_AT_LEAST     20000u
#define INTERRUPTION_STREAM 2u

/* Who is more urgent: the interrupt first, everybody before this program's load. */
#define INTERRUPT_PRIORITY 120u
#define DRIVER_PRIORITY    110u
#define STACK_PRIORITY     100u
#define LOAD_PRIORITY      10u

/* images.S */
extern const uint8_t driver_image[], stack_image[];

static struct task driver, stack;
static struct setup setup;
static uint8_t load[MOST_LOAD_KB * 1024];

const char *os_command_line(void) {
    const char *line = L4_BootInfo_CommandLine(L4_BootInfo(L4_GetKernelInterface()));
    return line != NULL ? line : "";
}

static _Noreturn void finish(unsigned status) {
    print("END status=%u\n", status);
    if (probe_present()) {
        probe_write(PROBE_EXIT, status);
    }
    for (;;) {
        L4_Sleep(L4_Never);
    }
}

/* Makes both, and lets them go; they ask for the rest. */
static bool start(void) {
    L4_Word_t first = L4_ThreadNo(L4_MyGlobalId());
    L4_ThreadId_t interrupts = L4_GlobalId(first + 2, 1);
    if (!task_create(&driver, L4_GlobalId(first + 1, 1), driver_image, TASK_AREAS) ||
        !task_add_thread(&driver, interrupts, 1, driver.id) ||
        !task_create(&stack, L4_GlobalId(first + 3, 1), stack_image, TASK_AREAS)) {
        return false;
    }
    setup.driver = driver.id.raw;
    setup.interrupts = interrupts.raw;
    setup.client = stack.id.raw;
    setup.clients = 1;
    setup.registers = devices_give_interface(&driver);
    setup.probe = probe_present() ? devices_give_page(&driver, PROBE_BASE_PA, PROBE_VA) : 0;
    return setup.registers != 0 &&
           L4_Set_Priority(interrupts, INTERRUPT_PRIORITY) != L4_SCHEDULE_ERROR &&
           L4_Set_Priority(driver.id, DRIVER_PRIORITY) != L4_SCHEDULE_ERROR &&
           L4_Set_Priority(stack.id, STACK_PRIORITY) != L4_SCHEDULE_ERROR &&
           L4_AssociateInterrupt(L4_GlobalId(INTERFACE_INTERRUPT, 1), interrupts) &&
           task_start(&driver, driver_image) && task_start(&stack, stack_image);
}

/* Answers page faults and questions, until the pings that do not count are over. */
static bool serve(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    while (L4_IpcSucceeded(tag) && L4_Label(tag) != WARM) {
        if (L4_Label(tag) == ASK_SETUP) {
            L4_LoadMRs(1, SETUP_WORDS, (const L4_Word_t *)&setup);
            L4_Set_MsgTag(message(ASK_SETUP, SETUP_WORDS));
        } else {
            struct task *task = from.raw == stack.id.raw ? &stack : &driver;
            L4_Word_t address;
            L4_StoreMR(1, &address);
            bool page = (L4_Label(tag) & (L4_LABEL(-1) | 8)) == L4_LABEL_PAGEFAULT;
            if (page ? !task_fault(task, tag, address) : task != &driver || !devices_fault(tag)) {
                print("servers: message %x from %x, %x\n", tag.raw, from.raw, address);
                return false;
            }
        }
        tag = L4_ReplyWait(from, &from);
    }
    return L4_IpcSucceeded(tag) != 0;
}

/*
 * Reads so many KB over and over: what servers interrupt. The clock is looked at after each line;
 * when it has gone on by more than a line or a tick of the kernel's can take, a ping was answered
 * meanwhile, and that is how long this program was kept from its work.
 */
static _Noreturn void be_load(uint32_t kb) {
    (void)L4_Set_Priority(L4_MyGlobalId(), LOAD_PRIORITY);
    probe_write(PROBE_STREAM, INTERRUPTION_STREAM);
    for (L4_Word_t last = probe_read(PROBE_CYCLES);;) {
        for (uint32_t at = 0; at < kb * 1024; at += LINE_BYTES) {
            (void)*(const volatile uint8_t *)&load[at];
            L4_Word_t now = probe_read(PROBE_CYCLES);
            if (now - last > A_PING_AT_LEAST) {
                probe_write(PROBE_SAMPLE, now - last);
            }
            last = now;
        }
    }
}

int main(void) {
    uint32_t warmup, rounds, kb;
    frames_init();
    (void)probe_init();
    if (!parameter_number("warmup", 20, &warmup) || !parameter_number("rounds", 0, &rounds) ||
        !parameter_number("load", 0, &kb)) {
        finish(2);
    }
    if (kb > MOST_LOAD_KB || warmup == 0) {
        print("parameters load, warmup: %u, %u; expected up to %u KB, and at least 1\n", kb, warmup,
              MOST_LOAD_KB);
        finish(2);
    }
    setup.warmup = warmup;
    setup.rounds = rounds;
    if (!start()) {
        print("servers: a server does not start\n");
        finish(1);
    }
    if (!serve()) {
        finish(1);
    }
    if (kb != 0 && probe_present()) {
        be_load(kb);
    }
    for (;;) {
        L4_Sleep(L4_Never);
    }
}
