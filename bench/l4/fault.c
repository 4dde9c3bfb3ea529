/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a page fault cost, by its kind? (fault.h has the kinds.)
 *
 * A partner in a space of its own reads or writes one word, timed by the probe; before each access
 * it asks us, its pager, to bring about the state in which the access faults. From the fault to the
 * end of the access that is: the kernel's entry, the message to us, our answer with a map item, the
 * mapping, the way back, and the access again; or what the kernel does by itself. One sample
 * (cycles) an access, in region and stream of the case's number. Case 0 is the timing alone.
 *
 * Parameters (boot command line): cases=0-9 rounds=200
 */
#include "fault.h"

#include <l4/l4.h>
#include <lib/print.h>

#include "../../user/common/frames.h"
#include "../../user/common/probe.h"
#include "../../user/common/task.h"
#include "../os/os.h"
#include "../parameters.h"

#define PATIENCE L4_TimePeriod(1000000)

/* Our memory: as sections, and as pages of 4 KB. It has to last for all accesses of a case. */
#define SECTIONS_LOG2 23u
#define PAGES_LOG2    22u

extern const uint8_t partner_image[]; /* fault_image.S */

static struct task partner, other;
static L4_Word_t sections, pages;
static L4_Word_t item_log2; /* of what a fault is answered with */
static bool touched;        /* the case is about pages that we have in the cache */
static uint32_t rounds, done;

/* Of the partner's address. */
static L4_Word_t frame_of(L4_Word_t va) {
    L4_Word_t offset = (va - FAULT_AT) & ((1u << (touched ? PAGES_LOG2 : SECTIONS_LOG2)) - 1);
    return (touched ? pages : sections) + offset;
}

static void load_item(L4_Word_t va, L4_Word_t rights) {
    L4_LoadMR(0, L4_MakeMsgTag(0, 0, 2).raw);
    L4_LoadMR(1, (va & ~0x3ffu) | L4_ITEM_MAP);
    L4_LoadMR(2, L4_FpageLog2(frame_of(va), item_log2).raw | rights);
}

/* The tasks' code and data, and the probe, which they may use as we do. */
static bool serve_image(struct task *task, L4_MsgTag_t tag, L4_Word_t address) {
    if ((address & ~(FRAME_SIZE - 1)) != PROBE_BASE_PA) {
        return task_fault(task, tag, address);
    }
    L4_LoadMR(0, L4_MakeMsgTag(0, 0, 2).raw);
    L4_LoadMR(1, PROBE_BASE_PA | L4_ITEM_MAP);
    L4_LoadMR(2, L4_FpageLog2(PROBE_BASE_PA, FRAME_LOG2).raw | L4_ReadWriteOnly);
    return true;
}

/* The other space's next message that is no fault; it has a page of its own at FAULT_AT. */
static bool other_goes_on(L4_MsgTag_t tag, L4_Word_t label) {
    while (L4_IpcSucceeded(tag) && L4_Label(tag) != label) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        if (address == FAULT_AT) {
            load_item(FAULT_AT + FRAME_SIZE, L4_FullyAccessible);
            L4_LoadMR(1, FAULT_AT | L4_ITEM_MAP);
        } else if (!serve_image(&other, tag, address)) {
            return false;
        }
        tag = L4_Call_Timeouts(other.id, PATIENCE, PATIENCE);
    }
    return L4_IpcSucceeded(tag);
}

/* What is there before the access to `va`; the answer is loaded. */
static bool prepare(L4_Word_t which, L4_Word_t va) {
    L4_LoadMR(0, 0);
    switch (which) {
    case FAULT_SYNONYM_READ:
    case FAULT_SYNONYM_WRITE:
        *(volatile L4_Word_t *)(uintptr_t)frame_of(va) = 1;
        break;
    case FAULT_COLLISION:
        if (!other_goes_on(L4_Call_Timeouts(other.id, PATIENCE, PATIENCE), FAULT_PREPARE)) {
            return false;
        }
        break;
    case FAULT_TIMING:
    case FAULT_PAGE:
    case FAULT_LARGE_PAGE:
    case FAULT_SECTION:
        return true;
    default:
        break;
    }
    load_item(va, which == FAULT_MORE_RIGHTS ? L4_Readable : L4_FullyAccessible);
    return true;
}

/* Until the partner has done all its accesses. */
static bool serve(L4_Word_t which) {
    L4_MsgTag_t tag = L4_Receive_Timeout(partner.id, PATIENCE);
    while (L4_IpcSucceeded(tag)) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        if ((L4_Label(tag) & (L4_LABEL(-1) | 8)) == L4_LABEL_PAGEFAULT && address >= FAULT_AT) {
            load_item(address, L4_FullyAccessible);
        } else if (L4_Label(tag) == FAULT_PREPARE) {
            if (!prepare(which, FAULT_AT + done++ * fault_step(which))) {
                return false;
            }
        } else if (L4_Label(tag) == FAULT_READY) {
            L4_LoadMR(0, L4_MakeMsgTag(0, 1, 0).raw);
            L4_LoadMR(1, which | rounds << 8);
        } else if (L4_Label(tag) == FAULT_DONE) {
            return true;
        } else if (!serve_image(&partner, tag, address)) {
            return false;
        }
        tag = L4_Call(partner.id);
    }
    return false;
}

static bool start(struct task *task, L4_Word_t number) {
    static L4_Word_t version;
    version = version % 30 + 1;
    return task_create(task, L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + number, version << 1 | 1),
                       partner_image, TASK_AREAS) &&
           task_start(task, partner_image);
}

static bool start_other(void) {
    if (!start(&other, 2) || !other_goes_on(L4_Receive_Timeout(other.id, PATIENCE), FAULT_READY)) {
        return false;
    }
    L4_LoadMR(0, L4_MakeMsgTag(0, 1, 0).raw);
    L4_LoadMR(1, FAULT_OTHER);
    return other_goes_on(L4_Call_Timeouts(other.id, PATIENCE, PATIENCE), FAULT_PREPARE);
}

/* All accesses of a case are to memory that nobody has yet. */
static uint32_t most_rounds(L4_Word_t which) {
    uint32_t step = fault_step(which);
    uint32_t most = step == 0 || which == FAULT_DIRECTORY ? 1000
                    : step == 0x1000                      ? (1u << PAGES_LOG2) / step
                                                          : (1u << SECTIONS_LOG2) / step;
    return most - FAULT_WARMUP;
}

static bool measure_case(L4_Word_t which, uint32_t wanted) {
    item_log2 = which == FAULT_LARGE_PAGE ? 16 : which == FAULT_SECTION ? 20 : FRAME_LOG2;
    rounds = wanted < most_rounds(which) ? wanted : most_rounds(which);
    done = 0;
    touched = which == FAULT_SYNONYM_READ || which == FAULT_SYNONYM_WRITE;
    if ((which == FAULT_COLLISION && !start_other()) || !start(&partner, 1) || !serve(which)) {
        print("bench-fault: case %u failed\n", which);
        return false;
    }
    task_destroy(&partner);
    if (which == FAULT_COLLISION) {
        task_destroy(&other);
    }
    print("CASE %u\n", which);
    return true;
}

/* As large as sigma0 gives it, and in single pages. */
static void get_memory(void) {
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, SECTIONS_LOG2, L4_CompleteAddressSpace);
    sections = L4_Address(got);
    got = L4_Sigma0_GetAny(L4_nilthread, PAGES_LOG2, L4_CompleteAddressSpace);
    pages = L4_Address(got);
    (void)L4_Flush(L4_FpageAddRights(got, L4_FullyAccessible));
    for (L4_Word_t at = 0; at < 1u << PAGES_LOG2; at += FRAME_SIZE) {
        L4_Fpage_t page =
            L4_FpageAddRights(L4_FpageLog2(pages + at, FRAME_LOG2), L4_FullyAccessible);
        (void)L4_Sigma0_GetPage(L4_nilthread, page);
    }
}

int main(void) {
    uint32_t cases[FAULT_CASES], wanted;
    os_init();
    unsigned n = parameter_list("cases", "0-9", cases, FAULT_CASES);
    if (n == 0 || !parameter_number("rounds", 200, &wanted) || wanted == 0) {
        print("parameters cases, rounds: expected cases of 0 to 9, at least one round\n");
        os_finish(2);
    }
    if (!os_has_probe()) {
        print("bench-fault: it measures with the probe, and there is none\n");
        os_finish(1);
    }
    get_memory();
    for (unsigned i = 0; i < n; i++) {
        if (cases[i] >= FAULT_CASES) {
            print("parameter cases: %u; expected 0 to %u\n", cases[i], FAULT_CASES - 1);
            os_finish(2);
        }
        if (!measure_case(cases[i], wanted)) {
            os_finish(1);
        }
    }
    os_finish(0);
}
