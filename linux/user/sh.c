/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A shell for looking around by hand: words, programs in /bin, `>` and `|`, and what a system
 * without other programs needs built in. No quotes, no variables. It ends with its input;
 * `sh -c LINE` runs that line only.
 */
#include "os.h"

enum { LINE = 512, WORDS = 32, BUFFER = 4096 };

static int copy(int from, int to) {
    char buffer[BUFFER];
    long got;
    while ((got = read(from, buffer, sizeof(buffer))) > 0) {
        if (write_all(to, buffer, got) < 0) {
            return 1;
        }
    }
    return got < 0;
}

static int complain(const char *what) {
    fprintf(stderr, "%s: error %d\n", what, errno);
    return 1;
}

static int do_cat(char **words) {
    int bad = 0;
    if (!words[1]) {
        return copy(0, 1);
    }
    for (char **name = words + 1; *name; name++) {
        int fd = open(*name, O_RDONLY);
        bad |= fd < 0 || copy(fd, 1) ? complain(*name) : 0;
        close(fd);
    }
    return bad;
}

static int do_ls(char **words) {
    static char buffer[BUFFER] __attribute__((aligned(8)));
    const char *name = words[1] ? words[1] : ".";
    int fd = open(name, O_RDONLY | O_DIRECTORY);
    int got;
    if (fd < 0) {
        return complain(name);
    }
    while ((got = getdents64(fd, (void *)buffer, sizeof(buffer))) > 0) {
        for (int at = 0; at < got;) {
            struct linux_dirent64 *entry = (void *)(buffer + at);
            puts(entry->d_name);
            at += entry->d_reclen;
        }
    }
    close(fd);
    return got < 0 ? complain(name) : 0;
}

static int do_echo(char **words) {
    for (char **word = words + 1; *word; word++) {
        printf(word[1] ? "%s " : "%s", *word);
    }
    putchar('\n');
    return 0;
}

static int do_kill(char **words) {
    return words[1] && kill(atoi(words[1]), SIGTERM) == 0 ? 0 : complain("kill");
}

static int do_mkdir(char **words) {
    return words[1] && mkdir(words[1], 0777) == 0 ? 0 : complain("mkdir");
}

static int do_rm(char **words) {
    return words[1] && unlink(words[1]) == 0 ? 0 : complain("rm");
}

static int do_uptime(char **words) {
    (void)words;
    printf("%d ms\n", (int)(monotonic() / 1000000));
    return 0;
}

static int do_help(char **words);

static const struct {
    const char *name;
    int (*run)(char **words);
} commands[] = {
    {"cat", do_cat},     {"ls", do_ls}, {"echo", do_echo},     {"kill", do_kill},
    {"mkdir", do_mkdir}, {"rm", do_rm}, {"uptime", do_uptime}, {"help", do_help},
};

static int do_help(char **words) {
    (void)words;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        printf("%s ", commands[i].name);
    }
    puts("cd exit, programs in /bin, and > and |");
    return 0;
}

/* What one process of a pipeline does; does not come back. */
__attribute__((noreturn)) static void become(char **words) {
    char path[LINE + 8] = "/bin/";
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(words[0], commands[i].name) == 0) {
            exit(commands[i].run(words));
        }
    }
    strlcat(path, words[0], sizeof(path));
    execve(strchr(words[0], '/') ? words[0] : path, words, environ);
    exit(complain(words[0]));
}

/* Splits a line into words where blanks are. */
static int split(char *line, char **words) {
    int count = 0;
    while (count < WORDS - 1) {
        while (*line == ' ' || *line == '\t') {
            *line++ = 0;
        }
        if (!*line) {
            break;
        }
        words[count++] = line;
        while (*line && *line != ' ' && *line != '\t') {
            line++;
        }
    }
    words[count] = NULL;
    return count;
}

/* Runs one pipeline and waits for all of it. The exit status of the process that ended last. */
static int pipeline(char *line) {
    int in = 0;
    int started = 0;
    int status = 0;
    while (line) {
        char *words[WORDS];
        char *rest = strchr(line, '|');
        char *target = NULL;
        int ends[2] = {0, 1};
        pid_t child;
        if (rest) {
            *rest++ = 0;
            if (pipe(ends) < 0) {
                complain("pipe");
                break;
            }
        } else if ((target = strchr(line, '>'))) {
            char *file[WORDS];
            *target++ = 0;
            ends[1] = split(target, file) ? open(file[0], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
            if (ends[1] < 0) {
                complain("a file after >");
                break;
            }
        }
        if (split(line, words) && (child = fork()) >= 0) {
            if (child == 0) {
                dup2(in, 0);
                dup2(ends[1], 1);
                if (rest) {
                    close(ends[0]);
                }
                become(words);
            }
            started++;
        }
        if (in != 0) {
            close(in);
        }
        if (ends[1] != 1) {
            close(ends[1]);
        }
        in = rest ? ends[0] : 0;
        line = rest;
    }
    if (in != 0) {
        close(in);
    }
    while (started-- > 0) {
        waitpid(-1, &status, 0);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv) {
    char line[LINE];
    if (argc == 3 && strcmp(argv[1], "-c") == 0) {
        return pipeline(argv[2]);
    }
    for (;;) {
        char *words[WORDS];
        char copied[LINE];
        fputs("# ", stdout);
        if (!fgets(line, sizeof(line), stdin)) {
            return 0;
        }
        line[strlen(line) - (line[strlen(line) - 1] == '\n')] = 0;
        strlcpy(copied, line, sizeof(copied));
        if (!split(copied, words)) {
            continue;
        }
        /* These two change the shell itself. */
        if (strcmp(words[0], "exit") == 0) {
            return 0;
        }
        if (strcmp(words[0], "cd") == 0) {
            if (chdir(words[1] ? words[1] : "/") < 0) {
                complain("cd");
            }
            continue;
        }
        pipeline(line);
    }
}
