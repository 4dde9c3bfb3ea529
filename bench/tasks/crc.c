/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32 of IEEE 802.3, reflected, with the usual table for a byte at a time. A unit is a byte.
 */
#include "tasks.h"

#define POLYNOMIAL 0xedb88320u

struct crc {
    uint32_t done;
    uint32_t at; /* in the data set */
    uint32_t crc;
};

static uint32_t table[256];

static void make_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        }
        table[byte] = crc;
    }
}

uint32_t crc32_update(uint32_t crc, const uint8_t *data, uint32_t size) {
    if (table[1] == 0) {
        make_table();
    }
    crc = ~crc;
    for (uint32_t i = 0; i < size; i++) {
        crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
    }
    return ~crc;
}

static void begin(const struct task_work *work) {
    *(struct crc *)work->memory = (struct crc){.done = 0};
    data_random(work->data, work->size);
    make_table();
}

static uint32_t units(const struct task_work *work) {
    return work->size * work->passes;
}

static void run(const struct task_work *work, uint32_t until) {
    struct crc *crc = work->memory;
    while (crc->done < until) {
        uint32_t size = work->size - crc->at;
        size = until - crc->done < size ? until - crc->done : size;
        crc->crc = crc32_update(crc->crc, work->data + crc->at, size);
        crc->done += size;
        crc->at = crc->at + size == work->size ? 0 : crc->at + size;
    }
}

static uint32_t result(const struct task_work *work) {
    return ((const struct crc *)work->memory)->crc;
}

const struct task_kind crc_kind = {"crc", sizeof(struct crc), begin, units, run, result};
