/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A root task of 12 MB: what its file has must be there at all of its addresses, and stay what it
 * writes. It is built for its test alone.
 */
#include <l4/l4.h>
#include <lib/print.h>

#include "../common/probe.h"

#define SIZE (12u << 20)
#define STEP 4096u

/* In the file, each megabyte begins with its number and a mark. */
#define MARKED(n) [(n) << 20] = (n) + 0x40
static unsigned char bytes[SIZE] = {MARKED(0),  MARKED(1),  MARKED(2),        MARKED(3), MARKED(4),
                                    MARKED(5),  MARKED(6),  MARKED(7),        MARKED(8), MARKED(9),
                                    MARKED(10), MARKED(11), [SIZE - 1] = 0x7f};

static unsigned wrong_as_loaded(void) {
    unsigned wrong = bytes[SIZE - 1] != 0x7f;
    for (unsigned i = 0; i < SIZE; i += STEP) {
        unsigned expected = i % (1u << 20) == 0 ? (i >> 20) + 0x40 : 0;
        wrong += bytes[i] != expected;
    }
    return wrong;
}

static unsigned wrong_as_written(void) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < SIZE; i += STEP) {
        bytes[i] = (unsigned char)(i / STEP * 7);
    }
    for (unsigned i = 0; i < SIZE; i += STEP) {
        wrong += bytes[i] != (unsigned char)(i / STEP * 7);
    }
    return wrong;
}

int main(void) {
    (void)probe_init();
    unsigned loaded = wrong_as_loaded(), written = wrong_as_written();
    print("large: %u bytes, wrong as loaded %u, as written %u\n", SIZE, loaded, written);
    if (probe_present()) {
        probe_write(PROBE_EXIT, loaded + written != 0);
    }
    for (;;) {
        L4_Sleep(L4_Never);
    }
}
