/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts as messages, from a timer of the board that the kernel does not use (test_board). */
#include "test.h"

#define INTERRUPT         (test_board()->interrupt)
#define KERNELS_INTERRUPT (test_board()->kernels_interrupt)

enum { MOST_ATTEMPTS = 100 };

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
 * Arms the timer and waits for the message; its tag must be what the manual says. As many attempts
 * as it takes: QEMU's timer forgets a match when another is written at the wrong moment, and the
 * PC's clock runs there by the time of a host that may be busy.
 */
static bool expect_message(void) {
    L4_MsgTag_t tag;
    unsigned attempts = 0;
    do {
        arm();
        tag = L4_Receive_Timeout(interrupt_thread(INTERRUPT), L4_TimePeriod(50000));
    } while (L4_IpcFailed(tag) && ++attempts < MOST_ATTEMPTS);
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
