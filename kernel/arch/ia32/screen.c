/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame buffer that the boot loader has set up, if it has: device memory, sigma0's to give
 * away. Nothing in the kernel draws.
 *
 * In a section of its own, after the others: what is measured stays where it was.
 */
#include "bootinfo.h"
#include "kip.h"
#include "kip_memory.h"
#include "ptab.h"

#define EXTENSION      __attribute__((section(".extension")))
#define EXTENSION_DATA __attribute__((section(".extension_data")))

#define HAS_SCREEN (1u << 12)
#define MOST_BYTES (16u << 20)

/* Multiboot 0.6.96, 3.3. */
struct multiboot_screen {
    uint32_t flags, others[21];
    uint32_t address, address_high, pitch, width, height;
};
_Static_assert(offsetof(struct multiboot_screen, address) == 88, "Multiboot's place of it");

static EXTENSION_DATA struct {
    uint32_t base, size; /* 0: there is none */
} screen = {0, 0};

static EXTENSION bool is_in_memory(uint32_t pa) {
    return pa - SDRAM_PA < SDRAM_SIZE;
}

/* All of the card's memory, which has a power of two of bytes: behind the lines that are shown are
 * others. */
static EXTENSION void note_screen(uint32_t info) {
    const struct multiboot_screen *s = (const struct multiboot_screen *)info;
    if (!is_in_memory(info) || (s->flags & HAS_SCREEN) == 0 || s->address_high != 0 ||
        s->pitch == 0 || s->height == 0 || s->pitch > MOST_BYTES / s->height) {
        return;
    }
    uint32_t size = PAGE_SIZE;
    while (size < s->pitch * s->height) {
        size *= 2;
    }
    if (!is_in_memory(s->address) && (s->address & PAGE_MASK) == 0 &&
        s->address + size > s->address) {
        screen.base = s->address;
        screen.size = size;
    }
}

EXTENSION uint32_t bootinfo_init(uint32_t info) {
    note_screen(info);
    return bootinfo_init_modules(info);
}

EXTENSION void kip_add_found(void) {
    if (screen.size != 0) {
        L4_Word_t n = the_kip->MemoryInfo.n++;
        *L4_MemoryDesc(the_kip, n) = L4_MakeMemoryDesc(screen.base, screen.base + (screen.size - 1),
                                                       false, L4_DedicatedMemoryType);
    }
}
