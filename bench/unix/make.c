/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does it take to compile a file, and all files of a microkernel? (Uhlig et al., "Performance
 * of Address-Space Multiplexing on the Pentium", 4.9, who have gcc, make and L4Ka/Hazelnut.)
 *
 * The compiler is a program of its own (cc.c), started for each file; the measured process does
 * what make does: it looks for each source's object, and starts a compiler where there is none.
 *
 *     compile   one file, the largest                     stream 1
 *     make      all of them, none of them compiled yet    stream 2 (once: it takes long)
 *
 * The folder of the sources has a file `files`: lines of words, the first one the compiler with its
 * options, each other line a source.
 *
 * Parameters: case=all files= (the first so many) src=/src rounds= warmup= dir=
 */
#include "suite.h"

#include <sys/stat.h>

#define MAX_WORDS 32u
#define MAX_FILES 64u
#define MAX_TEXT  8192u
#define MAX_NAME  256u

struct tree {
    char text[MAX_TEXT];
    char *command[MAX_WORDS + 3]; /* the compiler, its options, a source, an object, NULL */
    unsigned words;
    char *sources[MAX_FILES];
    unsigned files;
    unsigned largest;
};

static void name_of(char *object, unsigned file) {
    snprintf(object, MAX_NAME, "%s/%u.o", parameter("dir", "/tmp"), file);
}

static bool is_there(const char *name) {
    struct stat found;
    return stat(name, &found) == 0 && found.st_size > 0;
}

static bool compile(struct tree *tree, unsigned file) {
    char object[MAX_NAME];
    int status = -1;
    name_of(object, file);
    tree->command[tree->words] = tree->sources[file];
    tree->command[tree->words + 1] = object;
    pid_t child = os_vfork_program(tree->command[0], tree->command);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && is_there(object);
}

static bool compile_one(void *context) {
    struct tree *tree = context;
    return compile(tree, tree->largest);
}

static bool make(void *context) {
    struct tree *tree = context;
    bool good = true;
    for (unsigned file = 0; good && file < tree->files; file++) {
        char object[MAX_NAME];
        name_of(object, file);
        good = is_there(tree->sources[file]) && (is_there(object) || compile(tree, file));
    }
    return good;
}

static bool clean(void *context) {
    const struct tree *tree = context;
    for (unsigned file = 0; file < tree->files; file++) {
        char object[MAX_NAME];
        name_of(object, file);
        (void)unlink(object);
    }
    return true;
}

/* Cuts the list into words and lines. */
static bool read_list(struct tree *tree) {
    char name[MAX_NAME];
    snprintf(name, sizeof(name), "%s/files", parameter("src", "/src"));
    int fd = open(name, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, tree->text, MAX_TEXT - 1);
    if (size <= 0) {
        return failed(name);
    }
    (void)close(fd);
    unsigned most = parameter_number("files", MAX_FILES);
    off_t largest = 0;
    char *rest = NULL;
    char *line = strtok_r(tree->text, "\n", &rest);
    char *words = NULL;
    for (char *word = strtok_r(line, " ", &words); word != NULL && tree->words < MAX_WORDS;
         word = strtok_r(NULL, " ", &words)) {
        tree->command[tree->words++] = word;
    }
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL && tree->files < MAX_FILES &&
           tree->files < most) {
        struct stat found;
        if (stat(line, &found) != 0) {
            return failed(line);
        }
        if (found.st_size > largest) {
            largest = found.st_size;
            tree->largest = tree->files;
        }
        tree->sources[tree->files++] = line;
    }
    return tree->files > 0;
}

static bool made(void) {
    static struct tree tree;
    if (!read_list(&tree)) {
        return false;
    }
    printf("MAKE files=%u largest=%s\n", tree.files, tree.sources[tree.largest]);
    const struct measured compiling = {.stream = 1,
                                       .name = "compile",
                                       .run = compile_one,
                                       .context = &tree,
                                       .rounds = 3,
                                       .warmup = 1,
                                       .per = 1,
                                       .once = true};
    const struct measured making = {.stream = 2,
                                    .name = "make",
                                    .run = make,
                                    .context = &tree,
                                    .prepare = clean,
                                    .rounds = 1,
                                    .warmup = 0,
                                    .per = 1,
                                    .once = true};
    return (!wanted("compile") || measure(&compiling)) && (!wanted("make") || measure(&making));
}

const struct question question_make = {"make", "a file, and a microkernel, through a compiler",
                                       made};
