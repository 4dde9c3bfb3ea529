/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts as messages, from a timer of the board that the kernel does not use: on StrongARM
 * boards match register 2 of the OS timer (SA-1110 Developer's Manual 9.4; the interrupt
 * controller's bit 26 + n is match register n), on the Versatile the second dual timer (SP804, DUI
 * 0225 4.9).
 */
#include "../../test.h"

#define REG(offset) (*(volatile L4_Word_t *)(uintptr_t)(test_board()->page + (offset)))

/* SA-1110 */
#define OSMR2     REG(0x08)
#define OSCR      REG(0x10)
#define OSSR      REG(0x14)
#define OIER      REG(0x1c)
#define MATCH_BIT 4u

/* SP804, timer 2 */
#define LOAD         REG(0x00)
#define CONTROL      REG(0x08)
#define INT_CLR      REG(0x0c)
#define CONTROL_ONCE 0xa3u /* on, with interrupt, 32 bits, stops at 0 */

/* The interrupt comes in about a millisecond. */
static void os_timer_arm(void) {
    OSMR2 = OSCR + 3686;
    OIER = OIER | MATCH_BIT;
}

static void os_timer_disarm(void) {
    OIER = OIER & ~MATCH_BIT;
    OSSR = MATCH_BIT;
}

static void sp804_arm(void) {
    CONTROL = 0;
    LOAD = 1000;
    CONTROL = CONTROL_ONCE;
}

static void sp804_disarm(void) {
    CONTROL = 0;
    INT_CLR = 0;
}

/* Eight words into entry 0 (SA-1110 DM 5.2.9). */
static void load_read_buffer(const volatile L4_Word_t *from) {
    __asm__ volatile("mcr p15, 0, %0, c9, c8, 2" : : "r"(from) : "memory");
}

static const struct test_board boards[] = {
    {load_read_buffer, false, 0x90000000u, 28, 26, os_timer_arm, os_timer_disarm},
    {NULL, true, 0x101e3000u, 5, 4, sp804_arm, sp804_disarm},
};

const struct test_board *test_board(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (L4_MemoryDescType(d) == L4_DedicatedMemoryType &&
            boards[0].page - L4_MemoryDescLow(d) <= L4_MemoryDescHigh(d) - L4_MemoryDescLow(d)) {
            return &boards[0];
        }
    }
    return &boards[1];
}

#define INTERRUPT         (test_board()->interrupt)
#define KERNELS_INTERRUPT (test_board()->kernels_interrupt)

static void arm(void) {
    test_board()->arm();
}

static void disarm(void) {
    test_board()->disarm();
}

static L4_ThreadId_t interrupt_thread(L4_Word_t number) {
    return L4_GlobalId(number, 1);
}

/*
 * Arms the timer and waits for the message; its tag must be what the manual says. A few attempts:
 * QEMU's timer forgets a match when another is written at the wrong moment.
 */
static bool expect_message(void) {
    L4_MsgTag_t tag;
    unsigned attempts = 0;
    do {
        arm();
        tag = L4_Receive_Timeout(interrupt_thread(INTERRUPT), L4_TimePeriod(50000));
    } while (L4_IpcFailed(tag) && ++attempts < 5);
    TRY(L4_IpcSucceeded(tag));
    TRY(L4_Label(tag) == L4_LABEL_INTERRUPT);
    TRY(L4_UntypedWords(tag) == 0 && L4_TypedWords(tag) == 0);
    return true;
}

/* Unmasks: an empty message to the interrupt's thread. */
static bool acknowledge(void) {
    L4_Set_MsgTag(L4_Niltag);
    TRY(error_of(L4_Send_Timeout(interrupt_thread(INTERRUPT), PATIENCE)) == 0);
    return true;
}

static void messages(void) {
    EQUAL(L4_AssociateInterrupt(interrupt_thread(INTERRUPT), L4_MyGlobalId()), 1);
    for (unsigned i = 0; i < 5; i++) {
        bool came = expect_message();
        disarm();
        CHECK(came && acknowledge());
    }
    EQUAL(L4_DeassociateInterrupt(interrupt_thread(INTERRUPT)), 1);
}

/* Between message and acknowledgement the interrupt is masked; then it comes at once. */
static void masked(void) {
    EQUAL(L4_AssociateInterrupt(interrupt_thread(INTERRUPT), L4_MyGlobalId()), 1);
    bool came = expect_message();
    L4_MsgTag_t early = L4_Receive_Timeout(interrupt_thread(INTERRUPT), L4_TimePeriod(20000));
    bool again = came && L4_IpcFailed(early) && acknowledge() && expect_message();
    disarm();
    CHECK(again && acknowledge());
    EQUAL(L4_DeassociateInterrupt(interrupt_thread(INTERRUPT)), 1);
}

static void deassociated(void) {
    EQUAL(L4_AssociateInterrupt(interrupt_thread(INTERRUPT), L4_MyGlobalId()), 1);
    EQUAL(L4_DeassociateInterrupt(interrupt_thread(INTERRUPT)), 1);
    arm();
    L4_MsgTag_t tag = L4_Receive_Timeout(interrupt_thread(INTERRUPT), L4_TimePeriod(20000));
    disarm();
    CHECK(L4_IpcFailed(tag));
}

/* The kernel's own tick is not for sale; nor can an interrupt be given to nobody. */
static void errors(void) {
    EQUAL(L4_AssociateInterrupt(interrupt_thread(KERNELS_INTERRUPT), L4_MyGlobalId()), 0);
    EQUAL(L4_AssociateInterrupt(interrupt_thread(INTERRUPT), new_thread_id()), 0);
}

const struct test interrupt_tests[] = {
    {"interrupt_messages", messages},
    {"interrupt_masked", masked},
    {"interrupt_deassociated", deassociated},
    {"interrupt_errors", errors},
    {NULL, NULL},
};
