/* SPDX-License-Identifier: Apache-2.0 */
/* What the library of sampled.c learns from who starts the program. */
#include "sampled.h"

static void set_number(const char *name, unsigned value) {
    char text[12];
    snprintf(text, sizeof(text), "%u", value);
    (void)setenv(name, text, 1);
}

void sampled_environment(const char *library, unsigned stream, unsigned rounds, unsigned warmup) {
    set_number("SAMPLED_STREAM", stream);
    set_number("SAMPLED_ROUNDS", rounds);
    set_number("SAMPLED_WARMUP", warmup);
    (void)setenv("SAMPLED_CLOCK", parameter("clock", "os"), 1);
    (void)setenv("LD_PRELOAD", library, 1);
}
