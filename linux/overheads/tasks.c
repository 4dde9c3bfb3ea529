// SPDX-License-Identifier: GPL-2.0-only
/*
 * The four tasks (CSO 3.1): bubble sort, whose data are as large as the data cache, and deflate,
 * AES and CRC, which work on data streams and are the kernel's own code: lib/zlib_deflate and
 * lib/crc32 as they are, crypto/aes_generic, which is what was crypto/aes in Linux 2.6.20 (aes.c
 * beside this).
 *
 * The stream is text, the same as that of L4's tasks (bench/tasks/data.c).
 */
#include "overheads.h"

#include <linux/crc32.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/zlib.h>

#define SORT_BYTES   8192u /* CSO 3.1: the data cache's size, aligned to it */
#define SORT_COMPARE (SORT_BYTES * (SORT_BYTES - 1) / 2)
#define STREAM_BYTES SZ_2M
#define OUTPUT_BYTES SZ_64K
#define MAX_PAGES    8u /* by which data are moved */
#define CHUNK        256u

/* What is allocated, and where in it the data are now. */
static u8 *sort_room, *stream_room, *deflate_room, *aes_room, *workspace_room;
static u8 *sorted, *stream, *deflated, *encrypted; /* both tasks of a pair read one stream */
static unsigned workspace_bytes;
static unsigned compared; /* by the last sort */
static z_stream deflater;
static bool deflate_failed;
static u32 checksum;

int tasks_allocate(void) {
    sort_room = alloc_pages_exact(SORT_BYTES * (MAX_PAGES + 1), GFP_KERNEL);
    stream_room = alloc_pages_exact(STREAM_BYTES + MAX_PAGES * PAGE_SIZE, GFP_KERNEL);
    deflate_room = alloc_pages_exact(OUTPUT_BYTES + MAX_PAGES * PAGE_SIZE, GFP_KERNEL);
    aes_room = alloc_pages_exact(OUTPUT_BYTES + MAX_PAGES * PAGE_SIZE, GFP_KERNEL);
    /* As Linux's own users of deflate get it: from vmalloc(), page by page. */
    workspace_bytes = zlib_deflate_workspacesize(MAX_WBITS, MAX_MEM_LEVEL);
    workspace_room = vmalloc(workspace_bytes + MAX_PAGES * PAGE_SIZE);
    if (!sort_room || !stream_room || !deflate_room || !aes_room || !workspace_room ||
        !aes_prepare()) {
        return -ENOMEM;
    }
    return 0;
}

static void prepare_stream(unsigned pages) {
    u8 *place = stream_room + pages % MAX_PAGES * PAGE_SIZE;
    if (stream != place) { /* nobody writes to it */
        stream = place;
        data_text(stream, STREAM_BYTES);
    }
}

/* --- bubble sort: bytes, since 8 KB of words are sorted in a sixteenth of the paper's 3.64 s ---
 */

static void sort_prepare(unsigned pages) {
    u32 state = 1;
    sorted = PTR_ALIGN(sort_room, SORT_BYTES) + pages % (MAX_PAGES - 1) * SORT_BYTES;
    for (unsigned i = 0; i < SORT_BYTES; i++) {
        state = state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
        sorted[i] = state >> 24;
    }
}

static void sort_run(struct pace *pace) {
    u8 *data = sorted;
    for (unsigned last = SORT_BYTES - 1; last > 0 && pace->done < pace->total; last--) {
        for (unsigned i = 0; i < last;) {
            unsigned begin = i, end = min(begin + CHUNK, last);
            for (; i < end; i++) {
                u8 a = data[i], b = data[i + 1];
                if (a > b) {
                    data[i] = b;
                    data[i + 1] = a;
                }
            }
            progress(pace, end - begin);
        }
    }
    compared = pace->done;
}

static u32 sort_result(void) {
    if (compared == SORT_COMPARE) {
        for (unsigned i = 1; i < SORT_BYTES; i++) {
            if (sorted[i - 1] > sorted[i]) {
                return 0;
            }
        }
    }
    return crc32_le(~0u, sorted, SORT_BYTES);
}

/* --- deflate: as crypto/deflate.c and the like call it --- */

static void deflate_prepare(unsigned pages) {
    prepare_stream(pages);
    deflated = deflate_room + pages % MAX_PAGES * PAGE_SIZE;
    memset(deflated, 0, OUTPUT_BYTES);
    deflater.workspace = workspace_room + pages % MAX_PAGES * PAGE_SIZE;
    memset(deflater.workspace, 0, workspace_bytes);
    /* A level that is in use, by crypto/deflate.c for one; windows as there. */
    if (zlib_deflateInit2(&deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                          Z_DEFAULT_STRATEGY) != Z_OK) {
        pr_err("overheads: deflate does not start\n");
    }
    deflate_failed = false;
}

static void deflate_some(unsigned at) {
    deflater.next_in = stream + at % STREAM_BYTES;
    deflater.avail_in = CHUNK;
    while (deflater.avail_in > 0) {
        if (deflater.avail_out == 0) {
            deflater.next_out = deflated;
            deflater.avail_out = OUTPUT_BYTES;
        }
        if (zlib_deflate(&deflater, Z_NO_FLUSH) != Z_OK) {
            deflate_failed = true;
        }
    }
}

static void deflate_run(struct pace *pace) {
    deflater.avail_out = 0;
    while (pace->done < pace->total) {
        deflate_some(pace->done);
        progress(pace, CHUNK);
    }
}

static u32 deflate_result(void) {
    return deflate_failed ? 0 : crc32_le(~deflater.total_out, deflated, OUTPUT_BYTES);
}

/* --- AES with a key of 128 bits, block after block from the stream into the output --- */

static void aes_prepare_data(unsigned pages) {
    prepare_stream(pages);
    encrypted = aes_room + pages % MAX_PAGES * PAGE_SIZE;
    memset(encrypted, 0, OUTPUT_BYTES);
}

static void aes_run(struct pace *pace) {
    while (pace->done < pace->total) {
        const u8 *in = stream + pace->done % STREAM_BYTES;
        u8 *out = encrypted + pace->done % OUTPUT_BYTES;
        for (unsigned i = 0; i < CHUNK; i += 16) {
            aes_block(out + i, in + i);
        }
        progress(pace, CHUNK);
    }
}

static u32 aes_result(void) {
    return crc32_le(~0u, encrypted, OUTPUT_BYTES);
}

/* --- CRC, the one of Ethernet --- */

static void crc_run(struct pace *pace) {
    u32 crc = ~0u;
    while (pace->done < pace->total) {
        crc = crc32_le(crc, stream + pace->done % STREAM_BYTES, CHUNK);
        progress(pace, CHUNK);
    }
    checksum = crc;
}

static u32 crc_result(void) {
    return checksum;
}

const struct task tasks[] = {
    {"sort", SORT_COMPARE, sort_prepare, sort_run, sort_result},
    {"deflate", 1200u * SZ_1K, deflate_prepare, deflate_run, deflate_result},
    {"aes", 5000u * SZ_1K, aes_prepare_data, aes_run, aes_result},
    {"crc", 50000u * SZ_1K, prepare_stream, crc_run, crc_result},
    {},
};

const struct task *task_named(const char *name) {
    for (const struct task *one = tasks; one->name; one++) {
        if (strcmp(one->name, name) == 0) {
            return one;
        }
    }
    return NULL;
}

unsigned units_of(const struct task *task, unsigned scale) {
    return div_u64((u64)task->full * scale, 1000);
}
