/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program, its first argument, with libraries that are not shared: to compare. */
int main(int argc, char **argv) {
    char *const environment[] = {"PATH=/bin", "LD_PRIVATE=1", NULL};
    if (argc < 2) {
        printf("usage: private PROGRAM [ARGUMENT]...\n");
        return 2;
    }
    execve(argv[1], argv + 1, environment);
    printf("private: cannot run %s: error %d\n", argv[1], errno);
    return 127;
}
