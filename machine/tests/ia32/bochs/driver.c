// SPDX-License-Identifier: Apache-2.0
// Runs cases in Bochs: the protocol of `switchyard-machine vectors` (../README.md), for cases whose
// faults are delivered. ia32_bochs.py puts them into the ROM in front of this, and takes the
// answers out of memory. A case that shuts the processor down ends with a reset, after which the
// driver finds in its memory what it was about.
#include <stdint.h>

#define CASE_MAGIC   0x43565953u
#define ANSWER_MAGIC 0x41565953u
#define CASES        0xffe00000u
#define ANSWERS      0x01000000u
#define SHUTDOWN     0x100u
#define NO_CODE      0xffffffffu
#define FAR_JUMP     0xea

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP, EFLAGS, ES, CS, SS, DS, FS, GS, STATE_WORDS };

struct case_head {
    uint32_t magic, id, limit, end, stride;
    uint32_t state[STATE_WORDS];
    uint32_t control[3];
    uint32_t table, table_limit;
};

struct extent {
    uint32_t address, bytes;
};

struct table_register {
    uint16_t limit;
    uint32_t base;
} __attribute__((packed));

// Reset leaves these as they are.
static const struct case_head *running; // the case that has not come to its end
static const uint32_t *ranges;          // of that case: how many, and where
static uint32_t *answers;               // where the next answer goes

// Used by start.S.
uint32_t state[STATE_WORDS];
extern struct table_register case_table;
void enter_case(void);
void leave_case(void);
void run_cases(void);

static void copy(void *to, const void *from, uint32_t bytes) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static void put(const void *from, uint32_t bytes) {
    copy(answers, from, bytes);
    answers += bytes / sizeof(*answers);
}

static void put_word(uint32_t word) {
    put(&word, sizeof(word));
}

// Writes the answer to the case that runs, and lets go of it; the next case.
static const struct case_head *answer(int shut_down) {
    const uint32_t fault[] = {SHUTDOWN, NO_CODE, 0, 0};
    const uint32_t head[] = {ANSWER_MAGIC, running->id, 0};
    put(head, sizeof(head));
    put(state, sizeof(state));
    put_word(shut_down ? 1 : 0);
    if (shut_down) {
        put(fault, sizeof(fault));
    }
    const struct extent *range = (const void *)(ranges + 1);
    uint32_t total = 0;
    for (uint32_t i = 0; i < *ranges; i++) {
        total += range[i].bytes;
    }
    put_word(total);
    for (uint32_t i = 0; i < *ranges; i++) {
        put((const void *)range[i].address, range[i].bytes);
    }
    running = 0;
    return (const void *)(range + *ranges);
}

// Puts a case's blocks into memory, and at its end a jump back.
static void prepare(const struct case_head *next) {
    const uint32_t *word = (const uint32_t *)(next + 1);
    uint32_t blocks = *word++;
    for (uint32_t i = 0; i < blocks; i++) {
        const struct extent *block = (const void *)word;
        word += sizeof(*block) / sizeof(*word);
        copy((void *)block->address, word, block->bytes);
        word += block->bytes / sizeof(*word);
    }
    ranges = word;
    const uint16_t selector = (uint16_t)next->state[CS];
    const uint32_t back = (uint32_t)leave_case;
    uint8_t *end = (uint8_t *)next->end;
    *end = FAR_JUMP;
    copy(end + 1, &back, sizeof(back));
    copy(end + 1 + sizeof(back), &selector, sizeof(selector));
    copy(state, next->state, sizeof(state));
    case_table = (struct table_register){(uint16_t)next->table_limit, next->table};
}

// Called after reset, of the machine and of a case.
void run_cases(void) {
    const struct case_head *next = (const void *)CASES;
    if (running) {
        next = answer(1);
    } else {
        answers = (uint32_t *)ANSWERS;
    }
    while (next->magic == CASE_MAGIC) {
        prepare(next);
        running = next;
        __asm__ volatile("mov %0, %%cr0" : : "r"(running->control[0]));
        enter_case();
        state[EIP] = running->end;
        state[CS] = running->state[CS];
        next = answer(0);
    }
}
