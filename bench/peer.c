/* SPDX-License-Identifier: Apache-2.0 */
/* A partner of policy.c and extreme.c: does what it is told, and talks to its neighbours. */
#include "peer.h"

#include "os/os.h"

static os_word_t neighbours[PEER_MAX_NEIGHBOURS];

static void calls(uint32_t rounds, uint32_t seed, uint32_t n) {
    for (uint32_t i = 0; i < rounds; i++) {
        os_word_t words[OS_WORDS] = {PEER_PING, 0, 0, 0};
        (void)os_call_peer(neighbours[peer_random_below(&seed, n)], words);
    }
}

/* Wiggins et al., section 4.1, "extreme": "reads a byte from each page and then performs a yield".
 */
static void touch(uintptr_t at, uint32_t pages, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; i++) {
        for (uint32_t page = 0; page < pages; page++) {
            (void)*(const volatile uint8_t *)(at + page * 4096);
        }
        os_yield();
    }
}

int main(void) {
    os_word_t words[OS_WORDS];
    os_word_t from = os_begin(words);
    for (;;) {
        switch ((enum peer_operation)words[0]) {
        case PEER_MEET:
            neighbours[words[1] % PEER_MAX_NEIGHBOURS] = words[2];
            break;
        case PEER_CALLS:
            calls(words[1], words[2], words[3]);
            break;
        case PEER_TOKEN:
            from = words[1] == 0 ? os_home() : neighbours[0];
            words[1]--;
            break;
        case PEER_TOUCH:
            touch(words[1], words[2], words[3]);
            break;
        case PEER_PING:
            break;
        }
        from = os_answer(from, words);
    }
}
