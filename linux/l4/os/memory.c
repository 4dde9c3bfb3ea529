// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linux' own memory: it lies at its physical addresses, which the server has from sigma0 when it
 * touches them.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <as-layout.h>
#include <mem_user.h>
#include <kern.h>
#include <os.h>

#include "../host/host.h"
#include "layer.h"

extern char _end[];

/* What is not the kernel's at first follows it. */
void *sbrk(int bytes) {
    static unsigned long brk;
    unsigned long old;

    if (!brk) {
        brk = PAGE_ALIGN((unsigned long)_end);
    }
    old = brk;
    brk += bytes;
    return (void *)old;
}

int create_mem_file(unsigned long long len) {
    return 0;
}

/* At its own address it is; other addresses are vmalloc's. */
int os_map_memory(void *virt, int fd, unsigned long long off, unsigned long len, int r, int w,
                  int x) {
    unsigned long address = (unsigned long)virt, frame = uml_physmem + (unsigned long)off, at;

    if (address == frame) {
        return 0;
    }
    for (at = 0; at < len; at += PAGE_SIZE) {
        if (!host_alias(frame + at, address + at)) {
            return -ENOMEM;
        }
    }
    return 0;
}

/* Linux unmaps what it maps anew, too; an address that shows nothing any more may show the old page
 * until then, but nobody uses it. */
int os_unmap_memory(void *addr, int len) {
    return 0;
}

int os_protect_memory(void *addr, unsigned long len, int r, int w, int x) {
    return 0;
}

void stack_protections(unsigned long address) {
}
