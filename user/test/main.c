/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel tests: a root program that runs every table of test.h and prints
 *   PASS name | FAIL name: why | SKIP name: why
 *   RESULT passed=N failed=N free_pages_before=A free_pages_after=B
 *   END status=S
 * A leak of kernel memory over all the tests fails too. Boot parameter `only=PREFIX` restricts
 * the run to tests whose name begins so.
 */
#include "test.h"

/* `apart`: all of them are about spaces that have addresses and pages of their own, which not every
 * scheme gives them. In the other tables single tests say so (NEEDS_PROTECTION). */
static const struct {
    const struct test *tests;
    bool apart;
} tables[] = {{thread_tests, false},    {ipc_tests, false},
              {fast_tests, false},      {timeout_tests, false},
              {map_tests, true},        {fault_tests, false},
              {schedule_tests, false},  {sigma0_tests, false},
              {attack_tests, false},    {isolation_tests, true},
              {collide_tests, true},    {bypass_tests, true},
              {pitfall_tests, false},   {string_tests, true},
              {propagate_tests, false}, {name_tests, false},
              {shared_tests, true},     {single_tests, false},
              {preempt_tests, false},   {migrate_tests, false},
              {control_tests, false},   {lipc_tests, false},
              {pagefault_tests, true},  {answer_tests, true},
              {interrupt_tests, false}, {generic_tests, false},
              {ending_tests, false},    ARCH_TABLES};

static const char *running;
static bool failed;
static bool skipped;
static unsigned num_passed, num_failed;

void test_fail(const char *file, int line, const char *what, L4_Word_t got, L4_Word_t expected) {
    if (!failed) {
        print("FAIL %s: %s:%d: %s: got 0x%x, expected 0x%x\n", running, file, line, what, got,
              expected);
    }
    failed = true;
}

void test_skip(const char *why) {
    print("SKIP %s: %s\n", running, why);
    skipped = true;
}

bool test_failed(void) {
    return failed;
}

static L4_Word_t free_pages(void) {
    return L4_KDB_Statistic(L4_STAT_FREE_PAGES);
}

/*
 * A test that does not come to an end is a failure with a name as well. The thread that watches is
 * more important than any other here, and looks once a second.
 */
#define LONGEST_TEST      20000000u /* microseconds; the longest takes less than a tenth of that */
#define WATCHDOG_PRIORITY 200u
#define WATCHDOG_NUMBER   300u /* from ours: none of those that new_thread_id uses again */

static volatile L4_Word64_t started_at;
static volatile L4_Word64_t next_look; /* when the watchdog runs again */
static volatile bool ended;            /* where nothing stops the machine the watchdog goes on */

static void finish(unsigned status);

static void watch(void) {
    for (;;) {
        next_look = L4_SystemClock().raw + 1000000;
        L4_Sleep(L4_TimePeriod(1000000));
        if (!ended && L4_SystemClock().raw - started_at > LONGEST_TEST) {
            print("FAIL %s: does not end\n", running);
            finish(1);
        }
    }
}

void test_quiet(L4_Word_t microseconds) {
    L4_Word64_t now = L4_SystemClock().raw;
    if (next_look > now && next_look - now < microseconds) {
        L4_Sleep(L4_TimePeriod(next_look - now + 5000));
    }
}

L4_ThreadId_t test_watchdog(void) {
    return L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + WATCHDOG_NUMBER, 1);
}

void test_start_watchdog(void) {
    static uint8_t stack[2048] __attribute__((aligned(8)));
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t id = test_watchdog();
    uintptr_t utcb = (uintptr_t)L4_MyUtcb() + (1 + MAX_WORKERS) * L4_UTCB_SIZE;
    (void)L4_ThreadControl(id, me, me, me, (void *)utcb);
    (void)L4_Set_Priority(id, WATCHDOG_PRIORITY);
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)watch);
    L4_LoadMR(2, (L4_Word_t)(uintptr_t)(stack + sizeof stack));
    if (L4_IpcFailed(L4_Send_Timeout(id, PATIENCE))) {
        print("FAIL watchdog: could not be started\n");
        num_failed++;
    }
}

static unsigned frames_before;

static void begin(const char *name) {
    frames_before = frames_left();
    started_at = L4_SystemClock().raw;
    running = name;
    failed = false;
    skipped = false;
}

static void end(void) {
    workers_delete_all();
    children_delete_all();
    if (!failed && frames_left() != frames_before) {
        test_fail(__FILE_NAME__, __LINE__, "the test gave its frames back", frames_left(),
                  frames_before);
    }
    if (failed) {
        num_failed++;
    } else if (!skipped) {
        num_passed++;
        print("PASS %s\n", running);
    }
}

static void run(const struct test *test, bool apart) {
    begin(test->name);
    if (apart && !task_protected()) {
        test_skip(NO_PROTECTION);
    } else {
        test->run();
    }
    end();
}

/* The value of `only=` on the command line; "" = all tests. */
static const char *only(const char *command_line) {
    for (const char *c = command_line; c != NULL && *c != '\0'; c++) {
        if (strncmp(c, "only=", 5) == 0) {
            return c + 5;
        }
    }
    return "";
}

static bool wanted(const char *name, const char *prefix) {
    for (; *prefix != '\0' && *prefix != ' '; prefix++, name++) {
        if (*name != *prefix) {
            return false;
        }
    }
    return true;
}

/* The boot information is ordinary memory, which we get by touching it. */
static const char *command_line(void) {
    const char *line = L4_BootInfo_CommandLine(L4_BootInfo(L4_GetKernelInterface()));
    return line != NULL ? line : "";
}

static void finish(unsigned status) {
    ended = true;
    print("END status=%u\n", status);
    if (probe_present()) {
        probe_write(PROBE_EXIT, status);
    }
}

/*
 * The kernel keeps our page tables for where sigma0 finds free memory, small and large, for the
 * megabyte of the device that tests use (or what it knows of its ports), and for that of our own
 * image (which not every scheme has made by page faults); and sigma0's for the latter, when code
 * runs there: they have to be there before pages are counted.
 */
static void touch_memory(void) {
    L4_Word_t results[2];
    static const L4_Word_t sizes[] = {FRAME_LOG2, 20};
    L4_Fpage_t page;
    for (unsigned i = 0; i < 2; i++) {
        page = L4_Sigma0_GetAny(L4_nilthread, sizes[i], L4_CompleteAddressSpace);
        (void)L4_Flush(L4_FpageAddRights(page, L4_FullyAccessible));
    }
    if (test_board()->page != 0) {
        page = L4_FpageLog2(test_board()->page, FRAME_LOG2);
        (void)L4_Sigma0_GetPage(L4_nilthread, L4_FpageAddRights(page, L4_ReadWriteOnly));
    }
    test_board()->disarm();
    /* A thread in each page of UTCBs between ours and the watchdog's. */
    L4_Word_t ours = (L4_Word_t)(uintptr_t)L4_MyUtcb();
    for (L4_Word_t utcb = ours + FRAME_SIZE; utcb < ours + MAX_WORKERS * L4_UTCB_SIZE;
         utcb += FRAME_SIZE) {
        L4_ThreadId_t id = new_thread_id(), me = L4_MyGlobalId();
        (void)L4_ThreadControl(id, me, me, me, (void *)(uintptr_t)utcb);
        (void)L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0);
    }
    page = L4_FpageLog2((L4_Word_t)(uintptr_t)frames_block(), FRAME_LOG2);
    (void)L4_Sigma0_GetPage(L4_nilthread, L4_FpageAddRights(page, L4_FullyAccessible));
    (void)control_delete_from_sigma0(L4_nilthread, L4_nilthread, results);
}

int main(void) {
    const char *prefix = only(command_line());
    frames_init();
    (void)probe_init();
    touch_memory();
    (void)L4_Set_Priority(L4_MyGlobalId(), TEST_PRIORITY);
    test_start_watchdog();
    L4_Word_t before = free_pages();
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const struct test *test = tables[i].tests; test->name != NULL; test++) {
            if (wanted(test->name, prefix)) {
                run(test, tables[i].apart);
            }
        }
    }
    for (unsigned i = 0; call_name(i) != NULL; i++) {
        if (wanted(call_name(i), prefix)) {
            begin(call_name(i));
            call_run(i);
            end();
        }
    }
    L4_Word_t after = free_pages();
    if (after != before) {
        print("FAIL leak: the kernel lost %d pages\n", (int)(before - after));
        num_failed++;
    }
    print("RESULT passed=%u failed=%u free_pages_before=%u free_pages_after=%u\n", num_passed,
          num_failed, before, after);
    finish(num_failed == 0 ? 0 : 1);
    return 0;
}
