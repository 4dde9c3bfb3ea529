/* SPDX-License-Identifier: GPL-2.0-only */
/* What test programs share: expectations, memory that they can check, arguments, counters. */
#include "test.h"

void fail(const char *file, int line, const char *what) {
    const char *name = strrchr(file, '/');
    printf("  %s:%d: expected %s (error %d)\n", name ? name + 1 : file, line, what, errno);
    _exit(1);
}

int ended_well(pid_t child) {
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned int scramble(unsigned int n) {
    n ^= n << 13;
    n ^= n >> 17;
    return n ^ n << 5;
}

void fill(void *start, size_t bytes, unsigned int seed) {
    unsigned int *words = start;
    for (size_t i = 0; i < bytes / sizeof(*words); i++) {
        words[i] = scramble(seed + i + 1);
    }
}

int filled(const void *start, size_t bytes, unsigned int seed) {
    const unsigned int *words = start;
    for (size_t i = 0; i < bytes / sizeof(*words); i++) {
        if (words[i] != scramble(seed + i + 1)) {
            printf("  word %d of %d: %x, not %x\n", (int)i, (int)(bytes / sizeof(*words)), words[i],
                   scramble(seed + i + 1));
            return 0;
        }
    }
    return 1;
}

void *fresh(size_t bytes, int flags) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    EXPECT(at != MAP_FAILED);
    return at;
}

int scratch_file(size_t bytes, unsigned int seed) {
    char path[32] = "/tmp/scratch-";
    unsigned int page[PAGE / sizeof(unsigned int)];
    utoa_r(getpid(), path + strlen(path));
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT(fd >= 0 && unlink(path) == 0);
    for (size_t at = 0; at < bytes; at += PAGE) {
        fill(page, PAGE, seed + at / sizeof(*page));
        EXPECT(write_all(fd, page, PAGE) == PAGE);
    }
    return fd;
}

const char *argument(char **arguments, const char *name) {
    size_t length = strlen(name);
    for (; *arguments; arguments++) {
        if (strncmp(*arguments, name, length) == 0 && (*arguments)[length] == '=') {
            return *arguments + length + 1;
        }
    }
    return NULL;
}

unsigned int argument_number(char **arguments, const char *name, unsigned int otherwise) {
    const char *text = argument(arguments, name);
    return text ? (unsigned int)atol(text) : otherwise;
}

/* What is behind a name, at the beginning of a line; NULL if that is no number. */
static const char *behind(const char *path, const char *name) {
    static char text[8192];
    size_t length = strlen(name);
    char *line = text;
    int fd = open(path, O_RDONLY, 0);
    long got = read_all(fd, text, sizeof(text) - 1);
    EXPECT(fd >= 0 && got > 0);
    close(fd);
    text[got] = 0;
    while (line) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ' && line[length + 1] >= '0' &&
            line[length + 1] <= '9') {
            return line + length + 1;
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return NULL;
}

int has_number(const char *path, const char *name) {
    return behind(path, name) != NULL;
}

unsigned long number_in(const char *path, const char *name) {
    const char *number = behind(path, name);
    if (!number) {
        fail(__FILE__, __LINE__, name);
    }
    return atol(number);
}
