/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's main program: which question, its parameters, and how it ends. */
#include "suite.h"

/* Questions that an architecture has for itself: pointers, each with its comma. */
#ifndef OWN_QUESTIONS
#define OWN_QUESTIONS
#endif

/* All questions, each with its comma; a smaller program (linux/pipes/rules.mk) has its own few. */
#ifndef QUESTIONS
#define QUESTIONS                                                                                  \
    &question_potato, &question_ctx, &question_bandwidth, &question_process, &question_call,       \
        &question_memory, &question_signal, &question_extreme, &question_sharing,                  \
        &question_prefork, OWN_QUESTIONS
#endif

static const struct question *const questions[] = {QUESTIONS};
#define NUM_QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static char **words; /* name=value, up to NULL */
const char *own_path;

const char *parameter(const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (char **word = words; *word != NULL; word++) {
        if (strncmp(*word, name, length) == 0 && (*word)[length] == '=') {
            return *word + length + 1;
        }
    }
    return otherwise;
}

/* A bad parameter ends the program: nothing has begun yet. */
static void malformed(const char *name, const char *value, const char *expected) {
    fprintf(stderr, "suite: parameter %s: %s; expected %s\n", name, value, expected);
    exit(2);
}

static unsigned number_at(const char **text) {
    unsigned value = 0;
    while (**text >= '0' && **text <= '9' && value < 100000000u) {
        value = value * 10 + (unsigned)(*(*text)++ - '0');
    }
    return value;
}

unsigned parameter_number(const char *name, unsigned otherwise) {
    const char *text = parameter(name, NULL);
    const char *end = text;
    if (text == NULL) {
        return otherwise;
    }
    unsigned value = number_at(&end);
    if (end == text || *end != '\0' || value == 0) {
        malformed(name, text, "a number above 0");
    }
    return value;
}

unsigned parameter_list(const char *name, const char *otherwise, unsigned *values, unsigned most) {
    const char *whole = parameter(name, otherwise);
    const char *text = whole;
    unsigned n = 0;
    for (;; text++) {
        const char *begin = text;
        unsigned first = number_at(&text);
        unsigned last = first;
        if (text != begin && *text == '-') {
            begin = ++text;
            last = number_at(&text);
        }
        if (text == begin || last < first || last - first >= most - n ||
            (*text != '\0' && *text != ',')) {
            malformed(name, whole, "numbers and ranges like 2-8,16");
        }
        for (unsigned value = first; value <= last; value++) {
            values[n++] = value;
        }
        if (*text == '\0') {
            return n;
        }
    }
}

bool parameter_is(const char *name, const char *otherwise, const char *value) {
    return strcmp(parameter(name, otherwise), value) == 0;
}

bool wanted(const char *name) {
    return parameter_is("case", "all", "all") || parameter_is("case", "all", name);
}

bool lacks(const char *name, const char *why) {
    printf("LACKS %s %s\n", name, why);
    return true;
}

bool failed(const char *what) {
    printf("suite: %s failed: error %d\n", what, errno);
    return false;
}

static int usage(void) {
    printf("usage: suite QUESTION [name=value]...; the questions:\n");
    for (size_t i = 0; i < NUM_QUESTIONS; i++) {
        printf("  %s: %s\n", questions[i]->name, questions[i]->about);
    }
    return 2;
}

static bool ask(const struct question *question) {
    if (parameter_is("clock", "os", "probe") && !os_probe_open()) {
        printf("suite: parameter clock=probe: there is no probe; expected the simulator\n");
        return false;
    }
    return question->run();
}

int main(int argc, char **argv) {
    static char *none[] = {NULL};
    own_path = argv[0];
    words = argc > 2 ? argv + 2 : none;
    if (argc == 6 && strcmp(argv[1], "relay") == 0) {
        return relay_main(argv + 2);
    }
    if (argc == 3 && strcmp(argv[1], "writer") == 0) {
        return writer_main(argv + 2);
    }
    for (size_t i = 0; argc > 1 && i < NUM_QUESTIONS; i++) {
        if (strcmp(questions[i]->name, argv[1]) == 0) {
            int status = ask(questions[i]) ? 0 : 1;
            printf("END status=%d\n", status);
            fflush(stdout);
            if (os_has_probe()) {
                os_probe_exit(status);
            }
            return status;
        }
    }
    return usage();
}
