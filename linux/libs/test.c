/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared libraries: that they are where the system has them, in every process; that data is each
 * process's own, and text nobody's to change; and that programs run as well where a place is taken.
 * A table for the self-test, whose program is linked with libc.so and libmore.so, and, under other
 * names, so that places are taken (rules.mk).
 */
#include <linux/elf.h>
#include <linux/ptrace.h>

#include <test.h>

#include "more.h"

static const char C[] = "libc.so", MORE[] = "libmore.so";

enum { AREAS = 0x80000000u, SLOT = 0x02000000 };

/* Where a text has another in it; NULL if nowhere. */
static const char *find_text(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++) {
        if (strncmp(text, part, length) == 0) {
            return text;
        }
    }
    return NULL;
}

/* ---- what is mapped where ---- */

struct mapped {
    unsigned long start;
    char rights[5];
    char path[64];
};

static unsigned long hexadecimal(const char *text) {
    unsigned long value = 0;
    for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++) {
        value = value << 4 | (*text <= '9' ? *text - '0' : *text - 'a' + 10);
    }
    return value;
}

/* The mapping of a library that can be written, or cannot ('-'). These processors can execute all
 * that they can read. The file's lines end with the path. */
static int find_mapping(const char *library, char write, struct mapped *found) {
    static char text[4096];
    int fd = open("/proc/self/maps", O_RDONLY);
    long got = read_all(fd, text, sizeof(text) - 1);
    EXPECT(got > 0);
    close(fd);
    text[got] = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *rights = strchr(line, ' ') + 1;
        *end = 0;
        const char *name = strrchr(line, '/');
        if (!name || strcmp(name + 1, library) != 0 || rights[1] != write) {
            continue;
        }
        found->start = hexadecimal(line);
        memcpy(found->rights, rights, 4);
        found->rights[4] = 0;
        strlcpy(found->path, strchr(line, '/'), sizeof(found->path));
        return 1;
    }
    return 0;
}

static int is_shared(const char *library) {
    struct mapped text, data;
    EXPECT(find_mapping(library, '-', &text) && find_mapping(library, 'w', &data));
    EXPECT(strcmp(text.path, data.path) == 0);
    EXPECT(strcmp(data.rights, "rwxp") == 0 && data.start < SLOT);
    if (strncmp(text.path, "/lib/shared/", 12) != 0) {
        EXPECT(strcmp(text.rights, "r-xp") == 0 && text.start < SLOT);
        return 0;
    }
    EXPECT(strcmp(text.rights, "r-xs") == 0 && text.start >= AREAS);
    return 1;
}

static void places(void) {
    struct mapped text;
    EXPECT(is_shared(C) && is_shared(MORE));
    EXPECT(find_mapping(MORE, '-', &text));
    EXPECT((unsigned long)more_where() >= text.start);
}

/* ---- that libraries work ---- */

static void work(void) {
    char to[16];
    EXPECT(more_answer() == 42);
    EXPECT(more_word(0, to) == 9 && strcmp(to, "forty-two") == 0);
    EXPECT(more_word(1, to) == 3 && strcmp(to, "two") == 0);
    errno = 0;
    EXPECT(more_open() == -1 && errno == ENOENT);
}

static void environment_is_known(void) {
    EXPECT(getenv("PATH") && strcmp(getenv("PATH"), "/bin") == 0);
    EXPECT(getauxval(AT_PAGESZ) == PAGE);
}

/* What one has changed is not what the others find, whoever ran last. */
static void data_is_private(void) {
    struct ring ring;
    ring_make(&ring, 5);
    for (int round = 1; round <= 10; round++) {
        if (ring.own != 0 || round != 1) {
            ring_wait(&ring);
        }
        for (int n = 0; n < ring.own; n++) {
            more_times();
        }
        EXPECT(more_times() == round * (ring.own + 1));
        errno = 100 + ring.own;
        ring_pass(&ring);
        EXPECT(errno == 100 + ring.own);
    }
    ring_finish(&ring);
}

/* ---- that nobody changes what all execute ---- */

static void text_stays(void) {
    unsigned int *at = more_where();
    char *page = (char *)((unsigned long)at & -(unsigned long)PAGE);
    int status;
    EXPECT(protect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == -1 && errno == EACCES);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        *(volatile unsigned int *)at = 0;
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && ended_by(status) == SIGSEGV);
    EXPECT(open("/proc/self/exe", O_RDWR) == -1);
    work();
}

/* A debugger cannot either, though it can in private text. */
static void debugger(void) {
    int status;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        trace(PTRACE_TRACEME, 0, 0, 0);
        kill(getpid(), SIGSTOP);
        _exit(more_answer());
    }
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
    EXPECT(trace(PTRACE_POKEDATA, child, (unsigned long)more_where(), 0) == -1);
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

/* Who puts a text of its own in the place has it alone. */
static void another_text(void) {
    enum { WORDS = 8 };
    static const unsigned int mov_r0_42 = 0xe3a0002a;
    static char copy[PAGE];
    unsigned int *at = more_where();
    char *page = (char *)((unsigned long)at & -(unsigned long)PAGE);
    struct ring ring;
    ring_make(&ring, 3);
    for (int round = 0; round < 12; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 1 && round == 4) {
            int n = 0;
            memcpy(copy, page, PAGE);
            EXPECT(mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
            for (size_t i = 0; i < PAGE / sizeof(int); i++) {
                ((unsigned int *)page)[i] = ((unsigned int *)copy)[i];
            }
            while (n < WORDS && at[n] != mov_r0_42) {
                n++;
            }
            EXPECT(n < WORDS);
            at[n]++;
            EXPECT(flush_code(page, PAGE) == 0);
        }
        EXPECT(more_answer() == (ring.own == 1 && round >= 4 ? 43 : 42));
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* ---- other programs ---- */

/* The exit status of a program, and what it said at first on its standard error. */
static int run(const char *path, const char *word, const char *variable, char *said, size_t size) {
    char *const arguments[] = {(char *)path, (char *)word, NULL};
    char *const environment[] = {(char *)variable, NULL};
    int status, fds[2];
    EXPECT(pipe(fds) == 0);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        dup2(fds[1], 2);
        close(fds[0]);
        close(fds[1]);
        execve(path, arguments, environment);
        _exit(126);
    }
    close(fds[1]);
    long got = read_all(fds[0], said, size - 1);
    EXPECT(got >= 0);
    said[got] = 0;
    close(fds[0]);
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static char said[512];

static int status_of(const char *path, const char *variable) {
    return run(path, "where", variable, said, sizeof(said));
}

/* In programs that are executed: which of the libraries are shared, as a status above all others.
 */
enum { BASE = 80, C_IS = 1, MORE_IS = 2 };

static void in_others(void) {
    EXPECT(status_of("/bin/selftest", "A=1") == BASE + C_IS + MORE_IS && said[0] == 0);
    EXPECT(status_of("/bin/selftest", "LD_SHOW=0") == BASE + C_IS + MORE_IS && said[0] == 0);
    EXPECT(status_of("/bin/selftest", "LD_SHOW=1") == BASE + C_IS + MORE_IS);
    EXPECT(find_text(said, "/lib/shared/libc.so at 80800000\n"));
    EXPECT(find_text(said, "/lib/shared/libmore.so at 81800000\n"));
    EXPECT(status_of("/bin/selftest", "LD_PRIVATE=1") == BASE && said[0] == 0);
}

/* A program is where the library's data would be. */
static void taken_by_program(void) {
    EXPECT(status_of("/bin/low", "A=1") == BASE + MORE_IS);
    EXPECT(status_of("/bin/low", "LD_SHOW=1") == BASE + MORE_IS);
    EXPECT(find_text(said, "/lib/libc.so at "));
    EXPECT(find_text(said, ", private: something else is in its place\n"));
}

/* Another library is where the library's text and data would be. */
static void taken_by_library(void) {
    EXPECT(status_of("/bin/taken", "LD_SHOW=1") == BASE + C_IS);
    EXPECT(find_text(said, "/lib/shared/libc.so at 80800000\n"));
    EXPECT(find_text(said, "/lib/libtaken.so at "));
}

/* A library that is not there: one line, and a status. */
static void no_library(void) {
    EXPECT(status_of("/bin/lost", "A=1") == 127);
    EXPECT(strcmp(said, "ld.so: /bin/lost: /lib/libgone.so: there is no such library\n") == 0);
}

/* A file in its place that is a library but for one kind of its parts. */
static void library_without(unsigned int kind) {
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr part[8];
    } begin;
    int from = open("/lib/libmore.so", O_RDONLY);
    int to = open("/lib/libgone.so", O_RDWR | O_CREAT | O_EXCL, 0644);
    EXPECT(from >= 0 && to >= 0 && read_all(from, &begin, sizeof(begin)) == sizeof(begin));
    EXPECT(begin.header.e_phnum <= LENGTH(begin.part));
    for (int i = 0; i < begin.header.e_phnum; i++) {
        if (begin.part[i].p_type == kind) {
            begin.part[i].p_type = PT_NULL;
        }
    }
    EXPECT(write_all(to, &begin, sizeof(begin)) == sizeof(begin));
    close(from);
    close(to);
    EXPECT(status_of("/bin/lost", "A=1") == 127);
    EXPECT(unlink("/lib/libgone.so") == 0);
    EXPECT(strcmp(said, "ld.so: /bin/lost: /lib/libgone.so: is no library that can be loaded\n") ==
           0);
}

static void nothing_to_load(void) {
    library_without(PT_LOAD);
    library_without(PT_DYNAMIC);
}

int executed(int argc, char **argv, char **environment) {
    (void)argc;
    (void)environment;
    const char *more = strcmp(argv[0], "/bin/taken") == 0 ? "libtaken.so" : MORE;
    work();
    return BASE + (is_shared(C) ? C_IS : 0) + (is_shared(more) ? MORE_IS : 0);
}

/* ---- what the kernel counts (linux/6.12/fass) ---- */

static unsigned long counter(const char *name) {
    static char text[2048];
    int fd = open("/sys/kernel/debug/fass", O_RDONLY);
    long got = read_all(fd, text, sizeof(text) - 1);
    EXPECT(fd >= 0 && got > 0);
    close(fd);
    text[got] = 0;
    for (const char *line = text; (line = find_text(line, name)); line++) {
        const char *value = line + strlen(name) + 1;
        if ((line == text || line[-1] == '\n') && *value >= '0' && *value <= '9') {
            return atol(value);
        }
    }
    fail(__FILE__, __LINE__, name);
}

/* Two processes that run it in turn have it together: neither collides, nor flushes. */
static void one_for_all(void) {
    enum { ROUNDS = 50 };
    unsigned long joined = counter("regions joined"), flushes = 0, collisions = 0;
    struct ring ring;
    char to[16];
    ring_make(&ring, 2);
    for (int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 0 && round == 2) {
            flushes = counter("flushes");
            collisions = counter("collisions of mappings");
        }
        EXPECT(more_answer() == 42 && more_word(0, to) == 9);
        ring_pass(&ring);
    }
    if (ring.own == 0) {
        ring_wait(&ring);
        EXPECT(counter("flushes") <= flushes + 4);
        EXPECT(counter("collisions of mappings") <= collisions + 4);
        /* Both of the libraries, by the child, and by the others if they had left. */
        EXPECT(counter("regions joined") >= joined + 2);
    }
    ring_end(&ring);
}

int fass_counts(void) {
    static char words[1024];
    struct stat found;
    int fd = open("/proc/cmdline", O_RDONLY);
    long got = read_all(fd, words, sizeof(words) - 1);
    EXPECT(got > 0);
    close(fd);
    words[got] = 0;
    mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
    return !find_text(words, "fass=") && stat("/sys/kernel/debug/fass", &found) == 0;
}

const struct test library_tests[] = {
    {"libraries are in their places", places},
    {"libraries work", work},
    {"libraries know the environment", environment_is_known},
    {"data of a library is private", data_is_private},
    {"text of a library stays as it is", text_stays},
    {"text of a library under a debugger", debugger},
    {"another text in its place", another_text},
    {"libraries of other programs", in_others},
    {"a place taken by a program", taken_by_program},
    {"a place taken by a library", taken_by_library},
    {"a library that is not there", no_library},
    {"a library without a part that it needs", nothing_to_load},
    {0},
};

const struct test fass_tests[] = {
    {"one text for all processes", one_for_all},
    {0},
};
