/* SPDX-License-Identifier: Apache-2.0 */
#include "parameters.h"

#include <lib/print.h>
#include <lib/string.h>

#include "os/os.h"

static bool ends(char c) {
    return c == '\0' || c == ' ';
}

/* What follows `name=` on the command line; NULL if it is not there. */
static const char *find(const char *name) {
    size_t length = strlen(name);
    const char *word = os_command_line();
    while (*word != '\0') {
        if (strncmp(word, name, length) == 0 && word[length] == '=') {
            return word + length + 1;
        }
        while (!ends(*word)) {
            word++;
        }
        while (*word == ' ') {
            word++;
        }
    }
    return NULL;
}

bool parameter_number(const char *name, uint32_t otherwise, uint32_t *value) {
    const char *text = find(name);
    *value = otherwise;
    if (text != NULL) {
        const char *end;
        *value = (uint32_t)parse_number(text, &end);
        if (end == text || !ends(*end)) {
            print("parameter %s: not a number; expected %s=123\n", name, name);
            return false;
        }
    }
    return true;
}

unsigned parameter_list(const char *name, const char *otherwise, uint32_t *values, unsigned most) {
    const char *text = find(name);
    unsigned n = 0;
    text = text != NULL ? text : otherwise;
    for (;; text++) {
        const char *end;
        uint32_t first = (uint32_t)parse_number(text, &end);
        uint32_t last = first;
        if (end != text && *end == '-') {
            text = end + 1;
            last = (uint32_t)parse_number(text, &end);
        }
        if (end == text || last < first || last - first >= most - n ||
            (!ends(*end) && *end != ',')) {
            print("parameter %s: malformed; expected numbers and ranges like 1-8,16\n", name);
            return 0;
        }
        for (uint32_t value = first; value <= last; value++) {
            values[n++] = value;
        }
        if (ends(*end)) {
            return n;
        }
        text = end;
    }
}
