/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The C library as one that is shared: nolibc, whose functions are everybody's own otherwise. The
 * build includes it, with its functions as functions of a library. What it has as variables that
 * every program could have of its own is here. (Licensed as nolibc is, since it becomes a part of
 * programs of any licence.)
 */

static int number;

/* `errno` is what this leads to, here and in programs. */
int *errno_place(void) {
    return &number;
}

/* Called by the dynamic linker before the program begins. */
__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    environ = environment;
    while (*environment++) {
    }
    _auxv = (const unsigned long *)environment;
}
