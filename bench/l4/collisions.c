/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a message cost one way between spaces whose parts lie at the same addresses, where the
 * processor relocates nothing?
 *
 * `spaces` partners hand a token on; each touches `lines` lines of its `pages` pages of data when
 * it has it. Of UTCBs, KIP, code and data the first `colliding` lie at the same address in every
 * space, each in a megabyte of its own above 32 MB; the others are in the low memory, where no two
 * spaces meet. All memory is each space's own, the code too.
 *
 * With a `seed` everything but the number of spaces is drawn: how many megabytes there are to lie
 * in, where each part of each space lies, how many pages, lines and whether they are written, and
 * whether the token goes round or anywhere.
 *
 * After a run that does not count region 1 holds `hops` hops; sample stream 1 has their cycles, and
 * 2 their number.
 *
 * Parameters (boot command line): spaces=2 colliding=3 pages=0 lines=8 hops=2000 seed=0
 */
#include "collisions.h"

#include <lib/print.h>

#include "../measure.h"
#include "../os/l4.h"
#include "../os/os.h"
#include "../parameters.h"
#include "../peer.h"

#define MAX_SPACES    64u
#define MAX_COLLIDING 4u
#define MAX_PLACES    8u
#define POOL_PAGES    480u /* of the frames that there are (user/common/frames.c) */
#define PROGRAM_PAGES 4u
#define MEGABYTE      0x100000u
#define PARTS_AT      0x40000000u /* and a megabyte for each that collides */
#define LOW_CODE      0u          /* where it is linked */
#define LOW_DATA      0x00100000u

struct data_page {
    uint32_t at, lines, write;
};

struct drawn {
    struct task_layout layout;
    struct data_page data[MAX_DATA_PAGES];
};

static uint32_t spaces, colliding, num_pages, lines, hops, seed;
static uint32_t token_state; /* 0: round the ring */
static struct drawn drawn[MAX_SPACES];

/* ---- the same for all ---- */

static uint32_t part_at(uint32_t part, uint32_t low, uint32_t offset) {
    return part < colliding ? PARTS_AT + part * MEGABYTE + offset : low;
}

static void lay_out(void) {
    for (uint32_t i = 0; i < spaces; i++) {
        drawn[i].layout = (struct task_layout){
            .utcbs = part_at(0, TASK_UTCBS, 0x11000),
            .kip = part_at(1, TASK_KIP, 0x22000),
            .code = part_at(2, LOW_CODE, 0x8000),
        };
        for (uint32_t page = 0; page < num_pages; page++) {
            uint32_t at = part_at(3, LOW_DATA, 0) + page * 0x1000;
            drawn[i].data[page] = (struct data_page){at, lines, 1};
        }
    }
}

/* ---- drawn ---- */

static uint32_t below(uint32_t n) {
    return peer_random_below(&seed, n);
}

/* A page of its own for each part: `slot` of the 16 blocks of 64 KB in the megabyte. */
static uint32_t draw_place(uint32_t places, uint32_t low_share, uint32_t low, uint32_t slot) {
    return below(8) < low_share
               ? low
               : PARTS_AT + below(places) * MEGABYTE + slot * 0x10000 + below(8) * 0x1000;
}

static void draw(void) {
    uint32_t most = POOL_PAGES / spaces - PROGRAM_PAGES;
    uint32_t places = 1 + below(MAX_PLACES), low_share = below(5);
    uint32_t max_lines = 1 + below(64);
    num_pages = below((most < MAX_DATA_PAGES ? most : MAX_DATA_PAGES) + 1);
    for (uint32_t i = 0; i < spaces; i++) {
        drawn[i].layout = (struct task_layout){
            .utcbs = draw_place(places, low_share, TASK_UTCBS, 1),
            .kip = draw_place(places, low_share, TASK_KIP, 2),
            .code = draw_place(places, low_share, LOW_CODE, 3),
        };
        for (uint32_t page = 0; page < num_pages; page++) {
            uint32_t low = LOW_DATA + page * 0x1000;
            drawn[i].data[page] = (struct data_page){draw_place(places, low_share, low, 4 + page),
                                                     below(max_lines), below(2)};
        }
    }
    token_state = below(2) == 0 ? 0 : seed;
}

/* ---- the run ---- */

static struct task_layout layout_of(unsigned partner) {
    return drawn[partner].layout;
}

static bool tell(unsigned partner, uint32_t operation, uint32_t a, uint32_t b, uint32_t c) {
    os_word_t words[OS_WORDS] = {operation, a, b, c};
    return os_ask(partner, words);
}

static bool arrange(void) {
    bool good = true;
    for (unsigned i = 0; good && i < spaces; i++) {
        good = tell(i, COLLISIONS_RING, os_partner_name(0), spaces, i);
        for (uint32_t page = 0; good && page < num_pages; page++) {
            const struct data_page *data = &drawn[i].data[page];
            uintptr_t at = l4_give(i, data->at);
            good = at != 0 && tell(i, COLLISIONS_PAGE, at, data->lines, data->write);
        }
    }
    return good;
}

static bool go(uint32_t n, uint32_t state) {
    os_word_t words[OS_WORDS] = {COLLISIONS_TOKEN, n, state, 0};
    return os_tell(0, words) && os_hear(words);
}

int main(void) {
    os_init();
    if (!parameter_number("spaces", 2, &spaces) || !parameter_number("colliding", 3, &colliding) ||
        !parameter_number("pages", 0, &num_pages) || !parameter_number("lines", 8, &lines) ||
        !parameter_number("hops", 2000, &hops) || !parameter_number("seed", 0, &seed)) {
        os_finish(2);
    }
    if (spaces < 2 || spaces > MAX_SPACES || colliding > MAX_COLLIDING ||
        num_pages > MAX_DATA_PAGES || (num_pages + PROGRAM_PAGES) * spaces > POOL_PAGES ||
        lines > 128 || hops == 0) {
        print("parameters: spaces 2 to %u, colliding up to %u, pages up to %u (and spaces times "
              "pages + %u up to %u), lines up to 128, hops not 0\n",
              MAX_SPACES, MAX_COLLIDING, MAX_DATA_PAGES, PROGRAM_PAGES, POOL_PAGES);
        os_finish(2);
    }
    if (seed == 0) {
        lay_out();
    } else {
        draw();
    }
    l4_layout(layout_of);
    if (!os_partners_start(spaces) || !arrange() || !os_has_probe()) {
        print("bench-collisions: the partners could not be started\n");
        os_finish(1);
    }
    /* Every page is given, every acquaintance made. */
    bool good = go(3 * spaces, 0) && go(3 * spaces, token_state);
    measure_begin(1);
    uint32_t start = measure_cycles();
    good &= go(hops, token_state);
    uint32_t cycles = measure_cycles() - start;
    measure_sample(cycles);
    measure_end(1);
    *measure_register(PROBE_STREAM) = 2;
    measure_sample(hops);
    print("POINT spaces=%u colliding=%u pages=%u hops=%u cycles=%u\n", spaces, colliding, num_pages,
          hops, cycles);
    os_finish(good ? 0 : 1);
}
