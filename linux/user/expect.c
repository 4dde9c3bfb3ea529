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

/* A file of numbers with names. */
static char numbers[8192];

static void read_numbers(const char *path) {
    int fd = open(path, O_RDONLY, 0);
    long got = read_all(fd, numbers, sizeof(numbers) - 1);
    EXPECT(fd >= 0 && got > 0);
    close(fd);
    numbers[got] = 0;
}

/* What follows a name there, at the beginning of a line; NULL if that is no number. */
static const char *after_name(const char *name) {
    size_t length = strlen(name);
    char *line = numbers;
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
    read_numbers(path);
    return after_name(name) != NULL;
}

void numbers_in(const char *path, const char *const *names, unsigned long *values, size_t count) {
    read_numbers(path);
    for (size_t i = 0; i < count; i++) {
        const char *number = after_name(names[i]);
        if (!number) {
            fail(__FILE__, __LINE__, names[i]);
        }
        values[i] = atol(number);
    }
}

unsigned long number_in(const char *path, const char *name) {
    unsigned long value;
    numbers_in(path, &name, &value, 1);
    return value;
}
