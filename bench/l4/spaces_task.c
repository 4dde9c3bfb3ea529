/* SPDX-License-Identifier: Apache-2.0 */
/* A task of spaces.c: the server, which sends clients empty messages, or one of these. */
#include "spaces.h"

#include <l4/l4.h>

#include "../os/os.h"
#include "raw.h"

static L4_Word_t clients[SPACES_MOST];

static void calls(const os_word_t words[OS_WORDS]) {
    uint32_t rounds = (uint32_t)words[1], seed = (uint32_t)words[2], n = (uint32_t)words[3];
    L4_Word_t stub = raw_stub_ipc();
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t client = (uint32_t)((uint64_t)spaces_random(&seed) * n >> 32);
        (void)raw_call(clients[client], 0, stub);
    }
}

int main(void) {
    os_word_t words[OS_WORDS];
    (void)*(const volatile uint32_t *)(uintptr_t)raw_echo; /* later nobody gives it pages */
    os_word_t from = os_begin(words);
    for (;;) {
        switch ((enum spaces_order)words[0]) {
        case SPACES_ECHO:
            raw_echo(raw_stub_ipc());
        case SPACES_MEET:
            clients[words[1] % SPACES_MOST] = words[2];
            break;
        case SPACES_CALLS:
            calls(words);
            break;
        }
        from = os_answer(from, words);
    }
}
