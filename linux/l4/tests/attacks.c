/* SPDX-License-Identifier: GPL-2.0-only */
/* Attacks on Linux, the root task, sigma0 and other programs (hostile.c). */
#include <first_fpu_use.h>
#include <io_fpage.h>
#include <l4/l4.h>
#include <own_segment.h>
#include <probe.h>

#include "../host/host.h"
#include "../root-task/root.h"
#include "../root-task/screen.h"
#include "attacks.h"
#include "calls.h"

enum { PAGE = 4096, PATTERN = 0x5a17c0de };

/* ---- whom to attack ---- */

/* The root task has the number before the server's, whose other threads have those after it
 * (../root-task/root.h, ../host/internal.h); then programs', and the network driver's. */
static L4_ThreadId_t server, root, sigma0, timer, mapper, network, other, driver;

static L4_ThreadId_t after(L4_ThreadId_t id, unsigned n) {
    return L4_GlobalId(L4_ThreadNo(id) + n, 1);
}

void find_victims(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    server = L4_Pager();
    root = L4_RootServerId(kip);
    sigma0 = L4_Sigma0Id(kip);
    timer = after(server, 1);
    mapper = after(server, 2);
    network = after(server, 3);
    other = after(server, 1 + ROOT_SERVER_THREADS);
    driver = after(server, ROOT_DRIVER_THREAD - ROOT_MAIN);
}

/* A page of ours where others' pages may come. */
static L4_Word_t window[2 * PAGE / sizeof(L4_Word_t)] __attribute__((aligned(4096)));

/* Sends so many words that begin with these, and waits a moment for an answer. True: there is one
 * that maps something. */
static bool gives(L4_ThreadId_t to, L4_Word_t label, L4_Word_t count, L4_Word_t a, L4_Word_t b) {
    const L4_Word_t words[4] = {a, b, (L4_Word_t)window, 255};
    L4_ThreadId_t from;
    L4_Accept(L4_MapGrantItems(L4_CompleteAddressSpace));
    L4_LoadMRs(1, 4, words);
    L4_LoadMR(0, L4_MakeMsgTag(label, count, 0).raw);
    L4_MsgTag_t tag = L4_Ipc(to, to, L4_Timeouts(L4_ZeroTime, L4_TimePeriod(500)), &from);
    L4_Accept(L4_UntypedWordsAcceptor);
    L4_Word_t item[2];
    L4_StoreMRs(1, 2, item); /* sigma0 says "nothing" by an empty one */
    return L4_IpcSucceeded(tag) && L4_TypedWords(tag) != 0 && item[1] != L4_Nilpage.raw;
}

/* ---- attacks ---- */

#define INT80(name, before, after)                                                                 \
    static int name(int number, L4_Word_t a, L4_Word_t b, L4_Word_t c, L4_Word_t d) {              \
        int answer;                                                                                \
        __asm__ volatile(before "int $0x80\n" after                                                \
                         : "=a"(answer)                                                            \
                         : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d)                             \
                         : "edi", "memory");                                                       \
        return answer;                                                                             \
    }
/* With a stack where there can be none. */
INT80(call_at_0, "movl %%esp, %%edi\n xorl %%esp, %%esp\n", "movl %%edi, %%esp\n")
INT80(call_at_end, "movl %%esp, %%edi\n movl $-4, %%esp\n", "movl %%edi, %%esp\n")
INT80(call_in_kernel, "movl %%esp, %%edi\n movl $0xf0001000, %%esp\n", "movl %%edi, %%esp\n")
INT80(call_in_kip, "movl %%esp, %%edi\n movl $0x2800, %%esp\n", "movl %%edi, %%esp\n")
INT80(call_in_stub, "movl %%esp, %%edi\n movl $0x4003, %%esp\n", "movl %%edi, %%esp\n")

static int stacks(void) {
    int pid = call(NR_GETPID, 0, 0, 0, 0);
    return call_at_0(NR_GETPID, 0, 0, 0, 0) != pid || call_at_end(NR_GETPID, 0, 0, 0, 0) != pid ||
           call_in_kernel(NR_GETPID, 0, 0, 0, 0) != pid ||
           call_in_kip(NR_GETPID, 0, 0, 0, 0) != pid || call_in_stub(NR_GETPID, 0, 0, 0, 0) != pid;
}

#define INTERRUPT(n)                                                                               \
    static int interrupt_##n(void) {                                                               \
        __asm__ volatile("int $" #n);                                                              \
        return 1;                                                                                  \
    }
INTERRUPT(0)
INTERRUPT(2)
INTERRUPT(8)
INTERRUPT(14)
INTERRUPT(32)
INTERRUPT(129)
INTERRUPT(255)

/* The server takes messages from whom it lets run: all labels that mean something, with numbers
 * that might. */
static int false_messages(void) {
    static const L4_Word_t labels[] = {1,
                                       2,
                                       3,
                                       L4_LABEL_EXCEPTION,
                                       L4_LABEL_PAGEFAULT | L4_Readable,
                                       L4_LABEL_PAGEFAULT | L4_FullyAccessible,
                                       L4_LABEL_INTERRUPT,
                                       L4_LABEL_PREEMPTION};
    static const L4_Word_t addresses[] = {0,          0x2000,     0x4000,    0x5000,
                                          0x01140000, 0x0fffe000, 0xc0000000};
    for (unsigned l = 0; l < sizeof labels / sizeof labels[0]; l++) {
        for (unsigned a = 0; a < sizeof addresses / sizeof addresses[0]; a++) {
            for (L4_Word_t count = 0; count < 3; count++) {
                /* Without a wait for the answer, and with a short one. */
                L4_LoadMR(1, addresses[a]);
                L4_LoadMR(2, addresses[a]);
                L4_LoadMR(0, L4_MakeMsgTag(labels[l], count, 0).raw);
                (void)L4_Send_Timeout(server, L4_TimePeriod(500));
                if (gives(server, labels[l], count, addresses[a], addresses[a]) &&
                    addresses[a] != 0x2000 && addresses[a] != 0x4000 && addresses[a] != 0x5000) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* It is thought to have failed for good, and goes on. */
static int false_exception(void) {
    enum { PROTECTION = 13 };
    L4_LoadMR(3, PROTECTION);
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, L4_IA32_EXCEPTION_WORDS, 0).raw);
    (void)L4_Send(server);
    for (;;) {
    }
}

static int pages_for_the_server(void) {
    L4_Fpage_t page = L4_FpageAddRights(L4_FpageLog2((L4_Word_t)window, 12), L4_FullyAccessible);
    const L4_Word_t labels[] = {0, 1, L4_LABEL_EXCEPTION};
    L4_ThreadId_t to[] = {server, root, timer, mapper, sigma0, network, driver, other};
    window[0] = 1;
    for (unsigned i = 0; i < 3 * sizeof to / sizeof to[0]; i++) {
        L4_Msg_t msg;
        L4_MsgClear(&msg);
        L4_Set_MsgLabel(&msg, labels[i % 3]);
        L4_MsgAppendMapItem(&msg, L4_MapItem(page, 0x01140000));
        L4_MsgLoad(&msg);
        (void)L4_Send_Timeout(to[i / 3], L4_TimePeriod(500));
    }
    return 0;
}

/* The root task does for the server what takes privileges, and gives it memory. */
static int root_task(void) {
    const L4_Word_t addresses[] = {0,          ROOT_SCREEN, 0x00e10000, 0x00e30000,
                                   0x01140000, 0x02000000,  0x03f00000};
    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        if (gives(root, L4_LABEL_PAGEFAULT | L4_FullyAccessible, 2, addresses[i], 0)) {
            return 1;
        }
    }
    for (L4_Word_t label = 0x100; label <= 0x105; label++) {
        (void)gives(root, label, 4, other.raw, 0);
        (void)gives(root, label, 4, server.raw, 0);
    }
    (void)gives(root, L4_LABEL_EXCEPTION, 12, 0, 0);
    return 0;
}

/* What it refuses to a fault it says on the console, which takes longer than a tick of Linux'; a
 * program that waits in an IPC of its own then is made to do its last system call again. */
static int first_pager(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    for (L4_Word_t at = 0x01200000; at < 0x04000000; at += 0x00100000) {
        if (at < L4_BootInfo(kip) &&
            gives(sigma0, L4_LABEL_SIGMA0, 2, L4_FpageLog2(at, 12).raw | L4_FullyAccessible, 0)) {
            return 1;
        }
    }
    return gives(sigma0, L4_LABEL_SIGMA0, 2, L4_FpageLog2(PROBE_BASE_PA, 12).raw | 7, 0) ? 2
           : gives(sigma0, L4_LABEL_SIGMA0, 2, L4_IoFpageLog2(0x60, 3).raw, 0)           ? 3
           : gives(sigma0, L4_LABEL_IO_FAULT, 2, L4_IoFpageLog2(0x60, 3).raw, 0)         ? 4
                                                                                         : 0;
}

/* It comes by Linux alone: not from sigma0, by its protocol or as a page of a fault, nor from the
 * root task where that has it. */
static int frame_buffer(void) {
    L4_Word_t size, base = screen_find(&size);
    const L4_Word_t pages[] = {base, base + size / 2, base + size - PAGE};
    if (size == 0) {
        return 1;
    }
    for (unsigned i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (gives(sigma0, L4_LABEL_SIGMA0, 2, L4_FpageLog2(pages[i], 12).raw | 7, 0)) {
            return 2;
        }
    }
    return gives(sigma0, L4_LABEL_PAGEFAULT | L4_FullyAccessible, 2, base, 0)        ? 3
           : gives(root, L4_LABEL_PAGEFAULT | L4_FullyAccessible, 2, ROOT_SCREEN, 0) ? 4
                                                                                     : 0;
}

static int servers_threads(void) {
    return gives(mapper, 0, 2, 0x01200000, (L4_Word_t)window) || gives(timer, 0, 2, 0, 0) ||
           gives(mapper, L4_LABEL_PAGEFAULT, 2, 0x01200000, (L4_Word_t)window);
}

/* It answers the server alone: no address, no frame of others', and none is sent. Its second thread
 * takes interrupts, also one that is none. */
static int network_driver(void) {
    L4_ThreadId_t from;
    for (L4_Word_t label = 0x20; label <= 0x26; label++) {
        L4_LoadMR(1, 60);
        L4_LoadMR(0, L4_MakeMsgTag(label, 1, 0).raw);
        L4_MsgTag_t tag =
            L4_Ipc(driver, driver, L4_Timeouts(L4_ZeroTime, L4_TimePeriod(500)), &from);
        if (L4_IpcSucceeded(tag) || (L4_ErrorCode() & 1) == 0) {
            return 1; /* or it does not even listen */
        }
    }
    (void)gives(after(driver, 1), L4_LABEL_INTERRUPT, 0, 0, 0);
    return gives(network, 0, 2, 0x01200000, (L4_Word_t)window);
}

/* True: something has been done to it. */
static bool exchanges(L4_ThreadId_t id, L4_Word_t control) {
    L4_Word_t old_control, sp, ip, flags, handle;
    L4_ThreadId_t pager;
    return !L4_IsNilThread(L4_ExchangeRegisters(id, control, 0x1000, 0x1000, 0, 0, L4_MyGlobalId(),
                                                &old_control, &sp, &ip, &flags, &handle, &pager));
}

static int registers(void) {
    const L4_ThreadId_t ids[] = {server, root, sigma0, timer, mapper, network, driver, other};
    const L4_Word_t controls[] = {0, 0x1, 0x6, 0x18, 0x1fe};
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned c = 0; c < 5; c++) {
            if (exchanges(ids[i], controls[c])) {
                return 1;
            }
        }
    }
    return 0;
}

static int privileges(void) {
    const L4_Word_t attributes[4] = {0, 0, 0, 0};
    const L4_ThreadId_t ids[] = {
        server, root, sigma0, timer, other, L4_MyGlobalId(), after(server, 900)};
    L4_Word_t old;
    for (unsigned i = 0; i < 7; i++) {
        if (L4_ThreadControl(ids[i], L4_nilthread, L4_nilthread, L4_nilthread,
                             (void *)~(uintptr_t)0) != 0 ||
            L4_ThreadControl(ids[i], L4_MyGlobalId(), L4_MyGlobalId(), L4_MyGlobalId(),
                             (void *)0x3200) != 0 ||
            L4_SpaceControl(ids[i], ~0u, L4_FpageLog2(0x2000, 12), L4_FpageLog2(0x3000, 12),
                            L4_MyGlobalId(), &old) != 0) {
            return 1;
        }
    }
    L4_LoadMR(0, L4_FpageLog2(0x01140000, 12).raw);
    return L4_MemoryControl(0, attributes) != 0 || L4_ProcessorControl(0, 1, 1, 1) != 0;
}

static int priorities(void) {
    const L4_ThreadId_t ids[] = {server, root, sigma0, timer, other, L4_MyGlobalId()};
    for (unsigned i = 0; i < 6; i++) {
        L4_Word_t old;
        if (L4_Schedule(ids[i], ~0u, ~0u, 255, ~0u, &old) != 0) {
            return 1;
        }
        L4_ThreadSwitch(ids[i]);
    }
    return 0;
}

/* All that it has, and the pages that are not Linux'. */
static int unmaps(void) {
    int pid = call(NR_GETPID, 0, 0, 0, 0);
    for (L4_Word_t at = 0x1000; at < 0x8000; at += PAGE) {
        (void)L4_Flush(L4_FpageAddRights(L4_FpageLog2(at, 12), L4_FullyAccessible));
        if (call(NR_GETPID, 0, 0, 0, 0) != pid) {
            return 1;
        }
    }
    (void)L4_Flush(L4_FpageAddRights(L4_CompleteAddressSpace, L4_FullyAccessible));
    return call(NR_GETPID, 0, 0, 0, 0) != pid;
}

static int own_handlers(void) {
    L4_Set_ExceptionHandler(L4_MyGlobalId());
    __asm__ volatile("ud2");
    return 1;
}

static int no_handler(void) {
    L4_Set_ExceptionHandler(L4_nilthread);
    __asm__ volatile("ud2");
    return 1;
}

static int roots_exception(void) {
    L4_Set_ExceptionHandler(root);
    __asm__ volatile("ud2");
    return 1;
}

static int roots_fault(void) {
    L4_Set_Pager(root);
    return *(volatile L4_Word_t *)0x01140000 != 0;
}

static int sigma0s_fault(void) {
    L4_Set_Pager(sigma0);
    return *(volatile L4_Word_t *)0x03000000 != 0;
}

/* The handler of its system calls is where there is nothing, or not its own. */
static int handler_of_calls(void) {
    L4_MyUtcb()->arch[0] = 0xfffffff0;
    (void)call(NR_GETPID, 0, 0, 0, 0);
    return 1;
}

static int halts(void) {
    (void)exchanges(L4_MyLocalId(), 0x101);
    return 1;
}

static int waits(void) {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    return 1;
}

static int waits_in_steps(void) {
    L4_Set_ExceptionHandler(L4_nilthread);
    __asm__ volatile("pushfl\n orl $0x100, (%esp)\n popfl\n nop");
    return 1;
}

/* No selector lets it out of its space, whichever it may load. */
static int selectors(void) {
    int pid = call(NR_GETPID, 0, 0, 0, 0), child, status;
    for (unsigned selector = 0; selector < 0x80; selector += 4) {
        child = fork();
        if (child == 0) {
            __asm__ volatile("movw %w0, %%es\n movw %w0, %%fs\n movw %w0, %%gs"
                             :
                             : "r"(selector | 3));
            __asm__ volatile("movl %%es:(%1), %0\n movl %%fs:(%1), %0\n movl %%gs:(%1), %0"
                             : "=r"(status)
                             : "r"(0xf0000000));
            end(1);
        }
        (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
        if ((status & 0x7f) != SIGSEGV) {
            return 1;
        }
    }
    return call(NR_GETPID, 0, 0, 0, 0) != pid;
}

static int flags(void) {
    const L4_Word_t all[] = {0x3000, 0x4000, 0x20000, 0x40000, 0x80000, 0x100000, 0x400, 0x200};
    int pid = call(NR_GETPID, 0, 0, 0, 0);
    for (unsigned i = 0; i < 8; i++) {
        int same;
        __asm__ volatile("pushfl\n movl (%%esp), %%edi\n xorl %2, %%edi\n pushl %%edi\n popfl\n"
                         "int $0x80\n popfl"
                         : "=a"(same)
                         : "a"(NR_GETPID), "r"(all[i])
                         : "edi", "memory");
        if (same != pid) {
            return 1;
        }
    }
    return 0;
}

/* The microkernel lets it use the unit without a word to Linux: then Linux knows of nothing. */
static int floating_point(void) {
    int status, child;
    L4_IA32_Set_FirstFpuUseRaises(false);
    __asm__ volatile("fninit\n fld1\n fldz\n fdivrp");
    child = fork();
    if (child == 0) {
        __asm__ volatile("fnstcw -2(%%esp)" : : : "memory");
        L4_IA32_Set_FirstFpuUseRaises(true);
        (void)call(NR_KILL, (L4_Word_t)call(NR_GETPID, 0, 0, 0, 0), SIGKILL, 0, 0);
    }
    return call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0) != child;
}

/* Returns from a handler with a frame of its own making, whose floating-point registers are longer
 * than there is room for: what lies after them is Linux'. */
static int long_frame(void) {
    enum { FPSTATE = 19, CONTEXT = 22 };
    static L4_Word_t words[PAGE / sizeof(L4_Word_t)], context[CONTEXT];
    int status, child = fork();
    if (child == 0) {
        for (L4_Word_t i = 0; i < PAGE / sizeof(L4_Word_t); i++) {
            words[i] = 0x0000dead;
        }
        context[FPSTATE] = (L4_Word_t)words;
        __asm__ volatile("movl %0, %%esp\n movl $119, %%eax\n int $0x80" : : "r"(context));
    }
    sleep_ms(1);
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    return (status & 0x7f) != SIGSEGV;
}

/* The same of what Linux writes there for a handler: on a stack of known words. */
enum { FRAME_PLACE = 512, FRAME_WORDS = 1024, UNTOUCHED = 0x5a5a5a5a };
static L4_Word_t frame_stack[FRAME_WORDS];

/* (A handler gets a `struct sigcontext` after the signal's number; its word 19 is `fpstate`.) */
void frame_entry(void);
__asm__("frame_entry: pushl 8+4*19(%esp)\n call look_after_frame\n");

__attribute__((used)) static void look_after_frame(L4_Word_t fpstate) {
    L4_Word_t *after = (L4_Word_t *)(fpstate + FRAME_PLACE);
    end(after < frame_stack || after >= frame_stack + FRAME_WORDS || *after != UNTOUCHED);
}

static int frame_tells(void) {
    int status, child = fork();
    if (child == 0) {
        for (L4_Word_t i = 0; i < FRAME_WORDS; i++) {
            frame_stack[i] = UNTOUCHED;
        }
        (void)call(NR_SIGNAL, SIGSEGV, (L4_Word_t)frame_entry, 0, 0);
        __asm__ volatile("movl %0, %%esp\n movl %%eax, 8" : : "r"(frame_stack + FRAME_WORDS));
    }
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    return status;
}

static int segments_of_own(void) {
    const L4_Word_t bases[] = {0, 0x01140000, 0x0ffffffc, 0x7fffffff, 0xc0000000, 0xf0000000, ~0u};
    for (unsigned i = 0; i < 7; i++) {
        int status, child = fork();
        if (child == 0) {
            if (L4_IA32_SetOwnSegment(bases[i]) != 0) {
                __asm__ volatile("movl %%gs:(%1), %0\n movl %%gs:0x10000000(%1), %0"
                                 : "=r"(status)
                                 : "r"(0xf0000000 - bases[i]));
                end(1);
            }
            end(0);
        }
        (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
        if (status != 0 && (status & 0x7f) != SIGSEGV) {
            return 1;
        }
    }
    return 0;
}

/* A debugger reads and writes what its program has, and no more. */
static int debugger(void) {
    enum { PEEK = 1, POKE = 4, SETREGS = 13, GETREGS = 12, ATTACH = 16, DETACH = 17 };
    const L4_Word_t addresses[] = {0x2000,     0x3000,     0x4000,    0x5000,
                                   0x01140000, 0xc0000000, 0xf0000000};
    L4_Word_t words[17];
    int status, child = fork();
    if (child == 0) {
        for (;;) {
            sleep_ms(1);
        }
    }
    if (call(NR_PTRACE, ATTACH, (L4_Word_t)child, 0, 0) != 0) {
        return 1;
    }
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    for (unsigned i = 0; i < 7; i++) {
        L4_Word_t word = 0;
        if (call(NR_PTRACE, PEEK, (L4_Word_t)child, addresses[i], (L4_Word_t)&word) == 0 ||
            call(NR_PTRACE, POKE, (L4_Word_t)child, addresses[i], 0x90909090) == 0) {
            return 2;
        }
    }
    /* Flags and an address of the kernel's. */
    (void)call(NR_PTRACE, GETREGS, (L4_Word_t)child, 0, (L4_Word_t)words);
    words[12] = 0xf0001000;
    words[14] |= 0x27100;
    (void)call(NR_PTRACE, SETREGS, (L4_Word_t)child, 0, (L4_Word_t)words);
    (void)call(NR_PTRACE, DETACH, (L4_Word_t)child, 0, 0);
    (void)call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0);
    return (status & 0x7f) == SIGSEGV || (status & 0x7f) == SIGTRAP ? 0 : 3;
}

/* Two programs that work together: one would give the other a page of its own, which that could
 * keep when Linux thinks that nobody has it. They never meet: while one runs, all others wait for
 * Linux. */
static int gifts(void) {
    int ids[2], status, child;
    (void)call(NR_PIPE, (L4_Word_t)ids, 0, 0, 0);
    child = fork();
    if (child == 0) {
        L4_ThreadId_t me = L4_MyGlobalId(), from;
        (void)call(NR_WRITE, (L4_Word_t)ids[1], (L4_Word_t)&me, sizeof me, 0);
        window[0] = 0;
        for (unsigned i = 0; i < 8; i++) {
            L4_Accept(L4_MapGrantItems(L4_FpageLog2((L4_Word_t)window, 12)));
            (void)L4_Wait_Timeout(L4_TimePeriod(2000), &from);
        }
        end(*(volatile L4_Word_t *)window == PATTERN);
    }
    if (fork() == 0) {
        L4_Fpage_t page = L4_FpageAddRights(L4_FpageLog2((L4_Word_t)window, 12), L4_Readable);
        L4_ThreadId_t to;
        (void)call(NR_READ, (L4_Word_t)ids[0], (L4_Word_t)&to, sizeof to, 0);
        window[0] = PATTERN;
        for (unsigned i = 0; i < 8; i++) {
            L4_Msg_t msg;
            L4_MsgClear(&msg);
            L4_MsgAppendMapItem(&msg, L4_MapItem(page, (L4_Word_t)window));
            L4_MsgLoad(&msg);
            (void)L4_Send_Timeout(to, L4_TimePeriod(2000));
        }
        end(0);
    }
    return call(NR_WAITPID, (L4_Word_t)child, (L4_Word_t)&status, 0, 0) != child || status != 0;
}
const struct attack attacks[] = {
    {"stacks of system calls", stacks, 0},
    {"INT 0", interrupt_0, SIGSEGV},
    {"INT 2", interrupt_2, SIGSEGV},
    {"INT 8", interrupt_8, SIGSEGV},
    {"INT 14", interrupt_14, SIGSEGV},
    {"INT 32", interrupt_32, SIGSEGV},
    {"INT 129", interrupt_129, SIGSEGV},
    {"INT 255", interrupt_255, SIGSEGV},
    {"false messages", false_messages, SIGSEGV},
    {"a false exception", false_exception, SIGSEGV},
    {"pages for others", pages_for_the_server, SIGSEGV},
    {"the root task's work", root_task, 0},
    {"sigma0's memory and ports", first_pager, 0},
    {"the frame buffer", frame_buffer, 0},
    {"the server's other threads", servers_threads, 0},
    {"the network driver", network_driver, 0},
    {"registers of others", registers, 0},
    {"privileged calls", privileges, 0},
    {"priorities", priorities, 0},
    {"unmapping", unmaps, 0},
    {"itself as handler of exceptions", own_handlers, SIGKILL},
    {"no handler of exceptions", no_handler, SIGKILL},
    {"the root task as handler of exceptions", roots_exception, SIGKILL},
    {"the root task as pager", roots_fault, SIGKILL},
    {"sigma0 as pager", sigma0s_fault, SIGKILL},
    {"a handler of calls that is nowhere", handler_of_calls, SIGSEGV},
    {"a halt", halts, SIGKILL},
    {"a wait for anybody", waits, SIGKILL},
    {"steps without a handler", waits_in_steps, SIGKILL},
    {"selectors", selectors, 0},
    {"flags", flags, 0},
    {"floating point without a word", floating_point, 0},
    {"a frame that is too long", long_frame, 0},
    {"what a frame tells", frame_tells, 0},
    {"segments of its own", segments_of_own, 0},
    {"a debugger", debugger, 0},
    {"gifts of pages", gifts, 0},
};

const unsigned attack_count = sizeof attacks / sizeof attacks[0];
