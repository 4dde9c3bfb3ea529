/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that pass tokens on, what they are connected by, and files that nobody has to delete.
 */
#include "suite.h"

pid_t child_start(void (*body)(void *context), void *context) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        os_end_with_parent();
        body(context);
        _exit(0);
    }
    if (child < 0 && errno == EINVAL) {
        printf("suite: parameter spawn: there is no fork() without an MMU; expected vfork\n");
    }
    return child;
}

bool spawned_by_fork(void) {
    return parameter_is("spawn", "fork", "fork");
}

void child_end(pid_t child) {
    if (child > 0) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
}

bool token_send(int fd, unsigned size) {
    static const char token[8];
    return write(fd, token, size) == (ssize_t)size;
}

bool token_take(int fd, unsigned size) {
    char token[8];
    return read(fd, token, size) == (ssize_t)size;
}

bool working_set_make(unsigned kilobytes, uint32_t **set) {
    size_t size = (size_t)kilobytes * 1024;
    *set = NULL;
    if (kilobytes > 0) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return false;
        }
        memset(memory, 1, size); /* pages of its own, none of them the page of zeros */
        *set = memory;
    }
    return true;
}

static volatile uint32_t sum_of_set;

void working_set_touch(const uint32_t *set, unsigned kilobytes) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < kilobytes * 256; i += 8) {
        sum += set[i] + set[i + 1] + set[i + 2] + set[i + 3] + set[i + 4] + set[i + 5] +
               set[i + 6] + set[i + 7];
    }
    sum_of_set = sum;
}

static void relay_run(void *context) {
    const struct relay *relay = context;
    uint32_t *set;
    if (!working_set_make(relay->kilobytes, &set)) {
        return;
    }
    while (token_take(relay->in, relay->size)) {
        working_set_touch(set, relay->kilobytes);
        if (!token_send(relay->out, relay->size)) {
            return;
        }
    }
}

/* Returns where it ends. */
static char *decimal(char *to, unsigned value) {
    char digits[12];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (n > 0) {
        *to++ = digits[--n];
    }
    *to = '\0';
    return to;
}

static char *copy(char *to, const char *from) {
    while (*from != '\0') {
        *to++ = *from++;
    }
    *to = '\0';
    return to;
}

pid_t program_start(const char *name, const unsigned *numbers, unsigned n) {
    char digits[PROGRAM_NUMBERS][12];
    char *arguments[PROGRAM_NUMBERS + 3] = {(char *)own_path, (char *)name};
    for (unsigned i = 0; i < n; i++) {
        (void)decimal(digits[i], numbers[i]);
        arguments[2 + i] = digits[i];
    }
    fflush(stdout);
    return os_vfork_program(own_path, arguments);
}

pid_t relay_start(const struct relay *relay) {
    if (spawned_by_fork()) {
        return child_start(relay_run, (void *)relay);
    }
    unsigned numbers[PROGRAM_NUMBERS] = {(unsigned)relay->in, (unsigned)relay->out, relay->size,
                                         relay->kilobytes};
    return program_start("relay", numbers, PROGRAM_NUMBERS);
}

int relay_main(char **arguments) {
    struct relay relay = {
        .in = atoi(arguments[0]),
        .out = atoi(arguments[1]),
        .size = (unsigned)atoi(arguments[2]),
        .kilobytes = (unsigned)atoi(arguments[3]),
    };
    os_end_with_parent();
    relay_run(&relay);
    return 1;
}

void scratch_name(char *name, size_t size, const char *what) {
    static unsigned count;
    const char *folder = parameter("dir", "/tmp");
    if (strlen(folder) + strlen(what) + 40 > size) {
        printf("suite: parameter dir: too long\n");
        exit(2);
    }
    char *end = copy(copy(copy(name, folder), "/switchyard-"), what);
    end = decimal(copy(end, "-"), (unsigned)getpid());
    (void)decimal(copy(end, "-"), count++);
}

bool channel_open(struct channel *channel, bool fifo) {
    if (!fifo) {
        int fds[2];
        if (pipe(fds) != 0) {
            return false;
        }
        *channel = (struct channel){.in = fds[0], .out = fds[1]};
        return true;
    }
    char name[256];
    scratch_name(name, sizeof(name), "fifo");
    if (!os_fifo(name)) {
        return false;
    }
    /* Read and write, so that neither end waits for the other to be opened (fifo(7)). */
    channel->in = open(name, O_RDWR);
    channel->out = open(name, O_RDWR);
    (void)unlink(name);
    return channel->in >= 0 && channel->out >= 0;
}

void channel_close(struct channel *channel) {
    (void)close(channel->in);
    (void)close(channel->out);
}

bool pages_open(struct pages *pages, bool shared, size_t size) {
    *pages = (struct pages){.fd = scratch_file((unsigned)size), .shared = shared, .size = size};
    return pages->fd >= 0;
}

bool pages_map(struct pages *pages) {
    int flags = pages->shared ? MAP_SHARED : MAP_PRIVATE;
    void *at = mmap(NULL, pages->size, PROT_READ, flags, pages->fd, 0);
    pages->at = at;
    return at != MAP_FAILED;
}

void pages_unmap(struct pages *pages) {
    (void)munmap((void *)pages->at, pages->size);
}

void pages_close(struct pages *pages) {
    (void)close(pages->fd);
}

int scratch_file(unsigned size) {
    char name[256];
    scratch_name(name, sizeof(name), "file");
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) {
        return -1;
    }
    (void)unlink(name);
    if (size > 0 && !os_truncate(fd, (long)size)) {
        (void)close(fd);
        return -1;
    }
    return fd;
}
