/* SPDX-License-Identifier: Apache-2.0 */
/* Sigma0's protocol: who gets which memory. */
#include "test.h"

static L4_Fpage_t page(L4_Word_t base, L4_Word_t log2_size) {
    return L4_FpageAddRights(L4_FpageLog2(base, log2_size), L4_FullyAccessible);
}

static L4_Fpage_t ask(L4_Word_t base, L4_Word_t log2_size) {
    return L4_Sigma0_GetPage(L4_nilthread, page(base, log2_size));
}

/* One address inside our own image, which sigma0 gave us by faults. */
static L4_Word_t own_page(void) {
    return (L4_Word_t)frames_block();
}

static void any_page(void) {
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, 12, L4_CompleteAddressSpace);
    EQUAL(L4_SizeLog2(got), 12);
    volatile L4_Word32_t *at = (volatile L4_Word32_t *)(uintptr_t)L4_Address(got);
    at[0] = 0x600d;
    at[1023] = 0x600e;
    EQUAL(at[0], 0x600d);
    EQUAL(at[1023], 0x600e);
    /* The same page again is no problem for its owner. */
    EQUAL(L4_Address(ask(L4_Address(got), 12)), L4_Address(got));
    EQUAL(at[0], 0x600d);
    (void)L4_Flush(page(L4_Address(got), 12));
}

static void different_pages(void) {
    L4_Fpage_t one = L4_Sigma0_GetAny(L4_nilthread, 12, L4_CompleteAddressSpace);
    L4_Fpage_t two = L4_Sigma0_GetAny(L4_nilthread, 12, L4_CompleteAddressSpace);
    CHECK(!L4_IsNilFpage(one) && !L4_IsNilFpage(two));
    CHECK(L4_Address(one) != L4_Address(two));
    (void)L4_Flush(page(L4_Address(one), 12));
    (void)L4_Flush(page(L4_Address(two), 12));
}

static void larger_pages(void) {
    for (L4_Word_t log2_size = 16; log2_size <= 20; log2_size += 4) {
        L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, log2_size, L4_CompleteAddressSpace);
        EQUAL(L4_SizeLog2(got), log2_size);
        volatile L4_Word32_t *at = (volatile L4_Word32_t *)(uintptr_t)L4_Address(got);
        L4_Word_t last = L4_Size(got) / 4 - 1;
        at[0] = 1;
        at[last] = 2;
        EQUAL(at[0] + at[last], 3);
        (void)L4_Flush(page(L4_Address(got), log2_size));
    }
}

/* Where the kernel's own memory begins. */
static L4_Word_t kernel_memory(const L4_KernelInterfacePage_t *kip) {
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (!L4_IsMemoryDescVirtual(d) && L4_MemoryDescType(d) == L4_ReservedMemoryType) {
            return L4_MemoryDescLow(d);
        }
    }
    return 0xffffffff;
}

/* The kernel's memory, sigma0's, and nonsense. */
static void refused(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    L4_Word_t kernel = kernel_memory(kip);
    CHECK(L4_IsNilFpage(ask(kernel, 12)));
    CHECK(L4_IsNilFpage(ask(kernel, 20)));
    CHECK(L4_IsNilFpage(ask(kip->sigma0.low, 12)));
    CHECK(L4_IsNilFpage(ask(0x80050000, 33)));
    CHECK(L4_IsNilFpage(ask(own_page(), 10)));
    CHECK(L4_IsNilFpage(ask(0x20000000, 12)));
    CHECK(L4_IsNilFpage(L4_Sigma0_GetAny(L4_nilthread, 30, L4_CompleteAddressSpace)));
}

static void own_again(void) {
    EQUAL(L4_Address(ask(own_page(), 12)), own_page());
}

/* Another space asks for a page of ours, and for memory of its own. */
static void others(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_SIGMA0, page(own_page(), 12).raw, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_DONE);
    CHECK(L4_IsNilFpage((L4_Fpage_t){.raw = o.words[0]}));
    o = child_do(child, CHILD_SIGMA0, L4_SIGMA0_ANY | 12 << 4 | L4_FullyAccessible, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_DONE);
    L4_Fpage_t got = {.raw = o.words[0]};
    EQUAL(L4_SizeLog2(got), 12);
    CHECK(child_fill(child, L4_Address(got), 1024, 77));
    CHECK(child_holds(child, L4_Address(got), 1024, 77));
    CHECK(L4_IsNilFpage(ask(L4_Address(got), 12)));
}

/* The probe's page comes from sigma0 exactly if the kernel announces it. */
static void probe(void) {
    if (!probe_present()) {
        CHECK(L4_IsNilFpage(ask(PROBE_BASE_PA, 12)));
        return;
    }
    L4_Word_t first = probe_read(PROBE_CYCLES);
    L4_ThreadSwitch(L4_nilthread); /* some cycles pass, whatever a processor does at once */
    L4_Word_t second = probe_read(PROBE_CYCLES);
    CHECK(second - first > 0 && second - first < 10000);
}

const struct test sigma0_tests[] = {
    {"sigma0_any_page", any_page},
    {"sigma0_different_pages", different_pages},
    {"sigma0_larger_pages", larger_pages},
    {"sigma0_refused", refused},
    {"sigma0_own_again", own_again},
    {"sigma0_others", others},
    {"sigma0_probe", probe},
    {NULL, NULL},
};
