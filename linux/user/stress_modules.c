/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scene of kernel modules (linux/modules), which are loaded, asked and unloaded in turn, at the
 * same addresses. Another worker may play it, too.
 */
#include "stress.h"

enum { STEPS = 12, QUESTIONS = 3, MOST = 16 << 10 };

static const struct {
    const char *name, *file, *asked;
} answerers[] = {
    {"answer1", "/lib/modules/answer1.ko", "/sys/module/answer1/parameters/number"},
    {"answer2", "/lib/modules/answer2.ko", "/sys/module/answer2/parameters/number"},
    {"answer3", "/lib/modules/answer3.ko", "/sys/module/answer3/parameters/number"},
    {"answer4", "/lib/modules/answer4.ko", "/sys/module/answer4/parameters/number"},
};

/* What a module answers: the first is compiled with the number 1. */
static unsigned int expected(unsigned int module, unsigned int question) {
    unsigned int number = module + 1;
    return (question + number) * (2 * number + 1);
}

static unsigned int answered(unsigned int module, unsigned int question) {
    char text[16];
    int fd = open(answerers[module].asked, O_RDWR);
    EXPECT(fd >= 0);
    int length = utoa_r(question, text);
    EXPECT(write(fd, text, length) == length);
    EXPECT(lseek(fd, 0, SEEK_SET) == 0);
    length = read(fd, text, sizeof(text) - 1);
    EXPECT(length > 0);
    text[length] = '\0';
    EXPECT(close(fd) == 0);
    return strtoul(text, NULL, 10);
}

/* Whether it was loaded; not if another worker has it, or is about to load or to unload it. (Who
 * loads a module by its file beside another is told that it was done.) */
static int loaded(unsigned int module) {
    static char bytes[MOST];
    int fd = open(answerers[module].file, O_RDONLY);
    EXPECT(fd >= 0);
    long count = read_all(fd, bytes, MOST);
    EXPECT(count > 0 && count < MOST);
    EXPECT(close(fd) == 0);
    int result = module_load(bytes, count);
    EXPECT(result == 0 || errno == EEXIST || errno == EBUSY);
    return result == 0;
}

static void modules(struct random *random) {
    for (unsigned int step = 0; step < STEPS; step++) {
        unsigned int module = draw(random, LENGTH(answerers));
        if (!loaded(module)) {
            sched_yield();
            continue;
        }
        for (unsigned int i = 0; i < QUESTIONS; i++) {
            unsigned int question = draw(random, 1 << 24);
            EXPECT(answered(module, question) == expected(module, question));
        }
        EXPECT(module_unload(answerers[module].name) == 0);
    }
}

const struct scene module_scenes[] = {
    {"modules", modules, 1},
    {0},
};
