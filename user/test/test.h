/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel tests' frame: tables of tests, checks, and helpers that make threads and children.
 *
 * A test is a function that returns early from a failed check. Whatever it made (threads, spaces,
 * frames) is taken away after it by the frame, so that no test has to.
 */
#ifndef TEST_TEST_H
#define TEST_TEST_H

#include <l4/l4.h>
#include <lib/print.h>
#include <lib/string.h>

#include "../common/frames.h"
#include "../common/probe.h"
#include "../common/task.h"
#include "child/protocol.h"
#include "machine.h"
#include "tables.h"

struct test {
    const char *name;
    void (*run)(void);
};

/* One table a file, ended by a NULL name. */
extern const struct test thread_tests[];
extern const struct test ending_tests[];
extern const struct test ipc_tests[];
extern const struct test fast_tests[];
extern const struct test timeout_tests[];
extern const struct test map_tests[];
extern const struct test fault_tests[];
extern const struct test schedule_tests[];
extern const struct test sigma0_tests[];
extern const struct test isolation_tests[];
extern const struct test collide_tests[];
extern const struct test bypass_tests[];
extern const struct test attack_tests[];
extern const struct test pitfall_tests[];
extern const struct test string_tests[];
extern const struct test name_tests[];
extern const struct test propagate_tests[];
extern const struct test shared_tests[];
extern const struct test single_tests[];
extern const struct test preempt_tests[];
extern const struct test migrate_tests[];
extern const struct test control_tests[];
extern const struct test lipc_tests[];
extern const struct test pagefault_tests[];
extern const struct test answer_tests[];
extern const struct test generic_tests[];

/* Tests of an architecture (arch/ARCH/tables.h). */
extern const struct test exception_tests[];
extern const struct test one_space_tests[];
extern const struct test interrupt_tests[];
extern const struct test segment_tests[];
extern const struct test size_tests[];
extern const struct test small_tests[];
extern const struct test small_limit_tests[];
extern const struct test small_wall_tests[];
extern const struct test group_tests[];
extern const struct test port_tests[];
extern const struct test software_interrupt_tests[];
extern const struct test own_state_tests[];
extern const struct test own_path_tests[];
extern const struct test module_tests[];
extern const struct test thumb_tests[];

/* Rows of the system calls' tables, each a test (calls.c); NULL after the last. */
const char *call_name(unsigned n);
void call_run(unsigned n);

/* What tests need to know of the board (arch/): a timer that the kernel leaves alone, whose page
 * main.c maps; 0: its devices are not in memory. */
struct test_board {
    void (*load_read_buffer)(const volatile L4_Word32_t *from); /* NULL: the processor has none */
    bool thumb;                                                 /* it has Thumb state: ARM926 */
    L4_Word_t page;
    L4_Word_t interrupt, kernels_interrupt;
    void (*arm)(void); /* about a millisecond */
    void (*disarm)(void);
};
const struct test_board *test_board(void);

/* ---- checks (main.c) ---- */

void test_fail(const char *file, int line, const char *what, L4_Word_t got, L4_Word_t expected);

/* Says that the test has nothing to test on this kernel or machine; it then counts as neither. */
void test_skip(const char *why);

/* At the head of a test that wants spaces to have addresses and pages of their own: skips it under
 * a scheme that does not give them that. */
#define NO_PROTECTION "this scheme does not keep spaces apart"
#define NEEDS_PROTECTION                                                                           \
    do {                                                                                           \
        if (!task_protected()) {                                                                   \
            test_skip(NO_PROTECTION);                                                              \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#define FAIL_IF(condition, what, got, expected)                                                    \
    do {                                                                                           \
        if (condition) {                                                                           \
            test_fail(__FILE_NAME__, __LINE__, what, got, expected);                               \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define CHECK(condition) FAIL_IF(!(condition), #condition, 0, 1)
#define EQUAL(a, b)                                                                                \
    do {                                                                                           \
        L4_Word_t got_ = (L4_Word_t)(a);                                                           \
        L4_Word_t expected_ = (L4_Word_t)(b);                                                      \
        FAIL_IF(got_ != expected_, #a, got_, expected_);                                           \
    } while (0)

/* In functions that return bool. */
#define TRY(condition)                                                                             \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            test_fail(__FILE_NAME__, __LINE__, #condition, 0, 1);                                  \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

/* For so long from here on, nobody but the test's own threads will want to run. */
void test_quiet(L4_Word_t microseconds);

/* A thread in sigma0's space calls ThreadControl to delete these (control.c); the results, and the
 * error of making it or of its message. */
L4_Word_t control_delete_from_sigma0(L4_ThreadId_t first, L4_ThreadId_t second,
                                     L4_Word_t results[2]);

/* The thread that fails a test which does not end; a test that deletes it has to start it again. */
L4_ThreadId_t test_watchdog(void);
void test_start_watchdog(void);

/* Has the running test failed? */
bool test_failed(void);

/* ---- threads in the test's own space (workers.c) ---- */

/* What any wait in a test lasts at most: a kernel that loses a message fails, it does not hang. */
#define PATIENCE L4_TimePeriod(500000)

#define MAX_WORKERS 8

/* A thread number nobody has, with a version of its own each time. */
L4_ThreadId_t new_thread_id(void);

/* A thread that runs `body` at `priority`; nilthread = none could be made. */
L4_ThreadId_t worker_start(void (*body)(void), L4_Word_t priority);

/* A worker without the start message. */
L4_ThreadId_t worker_create(void);
bool worker_go(L4_ThreadId_t id, void (*body)(void));
L4_Word_t worker_stack(L4_ThreadId_t id);
void worker_delete(L4_ThreadId_t id);

/* Sends one word with `label` to `to`; receives one from `from`. Error code, 0 = good. */
L4_Word_t send_word(L4_ThreadId_t to, L4_Word_t label, L4_Word_t word);
L4_Word_t receive_word(L4_ThreadId_t from, L4_Word_t *word);
L4_Word_t error_of(L4_MsgTag_t tag);

#define TEST_PRIORITY 100u

/* ---- children: spaces of their own, that do as told (children.c) ---- */

#define MAX_CHILDREN 40

/* How the child's last operation ended. */
struct outcome {
    enum { OUTCOME_DONE, OUTCOME_FAULT, OUTCOME_EXCEPTION, OUTCOME_PORTS, OUTCOME_LOST } kind;
    /* DONE: results; FAULT: address, ip; EXCEPTION: the message; PORTS: I/O fpage, ip */
    L4_Word_t words[L4_NUM_MRS];
    L4_Word_t access; /* FAULT: rwx */
    L4_MsgTag_t tag;
};

/* A child that has said CHILD_READY; NULL = failed (and the test with it). */
struct task *child_new(void);
struct task *child_new_at(L4_Word_t areas); /* with its KIP and UTCB areas there */
void child_delete(struct task *child);

/*
 * Sends an operation; then serves the child's permitted page faults until something else comes:
 * its answer, or a fault that it may not have, or an exception. After those the child is blocked
 * until child_forgive.
 */
#define child_kip(child) ((child)->utcbs - TASK_UTCBS_SIZE)
bool child_send(struct task *child, L4_Word_t operation, unsigned n, const L4_Word_t *arguments);
struct outcome child_wait(struct task *child);
struct outcome child_do(struct task *child, L4_Word_t operation, L4_Word_t a, L4_Word_t b,
                        L4_Word_t c, L4_Word_t d);

/* Ends a forbidden access: maps a page of ours there till the child is ready, then takes it off. */
bool child_forgive(struct task *child, const struct outcome *fault);

/* Sends the items in `msg` to the child, whose receive window is all its space. */
bool child_map(struct task *child, L4_Msg_t *msg);

/* `to` receives at `window` what `from` maps (kind: L4_ITEM_MAP or GRANT); item errors = 0. */
bool child_transfer(struct task *from, L4_Word_t fpage, L4_Word_t base, L4_Word_t kind,
                    struct task *to, L4_Word_t window);

/* An Ipc of the child's (CHILD_IPC); its fields as in protocol.h. Wait for it with child_wait. */
struct child_ipc {
    L4_Word_t to, from, timeouts, xfer_timeouts, virtual_sender;
    L4_Word_t num_buffers, buffers[16];
    L4_Word_t num_words, words[32]; /* tag and message registers */
};
bool child_ipc(struct task *child, const struct child_ipc *call);

/* One word: read, or 0xffffffff after test_fail. */
L4_Word_t child_read(struct task *child, L4_Word_t va);
bool child_write(struct task *child, L4_Word_t va, L4_Word_t word);
bool child_fill(struct task *child, L4_Word_t va, L4_Word_t words, L4_Word_t seed);
bool child_holds(struct task *child, L4_Word_t va, L4_Word_t words, L4_Word_t seed);
L4_Word_t child_execute(struct task *child, L4_Word_t va);

/* True if the access faults and the pager is told so properly; the child is ready again then. */
bool child_denied(struct task *child, L4_Word_t operation, L4_Word_t va, L4_Word_t access);

/* A random word from a fixed seed (xorshift32): the same run every time. */
L4_Word_t random_word(void);

/* Writes a function that returns `value` (below 256) to `at`. */
void put_function(void *at, L4_Word_t value);

/* Everything the last test left: threads, spaces, frames. */
void children_delete_all(void);
void workers_delete_all(void);

/* It sends n words back as they came (fast.c). */
bool child_echoes(struct task *child, L4_Word_t n, L4_Word_t seed);

#endif
