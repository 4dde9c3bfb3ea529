/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <l4/syscall.h>
#include <lib/string.h>

/* 64 spaces of four pages, and what tests want besides. */
#define NUM_FRAMES 512

static uint8_t pool[NUM_FRAMES][FRAME_SIZE] __attribute__((section(".pool"), aligned(4096)));
static uint16_t free_list[NUM_FRAMES];
static unsigned num_free;
static uint8_t block[FRAMES_BLOCK_SIZE] __attribute__((section(".pool"), aligned(0x10000)));

void frames_init(void) {
    const L4_ServerDesc_t *image = &L4_GetKernelInterface()->root_server;
    for (L4_Word_t page = image->low; page < image->high; page += FRAME_SIZE) {
        (void)*(const volatile uint8_t *)(uintptr_t)page;
    }
    num_free = 0;
    for (unsigned i = NUM_FRAMES; i > 0; i--) {
        free_list[num_free++] = (uint16_t)(i - 1);
    }
}

void *frame_alloc(void) {
    if (num_free == 0) {
        return NULL;
    }
    void *frame = pool[free_list[--num_free]];
    memset(frame, 0, FRAME_SIZE);
    return frame;
}

/* Takes a frame out of the list, wherever it is there. False: it is not free. */
static bool take(unsigned frame) {
    for (unsigned i = num_free; i-- > 0;) {
        if (free_list[i] == frame) {
            memmove(&free_list[i], &free_list[i + 1], (num_free - i - 1) * sizeof free_list[0]);
            num_free--;
            return true;
        }
    }
    return false;
}

void *frames_alloc(unsigned n) {
    for (unsigned first = 0; first + n <= NUM_FRAMES; first++) {
        unsigned got = 0;
        while (got < n && take(first + got)) {
            got++;
        }
        if (got == n) {
            memset(pool[first], 0, n * FRAME_SIZE);
            return pool[first];
        }
        while (got > 0) {
            free_list[num_free++] = (uint16_t)(first + --got);
        }
    }
    return NULL;
}

void frame_free(void *frame) {
    free_list[num_free++] = (uint16_t)(((uintptr_t)frame - (uintptr_t)pool) / FRAME_SIZE);
}

unsigned frames_left(void) {
    return num_free;
}

uint8_t *frames_block(void) {
    return block;
}
