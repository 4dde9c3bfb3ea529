/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that provokes every exception and prints what it did to the registers (README.md). All
 * groups run twice: with caches off, then with caches and write buffer on.
 */
#include "guest.h"

int main(void) {
    memory_init();
    console_init();
    for (unsigned pass = 0; pass < 2; pass++) {
        if (pass) {
            memory_cached();
        }
        text(pass ? "caches on\n" : "caches off\n");
        entry_cases();
        abort_cases();
        permission_cases();
        fault_cases();
        return_cases();
        interrupt_cases();
        cp15_cases();
    }
    finish();
}
