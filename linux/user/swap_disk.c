/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap on the RAM disk: in a file of its own, for the programs that are only measured lack it. */
#include "os.h"

#include <linux/mman.h>

enum { PAGE_BYTES = 4096, PAGES = 2048 };

static const char DISK[] = "/dev/ram0";

/* What mkswap writes: mm/swapfile.c reads it as union swap_header. */
int swap_make(void) {
    struct {
        unsigned char boot[1024];
        unsigned int version, last_page, bad_pages;
        unsigned char rest[PAGE_BYTES - 1024 - 12 - 10];
        char magic[10];
    } header = {.version = 1, .last_page = PAGES - 1};
    int fd = open(DISK, O_WRONLY);
    int done;
    memcpy(header.magic, "SWAPSPACE2", sizeof(header.magic));
    done = fd >= 0 && write(fd, &header, sizeof(header)) == sizeof(header);
    close(fd);
    return done ? swap_on() : -1;
}

int swap_on(void) {
    enum { CONSOLE_OFF = 6, CONSOLE_ON = 7 }; /* include/linux/syslog.h */
    int done;
    /* What the kernel says of it would come between the letters of our own lines. */
    syscall(__NR_syslog, CONSOLE_OFF, NULL, 0);
    done = syscall(__NR_swapon, DISK, 0);
    syscall(__NR_syslog, CONSOLE_ON, NULL, 0);
    return done;
}

int swap_off(void) {
    return syscall(__NR_swapoff, DISK);
}

int swap_out(const volatile void *at, size_t bytes) {
    return syscall(__NR_madvise, at, bytes, MADV_PAGEOUT);
}
