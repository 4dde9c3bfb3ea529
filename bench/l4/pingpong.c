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
 * kind=0: so many instructions that do nothing, which fill the trace cache or the instruction
 * cache; kind=1: so many jumps, a page each, which fill the instruction TLB; kind=2: so many pages
 * of which a word is read, which fill the data TLB; kind=3: so many lines of which a word is read,
 * which fill the data cache.
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
#include "../working_set.h"

#define MAX_SIZES 128u

/* What is gone through before each message. */
enum kind { NOPS, JUMPS, PAGES, LINES, KINDS };

/* The tasks' memory, and the probe: low, so that all of a task lies in its first 4 MB. Where all
 * share one space both are where they are in the machine. */
#define MEMORY_VA   0x00100000u
#define MEMORY_LOG2 20u
#define MEMORY_SIZE (1u << MEMORY_LOG2)
#define PROBE_VA    0x000e0000u

/* The bytes of one more of a kind. The return of the largest working set lies after it. */
static const uint32_t bytes_of[KINDS] = {
    [NOPS] = WORKING_SET_NOP,
    [JUMPS] = WORKING_SET_STEP,
    [PAGES] = WORKING_SET_STEP,
    [LINES] = WORKING_SET_LINE,
};

extern const uint8_t partner_image[]; /* pingpong_image.S */

static struct task ping, pong;
static L4_Word_t memory, memory_va, probe_va;

static void fail(const char *what) {
    print("bench-pingpong: %s\n", what);
    os_finish(1);
}

static void load_map(L4_Word_t frame, L4_Word_t rights, L4_Word_t at) {
    L4_Msg_t msg;
    L4_Fpage_t page = L4_FpageAddRights(L4_FpageLog2(frame, FRAME_LOG2), rights);
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(page, at));
    L4_MsgLoad(&msg);
}

/* Loads the answer to a fault: a page of memory, so that each has its entry in TLBs; the probe, or
 * the program. */
static void serve(struct task *task, L4_MsgTag_t tag, L4_Word_t address) {
    L4_Word_t page = address & ~(FRAME_SIZE - 1);
    if (address - memory_va < MEMORY_SIZE) {
        load_map(memory + (page - memory_va), L4_ReadeXecOnly, page);
    } else if (page == probe_va) {
        load_map(PROBE_BASE_PA, L4_ReadWriteOnly, page);
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
        if (L4_IpcFailed(tag) || (L4_Label(tag) & (L4_LABEL(-1) | 8)) != L4_LABEL_PAGEFAULT) {
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

/* Before there are tasks: what they execute is written by nobody else, and later by nobody. */
static void prepare(enum kind kind, uint32_t largest) {
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, MEMORY_LOG2, L4_CompleteAddressSpace);
    if (!os_has_probe() || L4_IsNilFpage(got)) {
        fail("it needs the probe, and memory");
    }
    memory = L4_Address(got);
    memory_va = task_protected() ? MEMORY_VA : memory;
    probe_va = task_protected() ? PROBE_VA : PROBE_BASE_PA;
    if (kind == NOPS) {
        working_set_nops((uint8_t *)memory, largest);
    } else {
        working_set_jumps((uint8_t *)memory, kind == JUMPS ? largest : 0);
    }
}

static void measure(enum kind kind, uint32_t size, uint32_t largest, uint32_t rounds,
                    unsigned region) {
    bool reads = kind == PAGES || kind == LINES;
    tell(&ping, (L4_Word_t[PINGPONG_WORDS]){
                    [PINGPONG_ORDER] = PINGPONG_MEASURE,
                    [PINGPONG_PROBE] = probe_va,
                    [PINGPONG_PARTNER] = pong.id.raw,
                    [PINGPONG_CODE] = memory_va + (reads ? 0 : largest - size) * bytes_of[kind],
                    [PINGPONG_DATA] = memory_va,
                    [PINGPONG_READS] = reads ? size : 0,
                    [PINGPONG_STRIDE] = bytes_of[kind],
                    [PINGPONG_ROUNDS] = rounds,
                    [PINGPONG_REGION] = region,
                });
    hear(&ping, PINGPONG_DONE);
    print("POINT size=%u rounds=%u\n", size, rounds);
}

int main(void) {
    uint32_t sizes[MAX_SIZES], kind, step, rounds, largest = 0;
    os_init();
    unsigned n = parameter_list("sizes", "0-15", sizes, MAX_SIZES);
    if (n == 0 || !parameter_number("kind", NOPS, &kind) ||
        !parameter_number("step", 1000, &step) || !parameter_number("rounds", 100, &rounds)) {
        os_finish(2);
    }
    uint32_t most = MEMORY_SIZE / bytes_of[kind < KINDS ? kind : NOPS] - 1;
    for (unsigned i = 0; i < n; i++) {
        if (kind >= KINDS || step == 0 || sizes[i] > most / step || rounds == 0) {
            print("parameters: kind 0 to %u, sizes by step up to %u, step, rounds not 0\n",
                  KINDS - 1, most);
            os_finish(2);
        }
        largest = sizes[i] * step > largest ? sizes[i] * step : largest;
    }
    prepare((enum kind)kind, largest);
    start(&ping, 1);
    start(&pong, 2);
    tell(&pong, (L4_Word_t[PINGPONG_WORDS]){[PINGPONG_ORDER] = PINGPONG_ECHO});
    for (unsigned i = 0; i < n; i++) {
        measure((enum kind)kind, sizes[i] * step, largest, rounds, i);
    }
    os_finish(0);
}
