/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The root task: starts Linux, gives it memory, and does for it what takes privileges. It has
 * little to go wrong in it. If the server crashes it says so, with all registers, and other tasks
 * go on.
 */
#include "root.h"

#include <l4/l4.h>
#include <io_fpage.h>
#include <lib/print.h>
#include <probe.h>
#include <small_space.h>

#include "../../../user/common/probe.h"
#include "../host/host.h"
#include "screen.h"
#include "tasks.h"

/* In assembly, made by rules.mk: where the server begins. */
extern const L4_Word_t root_server_entry;

/* The PC's keyboard controller resets the machine. */
#define KEYBOARD_COMMAND 0x64
#define COMMAND_RESET    0xfe

#define PAGE 4096u

#define PRIORITY_SERVER  150u
#define PRIORITY_WITNESS 210u /* so that nobody keeps it from counting */

/* ExchangeRegisters (X.2): cancel what the thread waits in, and set its IP. */
#define CANCEL 0x006u
#define SET_IP 0x010u

/* What a run ends with whose server has crashed. */
#define STATUS_CRASHED 70u

static L4_ThreadId_t server;

/* UD2 (SDM vol. 2): an invalid opcode, whose exception's message has the registers. */
static const uint8_t trap[PAGE] __attribute__((aligned(4096))) = {0x0f, 0x0b};

/* ---- the end ---- */

static void end(L4_Word_t status) {
    if (probe_present()) {
        probe_write(PROBE_EXIT, status);
    }
    __asm__ volatile("outb %0, %1" : : "a"((char)COMMAND_RESET), "Nd"(KEYBOARD_COMMAND));
    for (;;) {
        L4_Sleep(L4_Never);
    }
}

/* ---- another task ---- */

/* It shares our program, as it has no other, but not our space. */
static volatile L4_Word_t witness_count;
static L4_Word_t witness_stack[256];
static L4_ThreadId_t witness;

static void witness_goes_on(void) {
    for (;;) {
        witness_count++;
        L4_Sleep(L4_TimePeriod(2000));
    }
}

static bool is_asked_for(const char *word) {
    const char *line = L4_BootInfo_CommandLine(L4_BootInfo(L4_GetKernelInterface()));
    return line != NULL && root_has_word(line, word);
}

static void start_witness(void) {
    witness = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + ROOT_WITNESS_THREAD, 1);
    if (!task_make_space(witness, L4_FpageLog2(L4_ROOT_KIP, 12),
                         L4_FpageLog2(L4_ROOT_UTCB_AREA, 12)) ||
        L4_Set_Priority(witness, PRIORITY_WITNESS) == L4_SCHEDULE_ERROR ||
        !task_start(witness, (L4_Word_t)(uintptr_t)witness_goes_on,
                    (L4_Word_t)(uintptr_t)&witness_stack[256])) {
        print("root: no other task: error %u\n", L4_ErrorCode());
    }
}

/* ---- a crash ---- */

/* The server's registers, from an exception's message. */
static void say_registers(L4_Word_t ip) {
    L4_Word_t w[L4_IA32_EXCEPTION_WORDS];
    L4_StoreMRs(1, L4_IA32_EXCEPTION_WORDS, w);
    print("root: eax %x ebx %x ecx %x edx %x\n", w[11], w[8], w[10], w[9]);
    print("root: esi %x edi %x ebp %x esp %x\n", w[5], w[4], w[6], w[7]);
    print("root: eip %x eflags %x\n", ip, w[1]);
}

/* A page fault tells an address and an IP. The others it has to tell itself: it is set to an
 * instruction that raises an exception. */
static void say_registers_at_fault(L4_ThreadId_t id, L4_Word_t ip) {
    L4_Word_t control, sp, old_ip, flags, handle;
    L4_ThreadId_t pager;
    (void)L4_ExchangeRegisters(id, CANCEL | SET_IP, 0, ROOT_TRAP, 0, 0, L4_nilthread, &control, &sp,
                               &old_ip, &flags, &handle, &pager);
    L4_MsgTag_t tag = L4_Receive(id);
    if (L4_Label(tag) != L4_LABEL_EXCEPTION) {
        (void)*(const volatile uint8_t *)trap; /* from sigma0 */
        (void)task_give(id, (L4_Word_t)(uintptr_t)trap, ROOT_TRAP, L4_ReadeXecOnly);
        tag = L4_Receive(id);
    }
    say_registers(ip);
}

/* The server does nothing more; its programs wait. */
static void after_crash(void) {
    if (witness.raw == 0) {
        print("root: there is no other task\n");
        end(STATUS_CRASHED);
    }
    L4_Word_t before = witness_count;
    L4_Sleep(L4_TimePeriod(100000));
    print("root: another task goes on, %u rounds in 100 ms\n", witness_count - before);
    end(STATUS_CRASHED);
}

/* ---- what the server asks ---- */

static void answer(L4_ThreadId_t to, L4_Word_t word) {
    L4_LoadMR(1, word);
    L4_LoadMR(0, L4_MakeMsgTag(0, 1, 0).raw);
    (void)L4_Send(to);
}

static L4_Word_t make_thread(const L4_Word_t words[4]) {
    L4_ThreadId_t id = L4_GlobalId(L4_ThreadNo(server) + words[0], 1);
    void *utcb = (void *)(uintptr_t)(ROOT_UTCBS + words[0] * L4_UTCB_SIZE);
    return L4_ThreadControl(id, server, L4_MyGlobalId(), L4_MyGlobalId(), utcb) &&
           L4_Set_Priority(id, words[3]) != L4_SCHEDULE_ERROR && task_start(id, words[1], words[2]);
}

static L4_Word_t make_program(L4_ThreadId_t id) {
    L4_Word_t old;
    if (!L4_ThreadControl(id, id, server, L4_nilthread, (void *)~(uintptr_t)0)) {
        return L4_ErrorCode();
    }
    if (L4_SpaceControl(id, 0, L4_FpageLog2(HOST_KIP, 12), L4_FpageLog2(HOST_UTCB, 12),
                        L4_nilthread, &old) &&
        L4_ThreadControl(id, id, server, server, (void *)(uintptr_t)HOST_UTCB)) {
        return 0;
    }
    return L4_ErrorCode();
}

static void serve(L4_ThreadId_t from, L4_Word_t label, const L4_Word_t words[4]) {
    L4_ThreadId_t id = {.raw = words[0]};
    switch (label) {
    case ROOT_THREAD:
        answer(from, make_thread(words));
        break;
    case ROOT_CREATE:
        answer(from, make_program(id));
        break;
    case ROOT_END:
        answer(from, L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread,
                                      (void *)~(uintptr_t)0));
        break;
    case ROOT_NUMBER:
        answer(from, task_set_number(id, words[1]));
        break;
    case ROOT_FIND_DEVICE:
        answer(from, probe_present());
        break;
    default:
        end(words[0]);
    }
}

/* ---- memory ---- */

static L4_Word_t memory_end(void) {
    L4_Word_t end_of_memory = 0;
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (!L4_IsMemoryDescVirtual(d) && L4_MemoryDescType(d) == L4_ConventionalMemoryType &&
            L4_MemoryDescHigh(d) + 1 > end_of_memory) {
            end_of_memory = L4_MemoryDescHigh(d) + 1;
        }
    }
    return end_of_memory;
}

/* A page of each part is mapped to where the next one takes its place. */
static void claim(L4_Word_t at, L4_Word_t end_of_it) {
    static uint8_t window[PAGE] __attribute__((aligned(4096)));
    L4_Fpage_t page = L4_FpageLog2((L4_Word_t)(uintptr_t)window, 12);
    L4_Word_t size;
    for (; at < end_of_it; at += size) {
        L4_Word_t log2_size = 22;
        while ((at & ((1u << log2_size) - 1)) != 0 || end_of_it - at < 1u << log2_size) {
            log2_size--;
        }
        /* The kernel's own pages are not to be had, nor a part that has some of them. */
        while (L4_IsNilFpage(
                   L4_Sigma0_GetPage_RcvWindow(L4_nilthread, L4_FpageLog2(at, log2_size), page)) &&
               log2_size > 12) {
            log2_size--;
        }
        size = 1u << log2_size;
    }
}

/* All memory is ours, or sigma0 would give what Linux has not touched yet to any program that asks;
 * and the frame buffer, and all ports. What the server needs comes page by page. */
static void claim_all(void) {
    L4_Word_t size, screen = screen_find(&size);
    claim(ROOT_DRIVER, memory_end());
    claim(screen, screen + size);
    (void)L4_Sigma0_GetPage(L4_nilthread, L4_IoFpageLog2(0, L4_IO_PORTS_LOG2));
}

/* The page of the frame buffer that has its place there. False: it has none. */
static bool show_screen(L4_ThreadId_t to, L4_Word_t page) {
    L4_Word_t size, screen = screen_find(&size), at = page - ROOT_SCREEN;
    if (at >= size || at >= ROOT_SCREEN_MAX) {
        return false;
    }
    (void)L4_Sigma0_GetPage_RcvWindow(L4_nilthread, L4_FpageLog2(screen + at, 12),
                                      L4_FpageLog2(page, 12));
    return task_give(to, page, page, L4_ReadWriteOnly);
}

/* All of memory from its image on is the server's, at its addresses, the probe's registers, and the
 * frame buffer. False: there is nothing there. */
static bool page_fault(L4_ThreadId_t from, L4_Word_t address) {
    L4_Word_t page = address & ~(PAGE - 1);
    if (L4_ThreadNo(from) == L4_ThreadNo(witness)) {
        return task_give(from, page, page, L4_FullyAccessible); /* of our program */
    }
    if (page == ROOT_DEVICE && probe_present()) {
        return task_give(from, PROBE_BASE_PA, page, L4_ReadWriteOnly);
    }
    if (show_screen(from, page)) {
        return true;
    }
    if (page < ROOT_SERVER || page >= memory_end()) {
        return false;
    }
    (void)*(const volatile char *)(uintptr_t)page; /* from sigma0 */
    return task_give(from, page, page, L4_FullyAccessible);
}

/* ---- */

/* Where a small server is: the first region (host/task.c has the others). */
static bool make_server_small(void) {
    return task_set_number(server, root_region_number(0, task_address_end()));
}

static bool start_server(void) {
    server = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + ROOT_MAIN, 1);
    return task_make_space(server, L4_FpageLog2(ROOT_KIP, 12),
                           L4_FpageLog2(ROOT_UTCBS, ROOT_UTCBS_LOG2)) &&
           (!is_asked_for(ROOT_SMALL) || make_server_small()) &&
           L4_Set_Priority(server, PRIORITY_SERVER) != L4_SCHEDULE_ERROR &&
           task_start(server, root_server_entry, 0);
}

/* Whose messages count: programs can send, too. */
static bool is_ours(L4_ThreadId_t from) {
    L4_Word_t n = L4_ThreadNo(from) - L4_ThreadNo(server);
    return n <= ROOT_SERVER_THREADS || L4_ThreadNo(from) == L4_ThreadNo(witness);
}

int main(void) {
    (void)probe_init();
    claim_all();
    if (is_asked_for(ROOT_WITNESS)) {
        start_witness();
    }
    if (!network_start()) {
        print("root: the network driver does not start: error %u\n", L4_ErrorCode());
    }
    if (!start_server()) {
        print("root: the server does not start: error %u\n", L4_ErrorCode());
        end(STATUS_CRASHED);
    }
    for (;;) {
        L4_ThreadId_t from;
        L4_MsgTag_t tag = L4_Wait(&from);
        L4_Word_t words[4], label = L4_Label(tag);
        L4_StoreMRs(1, 4, words);
        if (L4_IpcFailed(tag) || network_served(from, tag) || !is_ours(from)) {
            continue;
        }
        if (label >= ROOT_THREAD && label <= ROOT_EXIT) {
            serve(from, label, words);
        } else if (label == L4_LABEL_EXCEPTION) {
            print("\nroot: Linux crashed: exception %u, error %x\n", words[2], words[3]);
            say_registers(words[0]);
            after_crash();
        } else if (!page_fault(from, words[0])) {
            print("\nroot: Linux crashed: %s at %x\n",
                  (label & L4_Writable) != 0 ? "write" : "read", words[0]);
            say_registers_at_fault(from, words[1]);
            after_crash();
        }
    }
}
