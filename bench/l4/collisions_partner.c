/* SPDX-License-Identifier: Apache-2.0 */
/* The partner of collisions.c: takes the token, touches its pages, hands the token on. */
#include "collisions.h"

#include "../os/l4.h"
#include "../os/os.h"
#include "../peer.h"
#include "raw.h"

static struct {
    uint32_t at, lines;
    bool write;
} pages[MAX_DATA_PAGES];
static uint32_t num_pages, first, count, self;

static void touch(void) {
    for (uint32_t i = 0; i < num_pages; i++) {
        for (uint32_t line = 0; line < pages[i].lines; line++) {
            volatile uint32_t *at = (volatile uint32_t *)(pages[i].at + line * 32);
            uint32_t value = *at;
            if (pages[i].write) {
                *at = value + 1;
            }
        }
    }
}

static uint32_t next(uint32_t *random) {
    uint32_t step = *random == 0 ? 1 : 1 + peer_random_below(random, count - 1);
    return first + (self + step) % count * NAME_STEP;
}

int main(void) {
    L4_Word_t *message = L4_MyUtcb()->mr; /* tag and words are where L4 has them */
    L4_Word_t *words = message + 1;
    L4_Word_t stub = raw_stub_ipc();
    os_word_t first_words[OS_WORDS];
    os_word_t home = os_home(), from = os_begin(first_words);
    L4_LoadMRs(1, OS_WORDS, first_words);
    message[0] = OS_WORDS_MESSAGE.raw;
    for (;;) {
        switch (words[0]) {
        case COLLISIONS_RING:
            first = words[1];
            count = words[2];
            self = words[3];
            break;
        case COLLISIONS_PAGE:
            if (num_pages < MAX_DATA_PAGES) {
                pages[num_pages].at = words[1];
                pages[num_pages].lines = words[2];
                pages[num_pages++].write = words[3] != 0;
            }
            break;
        case COLLISIONS_TOKEN:
            touch();
            from = words[1] == 0 ? home : next(&words[2]);
            words[1]--;
            break;
        default:
            break;
        }
        from = raw_pass(from, message, stub);
    }
}
