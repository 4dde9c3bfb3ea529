/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages between the processes of a program that is drawn: an inbox each, of one of four kinds.
 */
#include "random.h"

#include <linux/futex.h>

enum { MOST_PAYLOAD = 2048, SHORT = 4 };

struct letter {
    struct message message;
    uint32_t payload[MOST_PAYLOAD / sizeof(uint32_t)];
};

/* In shared memory: a place for each who sends to an inbox, and a word that changes with each
 * message, by which the owner is woken. */
struct board {
    int bell;
    struct {
        volatile uint32_t full;
        struct message message;
        uint32_t payload[SHORT];
    } from[MOST_PROCESSES];
};

static int in[MOST_PROCESSES], out[MOST_PROCESSES];
static struct board *boards;
static unsigned int sent;
static struct letter in_data, *mapped;

static void open_fifo(unsigned int number) {
    char path[32] = "/tmp/fifo-";
    utoa_r(number, path + strlen(path));
    EXPECT(make_fifo(path, 0600) == 0);
    in[number] = out[number] = open(path, O_RDWR);
    EXPECT(in[number] >= 0 && unlink(path) == 0);
}

void turns_open(const struct plan *plan) {
    for (unsigned int i = 0; i < plan->process_count; i++) {
        int ends[2];
        switch (plan->processes[i].inbox) {
        case FIFO:
            open_fifo(i);
            continue;
        case SOCKET:
            EXPECT(socket_pair(1, 1, ends) == 0); /* AF_UNIX, SOCK_STREAM */
            break;
        case FUTEX:
            if (!boards) {
                boards = fresh(sizeof(*boards) * plan->process_count, MAP_SHARED);
            }
            continue;
        default:
            EXPECT(pipe(ends) == 0);
        }
        in[i] = ends[0];
        out[i] = ends[1];
    }
    if (plan->buffer == MAPPED) {
        mapped = fresh(sizeof(*mapped), MAP_PRIVATE);
    }
}

/* A word that no other message has: who sends it may be interrupted between any two lines. */
static int unique(unsigned int from) {
    return (int)(from << 24 | (++sent & 0xffffff));
}

static void post(struct board *board, const struct message *message, unsigned int words) {
    unsigned int from = message->from;
    board->from[from].message = *message;
    for (unsigned int i = 0; i < words; i++) {
        board->from[from].payload[i] = message->sum + i;
    }
    __asm__ volatile("" ::: "memory");
    board->from[from].full = 1;
    *(volatile int *)&board->bell = unique(from);
    futex_wake(&board->bell, 1);
}

static struct message collect(struct board *board, unsigned int words) {
    for (;;) {
        int bell = *(volatile int *)&board->bell;
        for (unsigned int from = 0; from < MOST_PROCESSES; from++) {
            if (board->from[from].full) {
                struct message message = board->from[from].message;
                for (unsigned int i = 0; i < words; i++) {
                    message.sum ^= board->from[from].payload[i];
                }
                __asm__ volatile("" ::: "memory");
                board->from[from].full = 0;
                return message;
            }
        }
        futex_wait(&board->bell, bell);
    }
}

static unsigned int short_words(const struct plan *plan) {
    unsigned int words = plan->payload / sizeof(uint32_t);
    return words < SHORT ? words : SHORT;
}

static void write_letter(int fd, struct letter *letter, const struct message *message,
                         unsigned int payload) {
    letter->message = *message;
    for (unsigned int i = 0; i < payload / sizeof(uint32_t); i++) {
        letter->payload[i] = message->sum + i;
    }
    size_t bytes = sizeof(*message) + payload;
    EXPECT(write(fd, letter, bytes) == (ssize_t)bytes);
}

static struct message read_letter(int fd, struct letter *letter, unsigned int payload) {
    size_t bytes = sizeof(letter->message) + payload;
    EXPECT(read_all(fd, letter, bytes) == (long)bytes);
    struct message message = letter->message;
    for (unsigned int i = 0; i < payload / sizeof(uint32_t); i++) {
        message.sum ^= letter->payload[i];
    }
    return message;
}

static __attribute__((noinline)) void write_from_stack(int fd, const struct message *message,
                                                       unsigned int payload) {
    struct letter letter;
    write_letter(fd, &letter, message, payload);
}

static __attribute__((noinline)) struct message read_to_stack(int fd, unsigned int payload) {
    struct letter letter;
    return read_letter(fd, &letter, payload);
}

void turn_send(const struct plan *plan, unsigned int to, struct message message) {
    if (plan->processes[to].inbox == FUTEX) {
        post(&boards[to], &message, short_words(plan));
    } else if (plan->buffer == ON_STACK) {
        write_from_stack(out[to], &message, plan->payload);
    } else {
        write_letter(out[to], plan->buffer == MAPPED ? mapped : &in_data, &message, plan->payload);
    }
}

struct message turn_receive(const struct plan *plan, unsigned int own) {
    if (plan->processes[own].inbox == FUTEX) {
        return collect(&boards[own], short_words(plan));
    }
    if (plan->buffer == ON_STACK) {
        return read_to_stack(in[own], plan->payload);
    }
    return read_letter(in[own], plan->buffer == MAPPED ? mapped : &in_data, plan->payload);
}
