/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Where a program begins that can be loaded anywhere, as all must where there is no MMU: adds to
 * each address in its data the place where it is. The linker lists them (ELF for the ARM
 * Architecture, 4.6: R_ARM_RELATIVE); there is no other loader that would do it.
 */

/* Tags of the dynamic section (System V ABI, chapter 5), and the one kind of relocation. */
enum { DT_LAST = 0, DT_REL = 17, DT_REL_SIZE = 18, RELATIVE = 23 };

struct dynamic {
    unsigned long tag, value;
};

struct relocation {
    unsigned long at, kind;
};

/* The linker's: the dynamic section, and the first byte of the program, whose address is 0 in it.
 * Both are found from the program counter. */
__attribute__((visibility("hidden"))) extern const struct dynamic _DYNAMIC[];
__attribute__((visibility("hidden"))) extern const char __ehdr_start[];

/* Called by start_anywhere below, before anything else of the program runs. */
__attribute__((used)) static void relocate(void) {
    unsigned long base = (unsigned long)__ehdr_start;
    unsigned long list = 0;
    unsigned long size = 0;
    for (const struct dynamic *entry = _DYNAMIC; entry->tag != DT_LAST; entry++) {
        if (entry->tag == DT_REL) {
            list = base + entry->value;
        } else if (entry->tag == DT_REL_SIZE) {
            size = entry->value;
        }
    }
    for (unsigned long i = 0; i < size / sizeof(struct relocation); i++) {
        const struct relocation *one = (const struct relocation *)list + i;
        if ((one->kind & 0xff) == RELATIVE) {
            *(unsigned long *)(base + one->at) += base;
        }
    }
}

__attribute__((naked)) void start_anywhere(void);

/* The C library's own beginning finds its arguments through the stack pointer alone. */
__attribute__((naked)) void start_anywhere(void) {
    __asm__("bl relocate\n"
            "b _start");
}
