/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network driver, which is that of the multi-server system (servers/driver.c, docs/servers.md):
 * a task of two threads with the interface's ports and interrupt. Its client is Linux; programs are
 * none. It lies where it is linked, above us, as the server does.
 */
#include "root.h"

#include <io_fpage.h>

#include "../../../servers/arch/ia32/interface.h"
#include "../../../servers/protocol.h"
#include "../host/host.h"
#include "tasks.h"

/* In assembly, made by rules.mk: where it begins. */
extern const L4_Word_t root_driver_entry;

/* Above all that interrupts Linux (host/internal.h). */
#define PRIORITY_INTERRUPT 230u
#define PRIORITY_DRIVER    220u

/* Its program lies below 32 MB, an eighth of a region. */
#define PARTS_OF_REGION 8u

static L4_ThreadId_t driver, interrupts;

static L4_Fpage_t ports(void) {
    return L4_FpageAddRights(L4_IoFpageLog2(INTERFACE_BASE, INTERFACE_PORTS_LOG2),
                             L4_FullyAccessible);
}

/* Else the kernel gives it a part of the area itself, where others are to be. */
static void place(void) {
    L4_Word_t end = task_address_end(), units = root_region_units(end);
    L4_Word_t at = root_region_number(ROOT_DRIVER_REGION, end) & ~units;
    if (!task_set_number(driver, at | units / PARTS_OF_REGION)) {
        (void)task_set_number(driver, 0 /* large */);
    }
}

bool network_start(void) {
    L4_Word_t first = L4_ThreadNo(L4_MyGlobalId()) + ROOT_DRIVER_THREAD;
    driver = L4_GlobalId(first, 1);
    interrupts = L4_GlobalId(first + 1, 1);
    if (!task_make_space(driver, L4_FpageLog2(ROOT_KIP, 12),
                         L4_FpageLog2(ROOT_UTCBS, ROOT_UTCBS_LOG2))) {
        return false;
    }
    place();
    return L4_ThreadControl(interrupts, driver, L4_MyGlobalId(), driver,
                            (void *)(uintptr_t)(ROOT_UTCBS + L4_UTCB_SIZE)) &&
           L4_Set_Priority(interrupts, PRIORITY_INTERRUPT) != L4_SCHEDULE_ERROR &&
           L4_Set_Priority(driver, PRIORITY_DRIVER) != L4_SCHEDULE_ERROR &&
           L4_AssociateInterrupt(L4_GlobalId(INTERFACE_INTERRUPT, 1), interrupts) &&
           task_start(driver, root_driver_entry, 0);
}

static void answer_setup(void) {
    const struct setup setup = {
        .driver = driver.raw,
        .interrupts = interrupts.raw,
        .registers = INTERFACE_BASE,
        .client = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + ROOT_MAIN, 1).raw,
        .clients = 1 + ROOT_SERVER_THREADS,
    };
    L4_LoadMRs(1, SETUP_WORDS, (const L4_Word_t *)&setup);
    L4_Set_MsgTag(message(ASK_SETUP, SETUP_WORDS));
    (void)L4_Send(driver);
}

static void answer_ports(L4_ThreadId_t from) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(ports(), 0));
    L4_MsgLoad(&msg);
    (void)L4_Send(from);
}

bool network_served(L4_ThreadId_t from, L4_MsgTag_t tag) {
    L4_Word_t word;
    if (from.raw != driver.raw && from.raw != interrupts.raw) {
        return false;
    }
    L4_StoreMR(1, &word);
    if (L4_Label(tag) == ASK_SETUP) {
        answer_setup();
    } else if (L4_Label(tag) == L4_LABEL_IO_FAULT) {
        answer_ports(from);
    } else if (word >= ROOT_DRIVER && word < ROOT_SERVER) { /* a page fault's address */
        L4_Word_t page = word & ~0xfffu;
        (void)*(const volatile char *)(uintptr_t)page; /* from sigma0 */
        (void)task_give(from, page, page, L4_FullyAccessible);
    }
    return true; /* (Of what else it does, as an exception, nobody hears but who waits for it.) */
}
