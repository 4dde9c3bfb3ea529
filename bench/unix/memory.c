/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do page faults and mappings take? After lmbench's lat_pagefault and lat_mmap.
 *
 *     fault-file   the first read of a page of a file that is in memory and mapped; Linux then maps
 *                  those beside it as well (16 at most), so every 16th page is read
 *     fault-zero   the first write to a page that nobody has had yet
 *     mmap         mapping 64 KB of a file, reading each page, and unmapping
 *
 * Mappings are made anew when their pages have been met: between samples, or, where samples are
 * batches, in them. The warm-up meets each page once: the first time that a page of a file is
 * mapped, Linux may have to write its lines back from the kernel's addresses for it.
 *
 * Parameters: case= rounds= warmup= dir=
 */
#include "suite.h"

#define FAULTS    64u
#define STRIDE    16u /* pages: "fault around", fault_around_bytes of mm/memory.c */
#define PAGES     (FAULTS * STRIDE)
#define MAP_PAGES 16u

struct area {
    int fd; /* -1: none */
    unsigned next;
    volatile char *at;
};

static size_t page_size(void) {
    static size_t size;
    size = size == 0 ? (size_t)getpagesize() : size;
    return size;
}

static bool map_anew(struct area *area) {
    if (area->at != NULL) {
        (void)munmap((void *)area->at, PAGES * page_size());
    }
    int flags = area->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *at = mmap(NULL, PAGES * page_size(), PROT_READ | PROT_WRITE, flags, area->fd, 0);
    area->next = 0;
    area->at = at == MAP_FAILED ? NULL : at;
    return area->at != NULL;
}

static bool prepare(void *context) {
    struct area *area = context;
    return (area->at != NULL && area->next < FAULTS) || map_anew(area);
}

static bool fault(void *context) {
    struct area *area = context;
    if (!prepare(context)) {
        return false;
    }
    volatile char *page = area->at + area->next++ * STRIDE * page_size();
    if (area->fd < 0) {
        *page = 1;
    } else {
        (void)*page;
    }
    return true;
}

static bool map_and_read(void *context) {
    const struct area *area = context;
    size_t size = MAP_PAGES * page_size();
    void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, area->fd, 0);
    if (at == MAP_FAILED) {
        return false;
    }
    for (size_t i = 0; i < size; i += page_size()) {
        (void)((volatile char *)at)[i];
    }
    return munmap(at, size) == 0;
}

/* Pages of a file are in memory once they were written. */
static int file_in_memory(void) {
    static char page[65536]; /* the largest size of a page */
    int fd = scratch_file(0);
    for (unsigned i = 0; fd >= 0 && i < PAGES; i++) {
        if (write(fd, page, page_size()) != (ssize_t)page_size()) {
            (void)close(fd);
            return -1;
        }
    }
    return fd;
}

static const struct {
    const char *name;
    operation *run, *prepare;
    bool file;
} cases[] = {
    {"fault-file", fault, prepare, true},
    {"fault-zero", fault, prepare, false},
    {"mmap", map_and_read, NULL, true},
};

static bool memory(void) {
    int fd = file_in_memory();
    if (fd < 0) {
        return failed("a file to map");
    }
    bool good = true;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct area area = {.fd = cases[i].file ? fd : -1};
        if (wanted(cases[i].name)) {
            good &= measure(&(struct measured){.stream = 1 + i,
                                               .name = cases[i].name,
                                               .run = cases[i].run,
                                               .prepare = cases[i].prepare,
                                               .context = &area,
                                               .rounds = 200,
                                               .warmup = FAULTS,
                                               .per = 1});
        }
        if (area.at != NULL) {
            (void)munmap((void *)area.at, PAGES * page_size());
        }
    }
    (void)close(fd);
    return good;
}

const struct question question_memory = {
    "memory", "page faults and mappings: fault-file, fault-zero, mmap", memory};
