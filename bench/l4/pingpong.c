/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does ping-pong between two address spaces cost by the working set of one of them? (Uhlig et
 * al., "Performance of Address-Space Multiplexing on the Pentium", section 4.1, Fig. 4.)
 *
 * Two tasks in spaces of their own. One goes through its working set, sends the other an empty
 * message and waits for the empty answer, over and over; the other does nothing else. For every
 * size of the list: a few rounds that do not count, then five times `rounds` in one region,
 * numbered by the size's place in the list. The stream of that number has the cycles of each five.
 *
 * kind=0: so many instructions of a byte each, which fill the trace cache; kind=1: so many jumps, a
 * page each, which fill the instruction TLB; kind=2: so many pages of which a word is read, which
 * fill the data TLB.
 *
 * Parameters (boot command line): kind=0 sizes=0-15 step=1000 rounds=100; a size is a number of the
 * list by the step.
 */
#include "pingpong.h"

#include <l4/l4.h>
#include <lib/print.h>
#include <probe.h>

#include "../../user/common/frames.h"
#include "../../user/common/task.h"
#include "../os/os.h"
#include "../parameters.h"

#define MAX_SIZES 128u

extern const uint8_t partner_image[]; /* pingpong_image.S */

static struct task ping, pong;
static L4_Word_t memory;

static void fail(const char *what) {
    print("bench-pingpong: %s\n", what);
    os_finish(1);
}

static void load_map(L4_Fpage_t page, L4_Word_t rights, L4_Word_t at) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(page, rights), at));
    L4_MsgLoad(&msg);
}

/* Loads the answer to a fault: memory, all at once, the probe, or the program. */
static void serve(struct task *task, L4_MsgTag_t tag, L4_Word_t address) {
    if (address - PINGPONG_MEMORY < 1u << PINGPONG_MEMORY_LOG2) {
        load_map(L4_FpageLog2(memory, PINGPONG_MEMORY_LOG2), L4_FullyAccessible, PINGPONG_MEMORY);
    } else if (address - PINGPONG_PROBE < FRAME_SIZE) {
        load_map(L4_FpageLog2(PROBE_BASE_PA, FRAME_LOG2), L4_ReadWriteOnly, PINGPONG_PROBE);
    } else if (!task_fault(task, tag, address)) {
        print("bench-pingpong: fault at %x\n", address);
        os_finish(1);
    }
}

/* The task's next message that is no fault; it waits for the answer then. */
static void hear(struct task *task, L4_Word_t label) {
    L4_MsgTag_t tag = L4_Receive(task->id);
    for (;;) {
        L4_Word_t word;
        L4_StoreMR(1, &word);
        if (L4_IpcFailed(tag) || (L4_Label(tag) & 0xfff8) != L4_LABEL_PAGEFAULT) {
            if (L4_IpcFailed(tag) || L4_Label(tag) != label) {
                fail("a task said something unexpected");
            }
            return;
        }
        serve(task, tag, word);
        tag = L4_Call(task->id);
    }
}

static void tell(struct task *task, const L4_Word_t order[PINGPONG_WORDS]) {
    L4_LoadMR(0, L4_MakeMsgTag(0, PINGPONG_WORDS, 0).raw);
    L4_LoadMRs(1, PINGPONG_WORDS, order);
    (void)L4_Reply(task->id);
}

static void start(struct task *task, L4_Word_t number) {
    L4_ThreadId_t id = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + number, 1);
    if (!task_create(task, id, partner_image, TASK_AREAS) || !task_start(task, partner_image)) {
        fail("a task could not be started");
    }
    hear(task, PINGPONG_READY);
}

int main(void) {
    uint32_t sizes[MAX_SIZES], kind, step, rounds;
    os_init();
    unsigned n = parameter_list("sizes", "0-15", sizes, MAX_SIZES);
    if (n == 0 || !parameter_number("kind", PINGPONG_NOPS, &kind) ||
        !parameter_number("step", 1000, &step) || !parameter_number("rounds", 100, &rounds)) {
        os_finish(2);
    }
    uint32_t most = kind == PINGPONG_NOPS ? PINGPONG_MOST_NOPS : PINGPONG_MOST_PAGES;
    for (unsigned i = 0; i < n; i++) {
        if (kind >= PINGPONG_KINDS || step == 0 || sizes[i] > most / step || rounds == 0) {
            print("parameters: kind 0 to %u, sizes by step up to %u, step, rounds not 0\n",
                  PINGPONG_KINDS - 1, most);
            os_finish(2);
        }
    }
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, PINGPONG_MEMORY_LOG2, L4_CompleteAddressSpace);
    if (!os_has_probe() || L4_IsNilFpage(got)) {
        fail("it needs the probe, and memory");
    }
    memory = L4_Address(got);
    start(&ping, 1);
    start(&pong, 2);
    tell(&pong, (L4_Word_t[PINGPONG_WORDS]){PINGPONG_ECHO});
    for (unsigned i = 0; i < n; i++) {
        tell(&ping, (L4_Word_t[PINGPONG_WORDS]){PINGPONG_MEASURE, pong.id.raw, kind,
                                                sizes[i] * step, rounds, i});
        hear(&ping, PINGPONG_DONE);
        print("POINT size=%u rounds=%u\n", sizes[i] * step, rounds);
    }
    os_finish(0);
}
