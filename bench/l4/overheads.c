/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do a context switch and an interrupt cost directly, and what indirectly? The method of F.
 * David et al., "Context Switch Overheads for Linux on ARM Platforms" (2007), on L4; for the
 * Versatile's devices.
 *
 * mode=pair: two tasks in spaces of their own hand over to each other `switches` times (odd, so
 * that both have equally many slices), by ThreadSwitch: it is what corresponds to the paper's
 * context_switch, for it says who shall run, both stay ready, nothing is sent and nothing is
 * scheduled. mode=direct: the same switch alone, from cold caches, `times` times. mode=alone: the
 * first task, interrupted `interrupts` times; handler=1 is a second thread of its space, handler=2
 * one in a space of its own. mode=invoke: `times` interrupts in a loop.
 *
 * Without external interference: the kernel's timer is masked in the interrupt controller. Cold
 * caches: the probe empties caches and TLBs, under every scheme and on every machine alike.
 * overheads.h has regions and streams.
 *
 * Parameters (boot command line): mode=pair first=0 second=1 switches=9 size=8192,65536,65536,65536
 * passes=1,1,1,1 (of each kind of task: bubble sort, deflate, AES, CRC) interrupts=0 handler=1
 * times=20 warm=0 (lines that a task reads before it begins: what runs of a point differ in)
 */
#include "overheads.h"

#include <l4/l4.h>
#include <lib/print.h>
#include <lib/string.h>

#include "../../user/common/frames.h"
#include "../../user/common/probe.h"
#include "../../user/common/task.h"
#include "../measure.h"
#include "../os/os.h"
#include "../parameters.h"
#include "../tasks/tasks.h"

enum mode { MODE_PAIR, MODE_DIRECT, MODE_ALONE, MODE_INVOKE };
enum handler { HANDLER_OWN = 1, HANDLER_OTHER };

/* Of tasks while they are measured; of those that prepare something meanwhile; of handlers. */
#define PRIORITY_TASKS   100u
#define PRIORITY_OTHERS  150u
#define PRIORITY_HANDLER 200u

#define MOST_SLICES 64u /* a half of the paper's 99 switches, and more */

extern const uint8_t partner_image[]; /* overheads_image.S */

struct place {
    struct task task;
    L4_ThreadId_t thread; /* the second one, or nobody */
    L4_Word_t memory;
};

static struct place first, second;
static L4_Word_t size[TASK_KINDS], passes[TASK_KINDS];
static uint32_t kinds[2], warm;

static void fail(const char *what) {
    print("bench-overheads: %s\n", what);
    os_finish(1);
}

static L4_ThreadId_t interrupt_thread(void) {
    return L4_GlobalId(SOFTWARE_INTERRUPT, 1);
}

/* ---- tasks, whose pager this is ---- */

static void load_map(L4_Fpage_t page, L4_Word_t at) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(page, at));
    L4_MsgLoad(&msg);
}

/* Loads the answer to a fault: memory as a section, a device where the task has it, its program. */
static void serve(struct place *place, L4_MsgTag_t tag, L4_Word_t address) {
    L4_Word_t page = address & ~(FRAME_SIZE - 1);
    if (place->memory != 0 && address - place->memory < 2 * OVERHEADS_SECTION) {
        L4_Word_t section = address & ~(OVERHEADS_SECTION - 1);
        load_map(L4_FpageAddRights(L4_FpageLog2(section, 20), L4_ReadWriteOnly), section);
    } else if (page == OVERHEADS_PROBE_VA || page == OVERHEADS_VIC_VA) {
        L4_Word_t device = page == OVERHEADS_PROBE_VA ? PROBE_BASE_PA : OVERHEADS_VIC_PA;
        load_map(L4_FpageAddRights(L4_FpageLog2(device, FRAME_LOG2), L4_ReadWriteOnly), page);
    } else if (!task_fault(&place->task, tag, address)) {
        print("bench-overheads: fault at %x\n", address);
        os_finish(1);
    }
}

/* The thread's next message that is no fault; it waits for the answer then. */
static L4_Word_t hear(struct place *place, L4_ThreadId_t from, L4_Word_t label) {
    L4_MsgTag_t tag = L4_Receive(from);
    for (;;) {
        L4_Word_t word;
        L4_StoreMR(1, &word);
        if (L4_IpcFailed(tag) || (L4_Label(tag) & (L4_LABEL(-1) | 8)) != L4_LABEL_PAGEFAULT) {
            if (L4_IpcFailed(tag) || L4_Label(tag) != label) {
                fail("a task said something unexpected");
            }
            return word;
        }
        serve(place, tag, word);
        tag = L4_Call(from);
    }
}

static void load_order(const L4_Word_t order[OVERHEADS_WORDS]) {
    L4_LoadMR(0, L4_MakeMsgTag(0, OVERHEADS_WORDS, 0).raw);
    L4_LoadMRs(1, OVERHEADS_WORDS, order);
}

static void tell(L4_ThreadId_t to, const L4_Word_t order[OVERHEADS_WORDS]) {
    load_order(order);
    (void)L4_Reply(to);
}

static void start(struct place *place, L4_Word_t number) {
    static L4_Word_t version;
    version = version % 30 + 1;
    L4_ThreadId_t id = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + number, version << 1 | 1);
    if (!task_create(&place->task, id, partner_image, TASK_AREAS) ||
        !L4_Set_Priority(id, PRIORITY_OTHERS) || !task_start(&place->task, partner_image)) {
        fail("a task could not be started");
    }
    (void)hear(place, id, OVERHEADS_READY);
}

static void prepare(struct place *place, uint32_t kind) {
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, 21, L4_CompleteAddressSpace);
    if (L4_IsNilFpage(got)) {
        fail("no memory for a task");
    }
    place->memory = L4_Address(got);
    L4_Word_t order[OVERHEADS_WORDS] = {OVERHEADS_PREPARE, kind,          size[kind],
                                        passes[kind],      place->memory, warm};
    tell(place->task.id, order);
    (void)hear(place, place->task.id, OVERHEADS_DONE);
}

static L4_Word_t ask(struct place *place, enum overheads_order what, L4_Word_t word) {
    L4_Word_t order[OVERHEADS_WORDS] = {what, word};
    tell(place->task.id, order);
    return hear(place, place->task.id, OVERHEADS_DONE);
}

/* ---- what is measured ---- */

static void make_cold(void) {
    *measure_register(PROBE_EMPTY) = 0;
}

static void stream(uint32_t number) {
    *measure_register(PROBE_STREAM) = number;
}

static void report(L4_Word_t result) {
    stream(STREAM_RESULTS);
    measure_sample(result);
}

/* The first task asks for cold caches before it begins: then the second one gets its order, so that
 * it is ready, of the same priority, when the first one hands over. The results come when they are
 * done. */
static void measure_both(enum overheads_order to_first, enum overheads_order to_second,
                         uint32_t times) {
    L4_Word_t for_second[OVERHEADS_WORDS] = {to_second, first.task.id.raw, times};
    unsigned left = 2;
    L4_Word_t results[2] = {0, 0};
    L4_ThreadId_t from;
    (void)L4_Set_Priority(first.task.id, PRIORITY_TASKS);
    (void)L4_Set_Priority(second.task.id, PRIORITY_TASKS);
    L4_Word_t for_first[OVERHEADS_WORDS] = {to_first, second.task.id.raw, times};
    bool told = false;
    stream(STREAM_STAMPS);
    tell(first.task.id, for_first);
    L4_MsgTag_t tag = L4_Wait(&from);
    while (left > 0) {
        L4_Word_t word;
        L4_StoreMR(1, &word);
        if (L4_IpcSucceeded(tag) && L4_Label(tag) == OVERHEADS_COLD) {
            if (!told) {
                tell(second.task.id, for_second);
                told = true;
            }
            make_cold();
            L4_LoadMR(0, 0);
            tag = L4_ReplyWait(from, &from);
        } else if (L4_IpcSucceeded(tag) && L4_Label(tag) == OVERHEADS_DONE) {
            results[from.raw == first.task.id.raw ? 0 : 1] = word;
            if (--left > 0) {
                tag = L4_Wait(&from);
            }
        } else {
            fail("a task said something unexpected");
        }
    }
    report(results[0]);
    report(results[1]);
}

/* Who is told of the interrupt, and waits for it. */
static void start_handler(enum handler where) {
    L4_ThreadId_t id = second.task.id;
    if (where == HANDLER_OWN) {
        L4_Word_t start_at[2] = {ask(&first, OVERHEADS_THREAD, 0),
                                 ask(&first, OVERHEADS_THREAD, 1)};
        id = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + 5, 1);
        if (!task_add_thread(&first.task, id, 1, L4_MyGlobalId())) {
            fail("no second thread");
        }
        L4_LoadMR(0, L4_MakeMsgTag(0, 2, 0).raw);
        L4_LoadMRs(1, 2, start_at);
        (void)L4_Send(id);
        (void)hear(&first, id, OVERHEADS_READY);
    }
    (void)L4_Set_Priority(id, PRIORITY_HANDLER);
    if (!L4_AssociateInterrupt(interrupt_thread(), id)) {
        fail("the interrupt is not to be had");
    }
    L4_Word_t order[OVERHEADS_WORDS] = {OVERHEADS_HANDLE, interrupt_thread().raw};
    tell(id, order);
}

/* The order to the task, after which it may ask for cold caches; its result. */
static L4_Word_t measure_one(enum overheads_order what, uint32_t word) {
    L4_Word_t order[OVERHEADS_WORDS] = {what, word};
    (void)L4_Set_Priority(first.task.id, PRIORITY_TASKS);
    stream(STREAM_STAMPS);
    tell(first.task.id, order);
    if (what == OVERHEADS_ALONE) {
        (void)hear(&first, first.task.id, OVERHEADS_COLD);
        make_cold();
        L4_LoadMR(0, 0);
        (void)L4_Reply(first.task.id);
    }
    return hear(&first, first.task.id, OVERHEADS_DONE);
}

/* ---- parameters ---- */

static enum mode read_mode(void) {
    static const char *const names[] = {"mode=pair", "mode=direct", "mode=alone", "mode=invoke"};
    for (const char *word = os_command_line(); *word != '\0'; word++) {
        for (unsigned i = 0; i < 4; i++) {
            size_t length = strlen(names[i]);
            if (strncmp(word, names[i], length) == 0 &&
                (word[length] == '\0' || word[length] == ' ')) {
                return (enum mode)i;
            }
        }
    }
    print("parameter mode: expected mode=pair, direct, alone or invoke\n");
    os_finish(2);
}

static void read_sizes(void) {
    uint32_t sizes[TASK_KINDS], times[TASK_KINDS];
    if (parameter_list("size", "8192,65536,65536,65536", sizes, TASK_KINDS) != TASK_KINDS ||
        parameter_list("passes", "1,1,1,1", times, TASK_KINDS) != TASK_KINDS) {
        print("parameters size, passes: expected four numbers each\n");
        os_finish(2);
    }
    for (unsigned i = 0; i < TASK_KINDS; i++) {
        if (sizes[i] == 0 || sizes[i] > OVERHEADS_SECTION || sizes[i] % 16 != 0 || times[i] == 0) {
            print("parameters size, passes: expected multiples of 16 up to %u, and no 0\n",
                  OVERHEADS_SECTION);
            os_finish(2);
        }
        size[i] = sizes[i];
        passes[i] = times[i];
    }
}

int main(void) {
    uint32_t switches, interrupts, where, times;
    os_init();
    enum mode mode = read_mode();
    read_sizes();
    if (!parameter_number("first", TASK_SORT, &kinds[0]) ||
        !parameter_number("second", TASK_DEFLATE, &kinds[1]) ||
        !parameter_number("switches", 9, &switches) ||
        !parameter_number("interrupts", 0, &interrupts) ||
        !parameter_number("handler", HANDLER_OWN, &where) ||
        !parameter_number("times", 20, &times) || !parameter_number("warm", 0, &warm)) {
        os_finish(2);
    }
    if (kinds[0] >= TASK_KINDS || kinds[1] >= TASK_KINDS || switches % 2 == 0 ||
        switches > 2 * MOST_SLICES || times == 0 || times > 255 || interrupts > 2 * MOST_SLICES ||
        where < HANDLER_OWN || where > HANDLER_OTHER || warm > OVERHEADS_SECTION / 32) {
        print("parameters: tasks 0 to 3, an odd number of switches and interrupts up to %u, times "
              "1 to 255, handler 1 or 2, warm up to %u\n",
              2 * MOST_SLICES, OVERHEADS_SECTION / 32);
        os_finish(2);
    }
    L4_Fpage_t vic = L4_FpageLog2(OVERHEADS_VIC_PA, FRAME_LOG2);
    vic = L4_Sigma0_GetPage(L4_nilthread, L4_FpageAddRights(vic, L4_ReadWriteOnly));
    if (!os_has_probe() || L4_IsNilFpage(vic)) {
        fail("it needs the probe and the Versatile's interrupt controller");
    }
    start(&first, 1);
    start(&second, 2);
    prepare(&first, kinds[0]);
    if (mode == MODE_PAIR || mode == MODE_DIRECT) {
        prepare(&second, kinds[1]);
    } else {
        start_handler((enum handler)where);
    }
    ((volatile uint32_t *)OVERHEADS_VIC_PA)[VIC_ENABLE_CLEAR] = 1u << TIMER_INTERRUPT;
    switch (mode) {
    case MODE_PAIR:
        measure_both(OVERHEADS_FIRST, OVERHEADS_SECOND, (switches + 1) / 2);
        break;
    case MODE_DIRECT:
        measure_both(OVERHEADS_DIRECT, OVERHEADS_BACK, times);
        break;
    case MODE_ALONE:
        report(measure_one(OVERHEADS_ALONE, interrupts));
        break;
    case MODE_INVOKE:
        report(measure_one(OVERHEADS_INVOKE, times));
        break;
    }
    os_finish(0);
}
