/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules that the boot loader brought: each is where the boot information says, whole, and is
 * given to nobody who wants just any page. The line of each says what the sum of its bytes is
 * (`name sum=NUMBER`).
 */
#include "../../test.h"

#define SUM "sum="

static bool sum_of_line(const char *line, L4_Word_t *sum) {
    for (; *line != 0; line++) {
        unsigned n = 0;
        while (n < sizeof SUM - 1 && line[n] == SUM[n]) {
            n++;
        }
        if (n == sizeof SUM - 1) {
            *sum = 0;
            for (line += n; *line >= '0' && *line <= '9'; line++) {
                *sum = *sum * 10 + (L4_Word_t)(*line - '0');
            }
            return true;
        }
    }
    return false;
}

static void modules(void) {
    const void *info = (const void *)(uintptr_t)L4_BootInfo(L4_GetKernelInterface());
    unsigned count = 0;
    const L4_BootRec_t *record = info == NULL ? NULL : L4_BootInfo_FirstEntry(info);
    for (L4_Word_t i = 0; record != NULL && i < L4_BootInfo_Entries(info); i++) {
        if (L4_BootRec_Type(record) == L4_BootInfo_Module) {
            const uint8_t *bytes = (const uint8_t *)(uintptr_t)L4_Module_Start(record);
            L4_Word_t expected = 0, sum = 0;
            CHECK(sum_of_line(L4_Module_Cmdline(record), &expected));
            for (L4_Word_t k = 0; k < L4_Module_Size(record); k++) {
                sum += bytes[k];
            }
            EQUAL(sum, expected);
            count++;
        }
        record = L4_BootRec_Next(record);
    }
    if (count == 0) {
        test_skip("the loader has brought no modules");
    }
}

const struct test module_tests[] = {
    {"boot_modules", modules},
    {NULL, NULL},
};
