/* SPDX-License-Identifier: Apache-2.0 */
/*
 * I/O fpages: ports are asked for, mapped, granted, taken away, and are nobody else's. Children use
 * the bytes of the clock's memory (MC146818), through ports 70h and 71h.
 */
#include <io_fpage.h>

#include "child_code.h"
#include "ports.h"

#define BEYOND     0x00400000u /* what a small space of the least size has: a limit */
#define BYTE       0x50        /* of the clock's memory, which nobody uses */
#define PROTECTION 13u

#define KERNELS_PORT 0x20u
#define FREE_PORTS   L4_IoFpageLog2(0x2c2, 1) /* nobody's but the child's that asks for them */
#define PAGE_PORT    0x81u                    /* a DMA page register, which nobody uses */

#define CLOCK_PORTS L4_IoFpageLog2(CLOCK_INDEX, 1)

static L4_Fpage_t with_rights(L4_Fpage_t f) {
    return L4_FpageAddRights(f, L4_FullyAccessible);
}

/* mov $BYTE, %al; out %al, $0x70; xor %eax, %eax; in $0x71, %al */
#define READ_BYTE     0xb0, BYTE, 0xe6, CLOCK_INDEX, 0x31, 0xc0, 0xe4, CLOCK_DATA
#define IN_BYTE(port) 0x31, 0xc0, 0xe4, port

/* The first and the last of console, timer, both interrupt controllers and their triggers. */
static const L4_Word_t kernels_ports[] = {0x3f8, 0x3ff, 0x40, 0x43,  0x20,
                                          0x21,  0xa0,  0xa1, 0x4d0, 0x4d1};

/* From the middle to both ends of all, where nobody answers. */
static const L4_Word_t far_ports[] = {0x281, 0x2f1, 0x2a1, 0x1e1, LAST_PORT, 0xe1};

static struct outcome in_byte(struct task *child, L4_Word_t port) {
    return EXECUTE(child, 0x66, 0xba, (uint8_t)port, (uint8_t)(port >> 8), 0xec);
}

/* The answer to a child's fault, or the message that it waits for: these ports, of ours. */
static bool answer(struct task *child, L4_Fpage_t ports) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(ports, 0));
    L4_MsgLoad(&msg);
    TRY(error_of(L4_Send_Timeout(child->id, PATIENCE)) == 0);
    return true;
}

static bool give(struct task *child, L4_Fpage_t ports) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(ports, 0));
    return child_map(child, &msg);
}

static bool asks_for(const struct outcome *o, L4_Fpage_t ports) {
    TRY(o->kind == OUTCOME_PORTS);
    if (o->words[0] != ports.raw) {
        test_fail(__FILE_NAME__, __LINE__, "the ports that it asks for", o->words[0], ports.raw);
        return false;
    }
    return true;
}

/* The ports, as we use them: they come from sigma0. */
static bool have_ports(L4_Word8_t value) {
    clock_write(BYTE, value);
    TRY(clock_read(BYTE) == value);
    return true;
}

static bool reads(struct task *child, L4_Word_t value) {
    struct outcome o = EXECUTE(child, READ_BYTE);
    TRY(o.kind == OUTCOME_DONE);
    TRY(o.words[0] == value);
    return true;
}

/* A port that a child has not is asked of its pager, whose answer lets it go on. */
static void asked_of_the_pager(void) {
    struct task *child = child_new();
    CHECK(child != NULL && have_ports(0x11));
    EQUAL(L4_IoFpageSize(L4_IoFpage(CLOCK_INDEX, 3)), 4); /* made a power of two */
    struct outcome o = EXECUTE(child, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
    EQUAL(o.words[1], CODE + CODE_FIRST + 2);
    CHECK(answer(child, L4_IoFpage(CLOCK_INDEX, 1)));
    o = child_wait(child);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_DATA, 1)));
    EQUAL(o.words[1], CODE + CODE_FIRST + 6);
    CHECK(answer(child, CLOCK_PORTS));
    o = child_wait(child);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 0x11);
    CHECK(reads(child, 0x11));
}

/* Which ports an access asks for: the smallest fpage with all of them. */
static void asked_for_all_at_once(void) {
    static const struct {
        uint8_t code[8];
        L4_Word_t port, log2;
    } accesses[] = {
        {{0x66, 0xe5, 0x72, 0xc3}, 0x72, 1},                    /* in $0x72, %ax */
        {{0xe7, 0x74, 0xc3}, 0x74, 2},                          /* out %eax, $0x74 */
        {{0xe5, 0x73, 0xc3}, 0x70, 3},                          /* in $0x73, %eax */
        {{0x66, 0xba, 0x77, 0x02, 0x66, 0xef, 0xc3}, 0x270, 4}, /* out %ax, (0x277) */
        {{0x66, 0xba, 0x21, 0x03, 0xec, 0xc3}, 0x321, 0},       /* in (0x321), %al */
        {{0xba, 0x21, 0x03, 0x01, 0, 0xec, 0xc3}, 0x321, 0},    /* the same by %dx of %edx */
        {{0x66, 0xba, 0xff, 0xff, 0xee, 0xc3}, 0xffff, 0},      /* out %al, (0xffff) */
        {{0x66, 0xba, 0x21, 0x03, 0x3e, 0x6e, 0xc3}, 0x321, 0}, /* outsb, with a prefix */
        {{0x66, 0xba, 0x22, 0x03, 0x66, 0x6d, 0xc3}, 0x322, 1}, /* insw */
    };
    for (unsigned i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        struct task *child = child_new();
        CHECK(child != NULL);
        struct outcome o = child_run_code(child, accesses[i].code, sizeof accesses[i].code);
        CHECK(asks_for(&o, L4_IoFpageLog2(accesses[i].port, (int)accesses[i].log2)));
        child_delete(child);
    }
    /* also if it has one of them */
    struct task *child = child_new();
    CHECK(child != NULL && have_ports(0x1e) && give(child, L4_IoFpage(CLOCK_DATA, 1)));
    struct outcome o = EXECUTE(child, 0x66, 0xe5, CLOCK_INDEX); /* in $0x70, %ax */
    CHECK(asks_for(&o, CLOCK_PORTS));
}

/* The kernel's ports, and what follows the last port, nobody gets: an exception. */
static void not_for_programs(void) {
    struct task *child = child_new();
    CHECK(child != NULL && have_ports(0x12));
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    CHECK(
        !L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, with_rights(L4_IoFpage(KERNELS_PORT, 1)))));
    CHECK(give(child, L4_IoFpage(KERNELS_PORT, 1)));
    struct outcome o = EXECUTE(child, IN_BYTE(KERNELS_PORT));
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[2], PROTECTION);
    child_delete(child);

    /* each of them, and also when the processor knows what it has */
    for (unsigned i = 0; i < sizeof kernels_ports / sizeof kernels_ports[0]; i++) {
        L4_Fpage_t port = L4_IoFpage(kernels_ports[i], 1);
        CHECK(!L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, with_rights(port))));
        child = child_new();
        CHECK(child != NULL && give(child, CLOCK_PORTS) && give(child, port));
        CHECK(reads(child, 0x12));
        EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
        EQUAL(in_byte(child, kernels_ports[i]).kind, OUTCOME_EXCEPTION);
        child_delete(child);
    }

    child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    o = EXECUTE(child, 0x66, 0xba, 0xff, 0xff, 0x66, 0xed); /* in (0xffff), %ax */
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[2], PROTECTION);
}

/* Sigma0 gives whole fpages, to one who asks first. */
static void asked_of_sigma0(void) {
    struct task *child = child_new();
    CHECK(child != NULL && have_ports(0x1f));
    CHECK(L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, L4_IoFpageLog2(CLOCK_DATA, 1))));
    CHECK(L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, L4_IoFpageLog2(0, L4_IO_PORTS_LOG2 + 1))));
    struct outcome o = child_do(child, CHILD_SIGMA0, with_rights(CLOCK_PORTS).raw, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_DONE);
    CHECK(L4_IsNilFpage((L4_Fpage_t){.raw = o.words[0]}));
    o = child_do(child, CHILD_SIGMA0, with_rights(FREE_PORTS).raw, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_DONE);
    CHECK(L4_IsIoFpage((L4_Fpage_t){.raw = o.words[0]}));
    EQUAL(in_byte(child, L4_IoFpagePort(FREE_PORTS)).kind, OUTCOME_DONE);
    CHECK(L4_IsNilFpage(L4_Sigma0_GetPage(L4_nilthread, FREE_PORTS)));
}

/* Each space has its own, whoever ran before: also where no page and no segment differs. */
static void not_for_others(void) {
    struct task *one = child_new(), *other = child_new(), *none = child_new();
    CHECK(one != NULL && other != NULL && none != NULL && have_ports(0x13));
    (void)port_in(PAGE_PORT);
    CHECK(give(one, CLOCK_PORTS) && give(other, L4_IoFpage(PAGE_PORT, 1)));
    for (unsigned i = 0; i < 4; i++) {
        CHECK(reads(one, 0x13));
        EQUAL(EXECUTE(other, IN_BYTE(PAGE_PORT)).kind, OUTCOME_DONE);
    }
    CHECK(reads(one, 0x13));
    struct outcome o = EXECUTE(other, IN_BYTE(CLOCK_DATA));
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_DATA, 1)));
    CHECK(reads(one, 0x13));
    o = EXECUTE(none, IN_BYTE(CLOCK_DATA));
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_DATA, 1)));
    o = EXECUTE(one, IN_BYTE(PAGE_PORT));
    CHECK(asks_for(&o, L4_IoFpage(PAGE_PORT, 1)));
}

/* Ports at both ends of what a space has, and of all, whatever order they came in. */
static void far_apart(void) {
    struct task *one = child_new(), *other = child_new();
    CHECK(one != NULL && other != NULL && have_ports(0x1a));
    for (unsigned i = 0; i < sizeof far_ports / sizeof far_ports[0]; i++) {
        CHECK(!L4_IsNilFpage(
            L4_Sigma0_GetPage(L4_nilthread, with_rights(L4_IoFpage(far_ports[i], 1)))));
        CHECK(give(one, L4_IoFpage(far_ports[i], 1)));
    }
    CHECK(give(other, L4_IoFpage(CLOCK_INDEX, 1)));
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < sizeof far_ports / sizeof far_ports[0]; i++) {
            CHECK(in_byte(one, far_ports[i]).kind == OUTCOME_DONE);
        }
        EQUAL(in_byte(other, CLOCK_INDEX).kind, OUTCOME_DONE);
    }
    /* a word at the last port would reach beyond it */
    EQUAL(child_do(one, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    EQUAL(in_byte(one, LAST_PORT).kind, OUTCOME_DONE);
    struct outcome o = EXECUTE(one, 0x66, 0xba, 0xff, 0xff, 0x66, 0xed);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    for (unsigned i = 0; i < sizeof far_ports / sizeof far_ports[0]; i++) {
        child_delete(other);
        other = child_new();
        CHECK(other != NULL && give(other, L4_IoFpage(CLOCK_INDEX, 1)));
        EQUAL(in_byte(other, CLOCK_INDEX).kind, OUTCOME_DONE);
        o = in_byte(other, far_ports[i]);
        CHECK(asks_for(&o, L4_IoFpage(far_ports[i], 1)));
    }
}

/* What is taken away goes, at once, from those who have it from there, too; we keep ours. */
static void taken_away(void) {
    struct task *one = child_new(), *other = child_new();
    CHECK(one != NULL && other != NULL && have_ports(0x14));
    CHECK(give(one, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, CLOCK_PORTS.raw));
    CHECK(reads(other, 0x14));
    CHECK(reads(one, 0x14));
    EQUAL(L4_Rights(L4_GetStatus(CLOCK_PORTS)), L4_Readable | L4_Writable);
    CHECK(reads(one, 0x14));
    EQUAL(L4_Rights(L4_UnmapFpage(with_rights(L4_IoFpage(CLOCK_DATA, 1)))),
          L4_Readable | L4_Writable);
    struct outcome o = EXECUTE(one, IN_BYTE(CLOCK_DATA));
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_DATA, 1)));
    o = EXECUTE(other, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_DATA, 1))); /* port 70h it still has */
    CHECK(have_ports(0x15));
}

/* Who takes them from others keeps them, unless it flushes. */
static void flushed(void) {
    struct task *one = child_new(), *other = child_new();
    L4_Word_t ports = with_rights(CLOCK_PORTS).raw;
    CHECK(one != NULL && other != NULL && have_ports(0x20));
    CHECK(give(one, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, CLOCK_PORTS.raw));
    EQUAL(child_do(one, CHILD_UNMAP, 0, ports, 0, 0).kind, OUTCOME_DONE);
    CHECK(reads(one, 0x20));
    struct outcome o = EXECUTE(other, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
    EQUAL(child_do(one, CHILD_UNMAP, 0x40, ports, 0, 0).kind, OUTCOME_DONE);
    o = EXECUTE(one, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
}

/* A space that ends takes along what it has given. */
static void giver_ends(void) {
    struct task *one = child_new(), *other = child_new();
    CHECK(one != NULL && other != NULL && have_ports(0x16));
    CHECK(give(one, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, CLOCK_PORTS.raw));
    CHECK(reads(one, 0x16) && reads(other, 0x16));
    child_delete(one);
    struct outcome o = EXECUTE(other, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
}

/* An fpage may begin anywhere in itself, and one of more ports than there are is of none. */
static void any_fpage(void) {
    struct task *child = child_new();
    CHECK(child != NULL && have_ports(0x1b));
    for (int log2 = L4_IO_PORTS_LOG2 + 1; log2 < 64; log2++) {
        CHECK(give(child, L4_IoFpageLog2(0, log2)));
    }
    struct outcome o = EXECUTE(child, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
    CHECK(answer(child, L4_IoFpageLog2(CLOCK_DATA, 1)));
    o = child_wait(child);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 0x1b);
    for (int log2 = L4_IO_PORTS_LOG2 + 1; log2 < 64; log2++) {
        EQUAL(L4_Rights(L4_UnmapFpage(with_rights(L4_IoFpageLog2(0, log2)))), 0);
    }
    CHECK(reads(child, 0x1b));
}

/* What is granted leaves, and stays within reach of those from whom it came. */
static void granted(void) {
    struct task *one = child_new(), *other = child_new();
    CHECK(one != NULL && other != NULL && have_ports(0x17));
    CHECK(give(one, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_GRANT, other, CLOCK_PORTS.raw));
    CHECK(reads(other, 0x17));
    struct outcome o = EXECUTE(one, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
    child_delete(one);
    CHECK(reads(other, 0x17));
    (void)L4_UnmapFpage(with_rights(CLOCK_PORTS));
    o = EXECUTE(other, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
}

/* Who has ports from two has them from the first; only if that grants them, from where it had them.
 */
static void had_already(void) {
    struct task *one = child_new(), *other = child_new();
    CHECK(one != NULL && other != NULL && have_ports(0x1d));
    CHECK(give(one, CLOCK_PORTS) && give(other, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, CLOCK_PORTS.raw));
    child_delete(one);
    CHECK(reads(other, 0x1d));
    child_delete(other);

    one = child_new(), other = child_new();
    CHECK(one != NULL && other != NULL && give(one, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, CLOCK_PORTS.raw));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_GRANT, other, CLOCK_PORTS.raw));
    struct outcome o = EXECUTE(one, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
    child_delete(one);
    CHECK(reads(other, 0x1d));
}

/* Who had it from the one that grants has it from the other then. */
static void granted_with_those_below(void) {
    struct task *one = child_new(), *other = child_new(), *below = child_new();
    CHECK(one != NULL && other != NULL && below != NULL && have_ports(0x1c));
    CHECK(give(one, CLOCK_PORTS));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, below, CLOCK_PORTS.raw));
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_GRANT, other, CLOCK_PORTS.raw));
    child_delete(one);
    CHECK(reads(below, 0x1c));
    child_delete(other);
    struct outcome o = EXECUTE(below, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
}

/* A window lets in what is in it; one for memory no ports; none can be passed on that one has not.
 */
static void windows(void) {
    struct task *one = child_new(), *other = child_new();
    CHECK(one != NULL && other != NULL && have_ports(0x18));
    CHECK(give(one, CLOCK_PORTS));
    L4_Word_t window = L4_IoFpage(CLOCK_INDEX, 1).raw;
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, window));
    struct outcome o = EXECUTE(other, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_DATA, 1)));
    child_delete(other);

    other = child_new();
    CHECK(other != NULL);
    window = L4_IoFpage(CLOCK_DATA, 1).raw;
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, window));
    o = EXECUTE(other, READ_BYTE);
    CHECK(asks_for(&o, L4_IoFpage(CLOCK_INDEX, 1)));
    child_delete(other);

    other = child_new();
    CHECK(other != NULL);
    window = L4_FpageLog2(0x00700000u, 20).raw;
    CHECK(child_transfer(one, CLOCK_PORTS.raw, 0, L4_ITEM_MAP, other, window));
    window = L4_IoFpageLog2(0, L4_IO_PORTS_LOG2).raw;
    CHECK(child_transfer(one, L4_IoFpage(PAGE_PORT, 1).raw, 0, L4_ITEM_MAP, other, window));
    o = EXECUTE(other, IN_BYTE(PAGE_PORT));
    CHECK(asks_for(&o, L4_IoFpage(PAGE_PORT, 1)));
}

/* INS beyond the limit of a small space: that is about memory, and the program notices nothing. */
static void strings_of_ports(void) {
    struct task *child = child_new();
    CHECK(child != NULL && have_ports(0x19) && give(child, CLOCK_PORTS));
    uint8_t *frame = task_add_page(child, BEYOND, NULL, L4_FullyAccessible);
    CHECK(frame != NULL && reads(child, 0x19));
    /* mov $0x71, %edx; mov $BEYOND, %edi; insb */
    struct outcome o = EXECUTE(child, 0xba, WORD(CLOCK_DATA), 0xbf, WORD(BEYOND), 0x6c);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(frame[0], 0x19);
}

const struct test port_tests[] = {
    {"ports_asked_of_the_pager", asked_of_the_pager},
    {"ports_asked_for_all_at_once", asked_for_all_at_once},
    {"ports_not_for_programs", not_for_programs},
    {"ports_asked_of_sigma0", asked_of_sigma0},
    {"ports_not_for_others", not_for_others},
    {"ports_far_apart", far_apart},
    {"ports_taken_away", taken_away},
    {"ports_flushed", flushed},
    {"ports_giver_ends", giver_ends},
    {"ports_any_fpage", any_fpage},
    {"ports_granted", granted},
    {"ports_had_already", had_already},
    {"ports_granted_with_those_below", granted_with_those_below},
    {"ports_windows", windows},
    {"ports_strings", strings_of_ports},
    {NULL, NULL},
};
