/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C compiler: cc OPTION... SOURCE OBJECT. It is Debian's libtcc, with memory of own_malloc.c.
 */
#include <stdbool.h>
#include <stdio.h>

#include <libtcc.h>

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: cc OPTION... SOURCE OBJECT\n");
        return 2;
    }
    TCCState *tcc = tcc_new();
    for (int i = 1; i < argc - 2; i++) {
        tcc_set_options(tcc, argv[i]);
    }
    bool good = tcc_set_output_type(tcc, TCC_OUTPUT_OBJ) == 0 &&
                tcc_add_file(tcc, argv[argc - 2]) == 0 && tcc_output_file(tcc, argv[argc - 1]) == 0;
    tcc_delete(tcc);
    return good ? 0 : 1;
}
