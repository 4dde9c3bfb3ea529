/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces of programs, each with one thread, of which Linux is pager and exception handler.
 * While Linux does not let it run, it waits for an answer: to the stub's message, to an
 * exception's, or to a page fault's. After the timer's interrupt it could go on; but it has a lower
 * priority, and is made to wait before Linux blocks (host_task_capture).
 */
#include "host.h"

#include <l4/l4.h>

#include "../root-task/root.h"
#include "internal.h"
#include "shared_fpu.h"

#define PAGE 4096u

/* Versions of thread ids are odd here: those that end with 6 zero bits are local ids' (X.2). */
#define FIRST_VERSION 1u
#define LAST_VERSION  ((1u << L4_VERSION_BITS) - 1)

/* ExchangeRegisters (X.2). */
#define CANCEL      0x006u
#define SET_SP      0x008u
#define SET_IP      0x010u
#define WAS_SENDING 0x4u

#define RET 0xc3

/* The label of the stub's messages (stub.S). */
#define LABEL_STUB  1u
#define LABEL_OTHER 2u

/* Of a thread on its way to the stub: how long it takes at most, and how many messages before the
 * stub's own (page faults at the stub's pages, a step for each instruction). */
#define TIME_TO_STUB     L4_TimePeriod(50000)
#define MESSAGES_TO_STUB 64

#define VECTOR_DEBUG      1u
#define VECTOR_PROTECTION 13u

/* The words of an exception's message (binding.h) that are not registers. */
#define WORD_VECTOR 2
#define WORD_ERROR  3

/* In the shared page, by words: see stub.S. */
enum {
    SHARED_SP,
    SHARED_IP,
    SHARED_CODE,
    SHARED_BASE,
    SHARED_DI = 7,
    SHARED_SI,
    SHARED_BP,
    SHARED_BX = 11,
    SHARED_DX,
    SHARED_CX,
    SHARED_AX,
    SHARED_FLAGS
};

#define SHARED_PUSHED (7 * 4) /* where they begin */

extern char host_stub[], host_stub_start[], host_stub_capture[], host_stub_again[],
    host_stub_answered[], host_stub_own[], host_stub_fpu[];
#define STUB(label) (HOST_STUB + (L4_Word_t)((label) - host_stub))
extern L4_Word_t host_stub_server, host_stub_ipc;

enum wait { IN_STUB, IN_EXCEPTION, IN_FAULT, RUNS };

static struct task {
    enum wait wait;
    volatile L4_Word_t *shared;
    unsigned version;
    L4_Word_t fault_ip;
    int region; /* 1 on; 0: none */
} tasks[HOST_TASKS];

static int region_taken[ROOT_UNITS];

L4_ThreadId_t host_thread(unsigned n) {
    return L4_GlobalId(L4_ThreadNo(host_main) + n, 1);
}

static L4_ThreadId_t id_of(unsigned task) {
    return L4_GlobalId(L4_ThreadNo(host_main) + THREAD_TASKS + task, tasks[task].version);
}

void host_tasks_init(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();

    host_stub_server = host_main.raw;
    host_stub_ipc = HOST_KIP + kip->Ipc;
    region_taken[0] = root_has_word(host_command_line(), ROOT_SMALL); /* the server's own */
    region_taken[ROOT_DRIVER_REGION] = 1;
}

static void load_page(L4_Word_t frame, L4_Word_t address, L4_Word_t rights) {
    L4_Fpage_t page = L4_FpageAddRights(L4_FpageLog2(frame, 12), rights);
    L4_Msg_t msg;

    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(page, address));
    L4_MsgLoad(&msg);
}

/* ---- stops ---- */

static void read_shared(const struct task *t, struct host_registers *r) {
    const volatile L4_Word_t *s = t->shared;

    *r = (struct host_registers){.ip = s[SHARED_IP],
                                 .flags = s[SHARED_FLAGS],
                                 .di = s[SHARED_DI],
                                 .si = s[SHARED_SI],
                                 .bp = s[SHARED_BP],
                                 .sp = s[SHARED_SP],
                                 .bx = s[SHARED_BX],
                                 .dx = s[SHARED_DX],
                                 .cx = s[SHARED_CX],
                                 .ax = s[SHARED_AX]};
}

static void write_shared(const struct task *t, const struct host_registers *r) {
    volatile L4_Word_t *s = t->shared;

    s[SHARED_IP] = r->ip;
    s[SHARED_FLAGS] = r->flags;
    s[SHARED_DI] = r->di;
    s[SHARED_SI] = r->si;
    s[SHARED_BP] = r->bp;
    s[SHARED_SP] = r->sp;
    s[SHARED_BX] = r->bx;
    s[SHARED_DX] = r->dx;
    s[SHARED_CX] = r->cx;
    s[SHARED_AX] = r->ax;
}

static void read_exception(struct host_registers *r, struct host_stop *stop) {
    L4_Word_t w[L4_IA32_EXCEPTION_WORDS];

    L4_StoreMRs(1, L4_IA32_EXCEPTION_WORDS, w);
    stop->vector = w[WORD_VECTOR];
    stop->error = w[WORD_ERROR];
    *r = (struct host_registers){.ip = w[0],
                                 .flags = w[1],
                                 .di = w[4],
                                 .si = w[5],
                                 .bp = w[6],
                                 .sp = w[7],
                                 .bx = w[8],
                                 .dx = w[9],
                                 .cx = w[10],
                                 .ax = w[11]};
}

static void load_exception(const struct host_registers *r) {
    const L4_Word_t w[L4_IA32_EXCEPTION_WORDS] = {r->ip, r->flags, 0,     0,     r->di, r->si,
                                                  r->bp, r->sp,    r->bx, r->dx, r->cx, r->ax};

    L4_LoadMRs(1, L4_IA32_EXCEPTION_WORDS, w);
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_IA32_EXCEPTION_WORDS, 0).raw);
}

/* Our own pages in the program's space, which Linux knows nothing of. */
static bool map_own(const struct task *t, L4_Word_t address) {
    if (address - HOST_STUB < PAGE) {
        load_page((L4_Word_t)host_stub, HOST_STUB, L4_ReadeXecOnly);
    } else if (address - HOST_SHARED < PAGE) {
        load_page((L4_Word_t)t->shared, HOST_SHARED, L4_ReadWriteOnly);
    } else {
        return false;
    }
    return true;
}

/*
 * Sends what is in the message registers, if `to` is not nobody, and waits until the thread stops.
 *
 * A program may send what it likes, too, without a wait for the answer. Then there is nobody to
 * send to, and it does without (a send does not wait: all that we expect messages of wait for their
 * answers). What has not the form of a message that we know of is as an exception.
 */
static void exchange(unsigned task, L4_ThreadId_t to, struct host_registers *r,
                     struct host_stop *stop) {
    struct task *t = &tasks[task];
    L4_ThreadId_t id = id_of(task), from;
    L4_MsgTag_t tag;
    L4_Time_t patience;
    bool steps = false;

    t->wait = RUNS;
    for (;;) {
        host_state = STATE_USER;
        if (host_pending != 0 && L4_IsNilThread(to)) {
            host_state = STATE_KERNEL;
            stop->event = HOST_INTERRUPT;
            return;
        }
        /* An interrupt that came before this: the program gets its answer, and is not waited for.
         */
        patience = host_pending != 0 ? L4_ZeroTime : L4_Never;
        tag = L4_Ipc(to, id, L4_Timeouts(L4_ZeroTime, patience), &from);
        host_state = STATE_KERNEL;
        if (L4_IpcFailed(tag)) {
            stop->event = HOST_INTERRUPT;
            return;
        }
        if (L4_Label(tag) == LABEL_STUB) {
            t->wait = IN_STUB;
            read_shared(t, r);
            stop->event = HOST_SYSCALL;
            return;
        }
        if (L4_Label(tag) == LABEL_OTHER) {
            t->wait = IN_STUB;
            read_shared(t, r);
            stop->event = HOST_EXCEPTION;
            stop->vector = VECTOR_PROTECTION;
            stop->error = t->shared[SHARED_CODE];
            return;
        }
        if (L4_Label(tag) == L4_LABEL_EXCEPTION &&
            L4_UntypedWords(tag) == L4_IA32_EXCEPTION_WORDS) {
            read_exception(r, stop);
            /* Steps in the stub, on the way to the program, and the one that leads there. */
            bool is_ours = r->ip - HOST_KIP < HOST_END - HOST_KIP;
            if (stop->vector == VECTOR_DEBUG && (is_ours || steps)) {
                steps = is_ours;
                load_exception(r);
                to = id;
                continue;
            }
            t->wait = IN_EXCEPTION;
            stop->event = HOST_EXCEPTION;
            return;
        }
        L4_StoreMR(1, &stop->address);
        L4_StoreMR(2, &stop->ip);
        if (L4_UntypedWords(tag) != 2 || (L4_Label(tag) & L4_LABEL(-1)) != L4_LABEL_PAGEFAULT) {
            /* Ports, and what is no message of ours. */
            t->wait = IN_FAULT;
            t->fault_ip = stop->ip;
            stop->event = HOST_PORTS;
            return;
        }
        if (!map_own(t, stop->address)) {
            break;
        }
        to = id;
    }
    t->wait = IN_FAULT;
    t->fault_ip = stop->ip;
    stop->write = (L4_Label(tag) & L4_Writable) != 0;
    stop->event = HOST_FAULT;
}

/*
 * Likewise, of a thread that has nothing to do but to come to the stub, for which it may need the
 * stub's pages. False: it does not come. A program can see to that: by handlers and a pager of its
 * choice, or by an IPC that nobody answers.
 */
static bool until_in_stub(unsigned task, L4_ThreadId_t to) {
    struct task *t = &tasks[task];
    L4_ThreadId_t id = id_of(task), from;
    L4_Word_t address = 0;
    unsigned messages;

    for (messages = 0; messages < MESSAGES_TO_STUB; messages++) {
        L4_MsgTag_t tag = L4_Ipc(to, id, L4_Timeouts(L4_ZeroTime, TIME_TO_STUB), &from);

        if (L4_IpcFailed(tag)) {
            return false;
        }
        if (L4_Label(tag) == LABEL_STUB) {
            t->wait = IN_STUB;
            return true;
        }
        to = id;
        if (L4_Label(tag) == L4_LABEL_EXCEPTION &&
            L4_UntypedWords(tag) == L4_IA32_EXCEPTION_WORDS) { /* of steps through the stub */
            struct host_registers r;
            struct host_stop stop;

            read_exception(&r, &stop);
            load_exception(&r);
            if (stop.vector == VECTOR_DEBUG) {
                continue;
            }
            return false;
        }
        L4_StoreMR(1, &address);
        if (!map_own(t, address)) {
            to = L4_nilthread;
        }
    }
    return false;
}

/* ---- what Linux asks ---- */

static bool set_number(unsigned task, L4_Word_t number) {
    const L4_Word_t words[] = {id_of(task).raw, number};

    return host_ask(ROOT_NUMBER, words, 2) != 0;
}

/* It is small from here on, in a region of 256 MB. False: none is free, or there are none. */
static bool make_small(unsigned task) {
    L4_Word_t end = host_address_end(), regions = ROOT_UNITS / root_region_units(end), i;

    for (i = 0; i < regions; i++) {
        if (region_taken[i]) {
            continue;
        }
        if (!set_number(task, root_region_number(i, end))) {
            return false;
        }
        region_taken[i] = 1;
        tasks[task].region = (int)i + 1;
        return true;
    }
    return false;
}

int host_task_create(unsigned task, void *shared, int small) {
    struct task *t = &tasks[task];
    L4_ThreadId_t id;
    L4_Word_t error;

    *t = (struct task){.shared = shared,
                       .version =
                           t->version % LAST_VERSION +
                           (t->version == 0 || t->version == LAST_VERSION ? FIRST_VERSION : 2)};
    id = id_of(task);
    error = host_ask(ROOT_CREATE, &id.raw, 1);
    if (error != 0) {
        host_task_end(task);
        return (int)error;
    }
    (void)L4_Set_Priority(id, PRIORITY_TASK);
    /* Before it runs: else the kernel gives it a region itself, in the midst of one of ours. */
    if (!small || !make_small(task)) {
        (void)set_number(task, 0 /* large */);
    }
    L4_LoadMR(1, STUB(host_stub_start));
    L4_LoadMR(2, 0);
    L4_LoadMR(0, L4_MakeMsgTag(0, 2, 0).raw);
    (void)until_in_stub(task, id); /* nothing of the program's has run yet */
    return 0;
}

void host_task_make_small(unsigned task) {
    if (tasks[task].region == 0) {
        (void)make_small(task);
    }
}

void host_task_end(unsigned task) {
    const L4_Word_t id = id_of(task).raw;

    (void)host_ask(ROOT_END, &id, 1);
    if (tasks[task].region != 0) {
        region_taken[tasks[task].region - 1] = 0;
    }
    tasks[task].region = 0;
}

/* Pages that programs may have and must not when one of them next runs: until then nobody sees
 * them, so they are told the kernel together. */
#define REVOKED_MAX 62u /* the message registers but the tag, and one */

static L4_Fpage_t revoked[REVOKED_MAX];
static unsigned revoked_count;

static void revoke(void) {
    if (revoked_count != 0) {
        L4_UnmapFpages(revoked_count, revoked);
        revoked_count = 0;
    }
}

void host_revoke(unsigned long frame) {
    if (revoked_count == REVOKED_MAX) {
        revoke();
    }
    revoked[revoked_count++] = L4_FpageAddRights(L4_FpageLog2(frame, 12), L4_FullyAccessible);
}

void host_task_run(unsigned task, struct host_registers *r, struct host_stop *stop) {
    struct task *t = &tasks[task];

    revoke();
    if (t->wait == IN_EXCEPTION) {
        load_exception(r);
    } else {
        write_shared(t, r);
        L4_LoadMR(0, 0);
    }
    exchange(task, id_of(task), r, stop);
}

void host_task_map(unsigned task, unsigned long address, unsigned long frame, int rights,
                   struct host_registers *r, struct host_stop *stop) {
    revoke();
    load_page(frame, address, (L4_Word_t)rights);
    exchange(task, id_of(task), r, stop);
}

void host_task_continue(unsigned task, struct host_registers *r, struct host_stop *stop) {
    revoke();
    exchange(task, L4_nilthread, r, stop);
}

/* ---- registers of a thread that was stopped anywhere ---- */

static L4_Word_t exchange_registers(unsigned task, L4_Word_t control, L4_Word_t sp, L4_Word_t ip,
                                    L4_Word_t *old_ip) {
    L4_Word_t old_control, old_sp, old_flags, old_handle;
    L4_ThreadId_t old_pager;

    (void)L4_ExchangeRegisters(id_of(task), control, sp, ip, 0, 0, L4_nilthread, &old_control,
                               &old_sp, old_ip, &old_flags, &old_handle, &old_pager);
    return old_control;
}

enum place { IN_PROGRAM, BEFORE_MESSAGE, AFTER_ANSWER };

/* Where in the stub it is, if it is there: its message is still to come, or its answer has come. */
static enum place place_of(L4_Word_t ip, L4_Word_t control) {
    const uint8_t *kip = (const uint8_t *)L4_GetKernelInterface();

    if (ip - HOST_STUB < PAGE) {
        return STUB(host_stub_answered) <= ip ? AFTER_ANSWER : BEFORE_MESSAGE;
    }
    if (ip - HOST_KIP >= PAGE) {
        return IN_PROGRAM;
    }
    return (control & WAS_SENDING) == 0 && kip[ip - HOST_KIP] == RET ? AFTER_ANSWER
                                                                     : BEFORE_MESSAGE;
}

enum host_capture host_task_capture(unsigned task, struct host_registers *r) {
    struct task *t = &tasks[task];
    L4_Word_t ip, ignored, control = exchange_registers(task, 0, 0, 0, &ip);
    enum place place = place_of(ip, control);

    if (t->wait == IN_FAULT) {
        ip = t->fault_ip;
    }
    if (place == IN_PROGRAM) {
        (void)exchange_registers(task, CANCEL | SET_IP, 0, STUB(host_stub_capture), &ignored);
    } else if (place == AFTER_ANSWER) { /* what it was to load is still there */
        (void)exchange_registers(task, SET_IP | SET_SP, HOST_SHARED + SHARED_PUSHED,
                                 STUB(host_stub_again), &ignored);
    }
    if (!until_in_stub(task, L4_nilthread)) {
        return HOST_LOST;
    }
    read_shared(t, r);
    if (place == IN_PROGRAM) {
        r->ip = ip;
    }
    return place == BEFORE_MESSAGE ? HOST_CALLS : HOST_WAITS;
}

/* It does that in the stub; it must be where its registers are known. False: it is lost. */
static bool run_in_stub(unsigned task, const char *code) {
    L4_Word_t ignored;

    (void)exchange_registers(task, CANCEL | SET_IP, 0, STUB(code), &ignored);
    return until_in_stub(task, L4_nilthread);
}

int host_task_set_segment(unsigned task, unsigned long base) {
    tasks[task].shared[SHARED_BASE] = base;
    return run_in_stub(task, host_stub_own);
}

int host_task_fpu(unsigned task, unsigned long *save, const unsigned long *load) {
    volatile L4_Word_t *shared = tasks[task].shared;
    unsigned i;

    shared[HOST_FPU / sizeof(L4_Word_t)] =
        (save != NULL ? HOST_FPU_SAVE : 0) | (load != NULL ? HOST_FPU_LOAD : 0);
    for (i = 0; load != NULL && i < HOST_FPU_WORDS; i++) {
        shared[HOST_FPU_LOADED / sizeof(L4_Word_t) + i] = load[i];
    }
    if (!run_in_stub(task, host_stub_fpu)) {
        return false;
    }
    for (i = 0; save != NULL && i < HOST_FPU_WORDS; i++) {
        save[i] = shared[HOST_FPU_SAVED / sizeof(L4_Word_t) + i];
    }
    return true;
}
