// SPDX-License-Identifier: Apache-2.0
// The host's own processor under the protocol of `switchyard-machine vectors` (README.md). Started
// and compiled by ia32_silicon.py.
//
// Runs on x86-64 Linux. A case's memory lies at MEMORY, and every descriptor's base is moved by
// that, so that offsets are the same as on a machine whose memory begins at 0. The case's table
// becomes the LDT. A stub enters its 32-bit code; an exception leaves it, as a signal. INT3 ends
// the case. With paging, each page must be mapped where it is or not at all: its rights become
// those of the host's page.
//
// The signal's handler runs with FS as the case left it, and the C library's thread data is after
// FS: so the handler calls nothing, and is compiled without a stack protector (and without a red
// zone, as it changes EFLAGS).
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <asm/prctl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define CASE_MAGIC   0x43565953u
#define ANSWER_MAGIC 0x41565953u
#define MEMORY       0x10000000u
#define MEMORY_BYTES 0x00400000u
#define PAGE_BYTES   0x1000u
#define PAGES        (MEMORY_BYTES / PAGE_BYTES)
#define PAGE_PRESENT 1u
#define PAGE_WRITE   2u
#define CR0_PG       0x80000000u
#define STUB         0x0f000000
#define STUB_CONTEXT 0x0f000800
#define USER32_CS    0x23
#define USER_CS      0x33
#define USER_SS      0x2b
#define INT3         0xcc
#define MOST_ENTRIES 64
#define MOST_RANGES  64
#define MOST_FAULTS  65536
#define SECONDS      120
#define NO_CODE      0xffffffffu
#define AC           0x40000u
#define RF           0x10000u
#define FIXED_FLAGS  2u
#define CALLED_BADLY 2
#define LOST         3
#define STRING(x)    STRING_OF(x)
#define STRING_OF(x) #x
#define BIT(n)       (1u << (n))

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP, EFLAGS, ES, CS, SS, DS, FS, GS, STATE_WORDS };
enum { BREAKPOINT = 3, OVERFLOW = 4, PROTECTION = 13, PAGE_FAULT = 14 };

struct case_head {
    uint32_t magic, id, limit, end, stride;
    uint32_t state[STATE_WORDS];
    uint32_t control[3];
    uint32_t table, table_limit;
};

struct extent {
    uint32_t address, bytes;
};

struct fault {
    uint32_t vector, code, cr2, eip;
};

// What the stub loads, in its order.
struct stub_context {
    uint32_t eflags;
    uint32_t edi, esi, ebp, unused, ebx, edx, ecx, eax;
    uint32_t es, ds, fs, gs;
    uint32_t esp, ss;
    uint32_t eip, cs;
};
_Static_assert(offsetof(struct stub_context, es) == 36, "the stub has this number");
_Static_assert(offsetof(struct stub_context, esp) == 52, "the stub has this number");
_Static_assert(offsetof(struct stub_context, eip) == 60, "the stub has this number");

// Named by the assembly.
uint64_t saved_stack, thread_data;
void enter_case(void);
extern const char leave_case[], stub[], stub_end[];

// enter_case returns when the handler has gone to leave_case. LSS and not the return from a signal
// loads SS and ESP: it loads all of ESP, whatever the size of the stack.
__asm__(
    ".text\n"
    ".globl enter_case, leave_case, stub, stub_end\n"
    "enter_case:\n"
    "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
    "    mov %rsp, saved_stack(%rip)\n"
    "    pushq $" STRING(
        USER32_CS) "\n"
                   "    pushq $" STRING(
                       STUB) "\n"
                             "    lretq\n"
                             "leave_case:\n"
                             "    pushq $2\n    popfq\n"
                             "    fninit\n"
                             "    mov $158, %eax\n" // arch_prctl(ARCH_SET_FS, thread_data)
                             "    mov $0x1002, %edi\n"
                             "    mov thread_data(%rip), %rsi\n"
                             "    syscall\n"
                             "    xor %eax, %eax\n"
                             "    mov %eax, %ds\n    mov %eax, %es\n    mov %eax, %gs\n"
                             "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop "
                             "%rbp\n    pop %rbx\n"
                             "    ret\n"
                             ".code32\n"
                             "stub:\n"
                             "    mov $" STRING(
                                 STUB_CONTEXT) ", %esp\n"
                                               "    popf\n"
                                               "    popa\n"
                                               "    mov %cs:" STRING(
                                                   STUB_CONTEXT) "+36, %es\n"
                                                                 "    mov %cs:" STRING(
                                                                     STUB_CONTEXT) "+40, %ds\n"
                                                                                   "    mov "
                                                                                   "%cs:" STRING(
                                                                                       STUB_CONTEXT) "+44, %fs\n"
                                                                                                     "    mov %cs:" STRING(
                                                                                                         STUB_CONTEXT) "+48, %gs\n"
                                                                                                                       "    lss %cs:" STRING(
                                                                                                                           STUB_CONTEXT) "+52, %esp\n"
                                                                                                                                         "    ljmp *%cs:" STRING(
                                                                                                                                             STUB_CONTEXT) "+60\n"
                                                                                                                                                           "stub_end:\n"
                                                                                                                                                           ".code64\n");

static struct case_head the_case;
static uint32_t state[STATE_WORDS];
static struct fault faults[MOST_FAULTS];
static uint32_t fault_count;

static void fail(const char *what) {
    fprintf(stderr, "ia32_silicon: %s\n", what);
    exit(CALLED_BADLY);
}

// ---- in the handler --------------------------------------------------------------------------

static void exit_from_handler(void) {
    __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(LOST) : "rcx", "r11", "memory");
}

static void record_state(const greg_t *r, uint32_t eip) {
    static const int registers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX,
                                    REG_RSP, REG_RBP, REG_RSI, REG_RDI};
    for (int i = 0; i < 8; i++) {
        state[i] = (uint32_t)r[registers[i]];
    }
    state[EIP] = eip;
    state[EFLAGS] = (uint32_t)r[REG_EFL] & ~RF;
    state[CS] = (uint16_t)r[REG_CSGSFS];
    state[SS] = (uint16_t)((uint64_t)r[REG_CSGSFS] >> 48);
    __asm__ volatile("mov %%es, %0" : "=r"(state[ES]));
    __asm__ volatile("mov %%ds, %0" : "=r"(state[DS]));
    __asm__ volatile("mov %%fs, %0" : "=r"(state[FS]));
    __asm__ volatile("mov %%gs, %0" : "=r"(state[GS]));
}

// Notes the exception; whether the case goes on, and where.
static int record_fault(greg_t *r, uint32_t *eip) {
    static const uint32_t with_code =
        BIT(8) | BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14) | BIT(17);
    uint32_t vector = (uint32_t)r[REG_TRAPNO];
    uint32_t code = with_code & BIT(vector) ? (uint32_t)r[REG_ERR] : NO_CODE;
    if (vector == BREAKPOINT) {
        *eip -= 1;
        return 0;
    }
    if (*eip == the_case.end || fault_count == MOST_FAULTS) {
        return 0;
    }
    if (vector == OVERFLOW) {
        // As without a gate for INTO: other processors of this protocol have none.
        vector = PROTECTION;
        code = OVERFLOW << 3 | 2;
        *eip -= 1;
    }
    uint32_t cr2 = vector == PAGE_FAULT ? (uint32_t)r[REG_CR2] - MEMORY : 0;
    faults[fault_count++] = (struct fault){vector, code, cr2, *eip};
    if (the_case.stride == 0) {
        return 0;
    }
    *eip = (*eip / the_case.stride + 1) * the_case.stride;
    r[REG_CSGSFS] = (greg_t)(((uint64_t)r[REG_CSGSFS] & ~(uint64_t)0xffff) | the_case.state[CS]);
    return *eip != the_case.end;
}

static void on_exception(int number, siginfo_t *info, void *context) {
    // No alignment checks here; the other flags come back from those of the handler.
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(uint64_t)AC);
    (void)number, (void)info;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint16_t cs = (uint16_t)r[REG_CSGSFS];
    if ((cs & 4) == 0) {
        exit_from_handler();
    }
    uint32_t eip = (uint32_t)r[REG_RIP];
    if (record_fault(r, &eip)) {
        r[REG_RIP] = eip;
        return;
    }
    record_state(r, eip);
    r[REG_RIP] = (greg_t)leave_case;
    r[REG_RSP] = (greg_t)saved_stack;
    r[REG_EFL] = FIXED_FLAGS;
    r[REG_CSGSFS] = (greg_t)((uint64_t)USER_SS << 48 | USER_CS);
}

// ---- preparation -----------------------------------------------------------------------------

// Code of 32 bits may be anything, so none of its system calls is let through.
static void forbid_its_system_calls(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        fail("the host has no seccomp");
    }
}

static void map(uint32_t address, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
    void *at = (void *)(uintptr_t)address;
    if (mmap(at, bytes, rights, flags, -1, 0) != at) {
        fail("the host gives no memory that code may be written to");
    }
}

static void prepare(void) {
    static char stack[1 << 16];
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    map(MEMORY, MEMORY_BYTES);
    map(STUB, 0x1000);
    memcpy((void *)STUB, stub, (size_t)(stub_end - stub));
    syscall(SYS_arch_prctl, ARCH_GET_FS, &thread_data);
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_sigaction = on_exception,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        sigaction(signals[i], &action, NULL);
    }
    forbid_its_system_calls();
    // Of processor time: how long the host lets us wait says nothing.
    const struct rlimit limit = {SECONDS, SECONDS};
    setrlimit(RLIMIT_CPU, &limit);
}

// A descriptor as modify_ldt wants it. All are accessed and of level 3.
static struct user_desc described(unsigned int number, uint32_t low, uint32_t high) {
    struct user_desc out = {.entry_number = number, .read_exec_only = 1, .seg_not_present = 1};
    if ((high & 1 << 12) == 0) {
        return out;
    }
    out.base_addr = (low >> 16 | (high & 0xff) << 16 | (high & 0xff000000)) + MEMORY;
    out.limit = (low & 0xffff) | (high & 0xf0000);
    out.contents = high >> 10 & 3;
    out.read_exec_only = (high >> 9 & 1) == 0;
    out.seg_not_present = (high >> 15 & 1) == 0;
    out.useable = high >> 20 & 1;
    out.seg_32bit = high >> 22 & 1;
    out.limit_in_pages = high >> 23 & 1;
    return out;
}

static void write_ldt(void) {
    static uint32_t written[MOST_ENTRIES][2];
    static unsigned int count;
    const uint32_t (*table)[2] = (const void *)(uintptr_t)(MEMORY + the_case.table);
    unsigned int entries = (the_case.table_limit + 1) / 8;
    if (entries > MOST_ENTRIES || entries < count) {
        fail("a table of this length cannot be the LDT");
    }
    for (unsigned int i = 0; i < entries; i++) {
        if (i < count && memcmp(written[i], table[i], sizeof(written[i])) == 0) {
            continue;
        }
        struct user_desc entry = described(i, table[i][0], table[i][1]);
        if (syscall(SYS_modify_ldt, 0x11, &entry, sizeof(entry)) != 0) {
            fail("the host refuses a descriptor");
        }
        memcpy(written[i], table[i], sizeof(written[i]));
    }
    count = entries;
}

static void *place(struct extent where) {
    if (where.address > MEMORY_BYTES || where.bytes > MEMORY_BYTES - where.address) {
        fail("a block or range lies outside memory");
    }
    return (void *)(uintptr_t)(MEMORY + where.address);
}

// Whether pages are as the tables of the case before have them.
static int protected;

static void protect(uint32_t page, uint32_t count, int rights) {
    if (mprotect(place((struct extent){page * PAGE_BYTES, count * PAGE_BYTES}), count * PAGE_BYTES,
                 rights) != 0) {
        fail("the host does not change the rights of a page");
    }
}

// All of memory can be accessed.
static void unprotect(void) {
    if (protected) {
        protect(0, PAGES, PROT_READ | PROT_WRITE | PROT_EXEC);
        protected = 0;
    }
}

// Gives pages the rights that the case's tables have, both levels of them.
static void protect_pages(void) {
    if ((the_case.control[0] & CR0_PG) == 0) {
        return;
    }
    static uint8_t wanted[PAGES];
    const uint32_t *directory = place((struct extent){the_case.control[1], PAGE_BYTES});
    const uint32_t *table = place((struct extent){directory[0] & -PAGE_BYTES, PAGE_BYTES});
    for (uint32_t page = 0; page < PAGES; page++) {
        uint32_t entry = table[page];
        if ((entry & PAGE_PRESENT) != 0 && entry / PAGE_BYTES != page) {
            fail("a page is not mapped where it is");
        }
        // A page that was never touched would be one without an error code's lowest bit.
        (void)*(volatile uint8_t *)place((struct extent){page * PAGE_BYTES, 1});
        wanted[page] = entry & directory[0] & (PAGE_PRESENT | PAGE_WRITE);
    }
    for (uint32_t page = 0, count; page < PAGES; page += count) {
        for (count = 1; page + count < PAGES && wanted[page + count] == wanted[page]; count++) {
        }
        if (wanted[page] != (PAGE_PRESENT | PAGE_WRITE)) {
            int present = (wanted[page] & PAGE_PRESENT) != 0;
            protect(page, count, present ? PROT_READ | PROT_EXEC : PROT_NONE);
            protected = 1;
        }
    }
}

static void get(void *to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes) {
        fail("the input ends inside a case");
    }
}

static void put(const void *from, size_t bytes) {
    if (fwrite(from, 1, bytes, stdout) != bytes) {
        fail("the answer cannot be written");
    }
}

// ---- cases -----------------------------------------------------------------------------------

static void run(void) {
    const uint32_t *s = the_case.state;
    *(struct stub_context *)STUB_CONTEXT = (struct stub_context){
        .eflags = s[EFLAGS],
        .edi = s[EDI],
        .esi = s[ESI],
        .ebp = s[EBP],
        .ebx = s[EBX],
        .edx = s[EDX],
        .ecx = s[ECX],
        .eax = s[EAX],
        .es = s[ES],
        .ds = s[DS],
        .fs = s[FS],
        .gs = s[GS],
        .esp = s[ESP],
        .ss = s[SS],
        .eip = s[EIP],
        .cs = s[CS],
    };
    volatile uint8_t *end = place((struct extent){the_case.end, 1});
    uint8_t before = *end;
    *end = INT3;
    fault_count = 0;
    protect_pages();
    enter_case();
    unprotect();
    *end = before;
}

static int answer(void) {
    static struct extent ranges[MOST_RANGES];
    size_t got = fread(&the_case, 1, sizeof(the_case), stdin);
    if (got == 0) {
        return 0;
    }
    if (got != sizeof(the_case) || the_case.magic != CASE_MAGIC) {
        fail("what is read is no case");
    }
    uint32_t blocks, count, total = 0;
    get(&blocks, sizeof(blocks));
    for (uint32_t i = 0; i < blocks; i++) {
        struct extent block;
        get(&block, sizeof(block));
        get(place(block), block.bytes);
    }
    get(&count, sizeof(count));
    if (count > MOST_RANGES) {
        fail("a case has too many ranges");
    }
    get(ranges, count * sizeof(ranges[0]));
    place((struct extent){the_case.table, the_case.table_limit + 1});
    write_ldt();
    run();
    const uint32_t head[] = {ANSWER_MAGIC, the_case.id, 0};
    put(head, sizeof(head));
    put(state, sizeof(state));
    put(&fault_count, sizeof(fault_count));
    put(faults, fault_count * sizeof(faults[0]));
    for (uint32_t i = 0; i < count; i++) {
        total += ranges[i].bytes;
    }
    put(&total, sizeof(total));
    for (uint32_t i = 0; i < count; i++) {
        put(place(ranges[i]), ranges[i].bytes);
    }
    return 1;
}

int main(void) {
    prepare();
    while (answer()) {
    }
    return fflush(stdout) == 0 ? 0 : CALLED_BADLY;
}
