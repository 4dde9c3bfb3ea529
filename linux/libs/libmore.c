/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second library, for tests: data of its own, written and read-only, with an address in it, and
 * calls of the first.
 */
#include "more.h"

static int times;
static const char word[] = "forty-two";
static const char *const words[] = {word, word + 6};

int more_answer(void) {
    return 42;
}

int more_times(void) {
    return ++times;
}

size_t more_word(int which, char *to) {
    strcpy(to, words[which]);
    return strlen(to);
}

/* Fails, and leaves the reason. */
int more_open(void) {
    return open("/there/is/none", O_RDONLY);
}

/* Where the first of these functions is: in a program its name is a place from which it is called.
 */
void *more_where(void) {
    return (void *)more_answer;
}
