/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bubble sort of bytes. The data set is "the same size as the data cache and aligned to fit
 * completely within the cache" (section 3.1); bytes, because then one sort of 8 KB takes the
 * paper's 3 to 4 seconds. Without an early end, so that the work is the same for all data: n (n -
 * 1) / 2 comparisons, a unit each.
 */
#include "tasks.h"

struct sort {
    uint32_t done;   /* units */
    uint32_t end;    /* what is from here on is in its place */
    uint32_t at;     /* the pair to be compared next */
    uint32_t before; /* the sum of all bytes at the beginning */
};

static uint32_t sum_of(const struct task_work *work) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < work->size; i++) {
        sum += work->data[i];
    }
    return sum;
}

static void begin(const struct task_work *work) {
    struct sort *sort = work->memory;
    data_random(work->data, work->size);
    *sort = (struct sort){.end = work->size, .before = sum_of(work)};
}

static uint32_t units(const struct task_work *work) {
    return (uint32_t)((uint64_t)work->size * (work->size - 1) / 2);
}

static void run(const struct task_work *work, uint32_t until) {
    struct sort *sort = work->memory;
    uint8_t *data = work->data;
    while (sort->done < until) {
        uint32_t at = sort->at, left = sort->end - 1 - at;
        uint32_t stop = until - sort->done < left ? at + (until - sort->done) : at + left;
        sort->done += stop - at;
        uint8_t carried = data[at]; /* the largest so far */
        for (; at < stop; at++) {
            uint8_t other = data[at + 1];
            if (carried > other) {
                data[at] = other;
                data[at + 1] = carried;
            } else {
                carried = other;
            }
        }
        sort->at = at;
        if (at == sort->end - 1) {
            sort->at = 0;
            sort->end--;
        }
    }
}

/* In order, and with the same sum. */
static uint32_t result(const struct task_work *work) {
    const struct sort *sort = work->memory;
    for (uint32_t i = 1; i < work->size; i++) {
        if (work->data[i - 1] > work->data[i]) {
            return 0;
        }
    }
    return sum_of(work) == sort->before ? crc32_update(0, work->data, work->size) : 0;
}

const struct task_kind sort_kind = {"sort", sizeof(struct sort), begin, units, run, result};
