/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot loader's command line, from the device tree (its specification, 0.4, chapter 5:
 * /chosen/bootargs) to the boot information of L4 (bootinfo_record.h).
 */
#include "bootinfo.h"

#include "bootinfo_record.h"
#include "string.h"

#define FDT_MAGIC      0xd00dfeedu
#define FDT_BEGIN_NODE 1u
#define FDT_END_NODE   2u
#define FDT_PROP       3u
#define FDT_NOP        4u

/* Words of the header: the magic number, size of all, offset of the structure, of the strings. */
enum { MAGIC, TOTAL_SIZE, STRUCTURE, STRINGS };

/* Trees are smaller; what lies beyond is not looked at. */
#define TREE_MOST 0x10000u

/* As much of memory as the kernel sees (layout.h). */
#define GIGABYTE 0x40000000u

static uint32_t word_at(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool is_equal(const uint8_t *text, const char *other) {
    while (*text == (uint8_t)*other && *other != 0) {
        text++;
        other++;
    }
    return *text == (uint8_t)*other;
}

/* Where the token after a text of bytes is, the end included. */
static const uint8_t *behind(const uint8_t *at, word_t size) {
    return at + ((size + 3) & ~(word_t)3);
}

static word_t length_of(const uint8_t *text) {
    word_t n = 0;
    while (text[n] != 0) {
        n++;
    }
    return n;
}

static const char *find_command_line(word_t pa) {
    const uint8_t *tree = (const uint8_t *)(PHYSICAL_VA + pa);
    if (pa < SDRAM_PA || pa >= SDRAM_PA + GIGABYTE || (pa & 7) != 0 || word_at(tree) != FDT_MAGIC ||
        word_at(tree + 4 * TOTAL_SIZE) > TREE_MOST) {
        return NULL;
    }
    const uint8_t *strings = tree + word_at(tree + 4 * STRINGS);
    const uint8_t *end = tree + word_at(tree + 4 * TOTAL_SIZE);
    const uint8_t *at = tree + word_at(tree + 4 * STRUCTURE);
    uint32_t depth = 0;
    bool chosen = false;
    while (at < end) {
        uint32_t token = word_at(at);
        at += 4;
        if (token == FDT_BEGIN_NODE) {
            depth++;
            chosen = depth == 2 && is_equal(at, "chosen");
            at = behind(at, length_of(at) + 1);
        } else if (token == FDT_END_NODE) {
            depth--;
            chosen = false;
        } else if (token == FDT_PROP) {
            if (chosen && is_equal(strings + word_at(at + 4), "bootargs")) {
                return (const char *)(at + 8);
            }
            at = behind(at + 8, word_at(at));
        } else if (token != FDT_NOP) {
            break;
        }
    }
    return NULL;
}

word_t bootinfo_init(word_t tree) {
    const char *line = find_command_line(tree);
    if (line == NULL) {
        return 0;
    }
    bootinfo_write((struct bootinfo_record *)(PHYSICAL_VA + BOOTINFO_PA), line);
    return BOOTINFO_PA;
}
