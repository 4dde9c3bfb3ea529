/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this guest share: the record of registers, the memory map, how a case is run
 * and shown. README.md says what a line of the output means.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdint.h>
#include "state.h"

typedef uint32_t u32;
typedef uint64_t u64;

/* Modes, in the order in which cases go through them. */
enum { USR = 0x10, FIQ = 0x11, IRQ = 0x12, SVC = 0x13, ABT = 0x17, UND = 0x1b, SYS = 0x1f };
#define MODE_COUNT 7
extern const u32 modes[MODE_COUNT];
const char *mode_name(u32 mode);
#define MASKED 0xc0u /* CPSR.I and F */
#define BIT_I  0x80u
#define BIT_F  0x40u

/* Memory. Sections that map themselves: */
#define IMAGE     0xc0100000u /* this program: domain 0, privileged only */
#define TABLES    0xc0200000u /* page tables and the vector page: domain 0, uncached */
#define VECTORS   (TABLES + 0x10000u)
#define ARENA     0xc0300000u /* code of cases: domain 1, everybody */
#define LAUNCH    ARENA
#define BLOCK     (ARENA + 0x40u)
#define CODE      (ARENA + 0x100u) /* where a case starts */
#define RETURN    (CODE + 0x40u)   /* where returns go to: a SWI */
#define SCRATCH   (ARENA + 0x1000u)
#define TARGET_PA 0xc0400000u /* what the windows below show */
/* and windows: addresses whose mapping is the test. All other addresses are unmapped. */
#define SECTION_VA 0x20000000u
#define PAGES_VA   0x20100000u /* a page table of the test's own */
#define INVALID_VA 0x20300000u
/* Writable and uncached whatever the rest is: the arena and the target. */
#define ALIAS        0x70000000u
#define ALIAS_OF(pa) ((pa) - ARENA + ALIAS)

/* Domains: 0 and 1 stay open; tests use the others. */
#define DACR_BASE 0x5u
enum { NO_ACCESS = 0, CLIENT = 1, MANAGER = 3 };
#define DOMAIN(d, access) ((u32)(access) << (2 * (d)))

/* Descriptors. C and B: bits of `attributes`. */
#define CACHED 0xcu
u32 section(u32 pa, u32 domain, u32 ap, u32 attributes);
u32 large_page(u32 pa, u32 aps, u32 attributes);
u32 small_page(u32 pa, u32 aps, u32 attributes);
#define ALL(ap) ((u32)(ap) * 0x55u) /* the same permission for the four subpages */

void memory_init(void);
void memory_cached(void);                 /* from here on: caches on, arena and windows cacheable */
extern u32 window_attributes;             /* C and B of windows: 0, then CACHED */
void set_section(u32 va, u32 descriptor); /* first-level entry, 0 to unmap */
void set_pages(u32 domain);               /* PAGES_VA gets its page table, all entries invalid */
void set_page(u32 va, u32 descriptor);    /* an entry of it; large pages need set_large */
void set_large(u32 va, u32 descriptor);
void sync(void); /* after changes of tables or code */
void set_dacr(u32 dacr);
#define CONTROL_A 0x2u
#define CONTROL_S 0x100u
#define CONTROL_R 0x200u
#define CONTROL_V 0x2000u
void set_control(u32 set); /* the bits above, others as they are */
u32 get_control(void);
void set_pid(u32 pid);

/* A case: registers before, code, and which words of the result not to show. */
enum { W_FIQ = 15, W_SVC = 22, W_ABT = 24, W_UND = 26, W_IRQ = 28, W_SPSR = 30, W_PC = 35, W_CPSR };
struct result {
    u32 word[STATE_SIZE / 4];
    u32 vector, base;
    u32 fsr, far;
};
struct run {
    u32 word[STATE_SIZE / 4];
    u32 code[8];
    unsigned count;
    u64 ignore;
    struct result out;
};
enum { V_UNDEFINED = 1, V_SWI, V_PREFETCH, V_DATA, V_IRQ = 6, V_FIQ };

unsigned reg_word(u32 mode, unsigned reg);
unsigned spsr_word(u32 mode); /* 0 if it has none */
void prepare(struct run *run, u32 mode);
void add(struct run *run, u32 instruction);
void go(struct run *run);
void show(const struct run *run); /* ends the line that the caller began */

/* Encodings. */
#define SWI_END 0xef00beefu
u32 single(int load, int byte, int p, int up, int w, u32 rd, u32 rn, int by_register, u32 offset);
u32 half(int load, int kind, int p, int up, int w, u32 rd, u32 rn, int by_register, u32 offset);
u32 block(int load, int p, int up, int user, int w, u32 rn, u32 list);
u32 swap(int byte, u32 rd, u32 rm, u32 rn);
#define MOV_PC(rm)     (0xe1a0f000u | (rm))
#define MSR_CPSR_C(rm) (0xe121f000u | (rm))

void console_init(void);
void text(const char *string);
void hex(u32 value, unsigned digits);
void finish(void) __attribute__((noreturn));

/* The groups of cases. */
void entry_cases(void);
void abort_cases(void);
void permission_cases(void);
void fault_cases(void);
void return_cases(void);
void interrupt_cases(void);
void cp15_cases(void);

#endif
