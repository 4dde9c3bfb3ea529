/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dynamic linker: the kernel starts it in the place of a program that names it as its
 * interpreter (docs/shared-libraries.md). It maps the libraries that the program needs, fills in
 * addresses, and goes to the program. All is bound at the start.
 *
 * Of each library there are two files. In /lib/shared it is linked to addresses that the system has
 * set aside for it: text above 2 GB, data below 32 MB. If nothing is there yet, it is mapped there,
 * the text as a shared mapping, and nothing in it is relocated. If something is, or there is no
 * such file, the one in /lib is mapped wherever there is room, and relocated.
 *
 * Two variables of the environment are for who wants to see or to compare: LD_SHOW=1 says where
 * each library is, and why; LD_PRIVATE=1 has no library shared.
 */
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <stdbool.h>

#ifndef MAP_FIXED_NOREPLACE
#error "the kernel's headers are too old"
#endif

enum {
    PAGE = 4096,
    MODULES = 8,
    SEGMENTS = 8,
    NAME = 64,
    /* From where private libraries are wanted: below 32 MB, above programs. Where something is
     * already, the kernel takes another place. */
    PRIVATE = 0x00800000,
    FAILED = 127,
};

/* Relocations (ELF for the ARM Architecture, relocation codes); the addend is in the place itself.
 */
enum {
    R_ARM_NONE = 0,
    R_ARM_ABS32 = 2,
    R_ARM_GLOB_DAT = 21,
    R_ARM_JUMP_SLOT = 22,
    R_ARM_RELATIVE = 23
};

/* Of the table of dynamic entries what is used, by their tags. */
enum { TAGS = 32, TAG_INIT_ARRAY = 25, TAG_INIT_ARRAY_SIZE = 27 };

struct module {
    const char *name;
    unsigned long bias;
    unsigned long tag[TAGS];
    const Elf32_Dyn *dynamic;
};

/* The program, and the libraries in the order in which they were asked for. */
static struct module modules[MODULES];
static int count;
static bool show, private;

__attribute__((noreturn)) static void stop(const char *who, const char *what) {
    fprintf(stderr, "ld.so: %s: %s: %s\n", modules[0].name, who, what);
    exit(FAILED);
}

static void read_dynamic(struct module *module, const Elf32_Dyn *dynamic) {
    module->dynamic = dynamic;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if ((unsigned long)dynamic->d_tag < TAGS) {
            module->tag[dynamic->d_tag] = dynamic->d_un.d_val;
        }
    }
}

/* What a tag leads to; NULL if there is none. */
static void *table(const struct module *module, int tag) {
    return module->tag[tag] ? (void *)(module->tag[tag] + module->bias) : NULL;
}

static const char *text_of(const struct module *module, unsigned long at) {
    return (const char *)table(module, DT_STRTAB) + at;
}

/* ---- mapping ---- */

struct library {
    int fd;
    int segments;
    Elf32_Phdr segment[SEGMENTS]; /* those to be loaded */
    unsigned long dynamic;
};

/* Whether there is such a file; what is none that can be loaded ends the program. */
static bool open_library(struct library *library, const char *path) {
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segment[SEGMENTS];
    } begin;
    static const char none[] = "is no library that can be loaded";
    bool dynamic = false;
    library->fd = open(path, O_RDONLY);
    if (library->fd < 0) {
        return false;
    }
    if (read(library->fd, &begin, sizeof(begin)) != sizeof(begin) ||
        memcmp(begin.header.e_ident, ELFMAG, SELFMAG) != 0 || begin.header.e_type != ET_DYN ||
        begin.header.e_machine != EM_ARM || begin.header.e_phoff != sizeof(begin.header) ||
        begin.header.e_phnum > SEGMENTS) {
        stop(path, none);
    }
    library->segments = 0;
    for (int i = 0; i < begin.header.e_phnum; i++) {
        if (begin.segment[i].p_type == PT_LOAD) {
            library->segment[library->segments++] = begin.segment[i];
        } else if (begin.segment[i].p_type == PT_DYNAMIC) {
            library->dynamic = begin.segment[i].p_vaddr;
            dynamic = true;
        }
    }
    if (library->segments == 0 || !dynamic) {
        stop(path, none);
    }
    return true;
}

static unsigned long page_of(unsigned long address) {
    return address & -(unsigned long)PAGE;
}

static unsigned long page_end(unsigned long address) {
    return page_of(address + PAGE - 1);
}

static bool map_at(unsigned long at, size_t bytes, int protection, int flags, int fd, long offset) {
    void *found = mmap((void *)at, bytes, protection, flags, fd, offset);
    if (found == (void *)at) {
        return true;
    }
    if (found != MAP_FAILED) { /* by a kernel that does not know MAP_FIXED_NOREPLACE */
        munmap(found, bytes);
    }
    return false;
}

/* One part, as its file has it, moved by `bias`. */
static bool map_segment(const struct library *library, const Elf32_Phdr *segment,
                        unsigned long bias, int how) {
    unsigned long start = page_of(segment->p_vaddr) + bias;
    unsigned long in_file = segment->p_vaddr + segment->p_filesz + bias;
    unsigned long end = page_end(segment->p_vaddr + segment->p_memsz + bias);
    bool written = segment->p_flags & PF_W;
    int protection =
        PROT_READ | (written ? PROT_WRITE : 0) | (segment->p_flags & PF_X ? PROT_EXEC : 0);
    /* Text that is shared is so for the kernel, too. It cannot be made writable: the file is not
     * open for that. */
    int flags = how | (how == MAP_FIXED || written ? MAP_PRIVATE : MAP_SHARED);
    if (!map_at(start, page_end(in_file) - start, protection, flags, library->fd,
                page_of(segment->p_offset))) {
        return false;
    }
    if (!written) {
        return true;
    }
    if (end != page_end(in_file) && !map_at(page_end(in_file), end - page_end(in_file), protection,
                                            MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0)) {
        munmap((void *)start, page_end(in_file) - start);
        return false;
    }
    memset((void *)in_file, 0, page_end(in_file) - in_file);
    return true;
}

/* What is mapped when another part of it finds its place taken is given back. */
static bool map_shared(const struct library *library) {
    for (int i = 0; i < library->segments; i++) {
        if (!map_segment(library, &library->segment[i], 0, MAP_FIXED_NOREPLACE)) {
            while (--i >= 0) {
                unsigned long start = page_of(library->segment[i].p_vaddr);
                munmap((void *)start,
                       page_end(library->segment[i].p_vaddr + library->segment[i].p_memsz) - start);
            }
            return false;
        }
    }
    return true;
}

/* By how much it is moved; the parts are one after the other, from 0. */
static unsigned long map_private(const struct library *library, const char *path) {
    const Elf32_Phdr *last = &library->segment[library->segments - 1];
    size_t bytes = page_end(last->p_vaddr + last->p_memsz);
    static unsigned long next = PRIVATE;
    void *place = mmap((void *)next, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) {
        stop(path, "there is no room for it");
    }
    next += bytes;
    for (int i = 0; i < library->segments; i++) {
        if (!map_segment(library, &library->segment[i], (unsigned long)place, MAP_FIXED)) {
            stop(path, "cannot be mapped");
        }
    }
    return (unsigned long)place;
}

static void load(const char *name) {
    static const char shared[] = "/lib/shared/", ordinary[] = "/lib/";
    struct module *module = &modules[count];
    struct library library;
    char path[sizeof(shared) + NAME];
    const char *why = "no library is to be shared";
    bool is_shared = false;
    for (int i = 0; i < count; i++) {
        if (strcmp(modules[i].name, name) == 0) {
            return;
        }
    }
    if (count == MODULES || strlen(name) >= NAME || strchr(name, '/')) {
        stop(name, "one library too many, or a name too long");
    }
    count++;
    module->name = name;
    if (!private) {
        why = "there is none to be shared";
        strcpy(strcpy(path, shared) + sizeof(shared) - 1, name);
        if (open_library(&library, path)) {
            is_shared = map_shared(&library);
            why = "something else is in its place";
            close(library.fd);
        }
    }
    if (!is_shared) {
        strcpy(strcpy(path, ordinary) + sizeof(ordinary) - 1, name);
        if (!open_library(&library, path)) {
            stop(path, "there is no such library");
        }
        module->bias = map_private(&library, path);
        close(library.fd);
    }
    for (int i = 0; show && i < library.segments; i++) {
        if (!(library.segment[i].p_flags & PF_W)) {
            fprintf(stderr, "ld.so: %s: %s at %x%s%s\n", modules[0].name, path,
                    (unsigned int)(library.segment[i].p_vaddr + module->bias),
                    is_shared ? "" : ", private: ", is_shared ? "" : why);
        }
    }
    read_dynamic(module, (const Elf32_Dyn *)(library.dynamic + module->bias));
}

/* What modules need is loaded after them, which is how others' needs come to be seen here. */
static void load_all(void) {
    for (int i = 0; i < count; i++) {
        for (const Elf32_Dyn *entry = modules[i].dynamic; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_NEEDED) {
                load(text_of(&modules[i], entry->d_un.d_val));
            }
        }
    }
}

/* ---- binding ---- */

/* System V's hash function of names (System V ABI, "Hash Table"). */
static unsigned long hash_of(const char *name) {
    unsigned long hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash ^= hash >> 24 & 0xf0;
        hash &= 0x0fffffff;
    }
    return hash;
}

/* The address that has the name in the first module that defines it; 0 if none does. */
static unsigned long find(const char *name) {
    unsigned long hash = hash_of(name);
    for (int i = 0; i < count; i++) {
        const Elf32_Word *buckets = table(&modules[i], DT_HASH);
        const Elf32_Sym *symbols = table(&modules[i], DT_SYMTAB);
        if (!buckets) {
            continue;
        }
        const Elf32_Word *chains = buckets + 2 + buckets[0];
        for (Elf32_Word at = buckets[2 + hash % buckets[0]]; at; at = chains[at]) {
            if (symbols[at].st_shndx != SHN_UNDEF &&
                strcmp(text_of(&modules[i], symbols[at].st_name), name) == 0) {
                return symbols[at].st_value + modules[i].bias;
            }
        }
    }
    return 0;
}

static void relocate(const struct module *module, const Elf32_Rel *relocation, size_t bytes) {
    const Elf32_Sym *symbols = table(module, DT_SYMTAB);
    for (const Elf32_Rel *end = relocation + bytes / sizeof(*end); relocation < end; relocation++) {
        unsigned long *place = (unsigned long *)(relocation->r_offset + module->bias);
        const Elf32_Sym *symbol = &symbols[ELF32_R_SYM(relocation->r_info)];
        unsigned int type = ELF32_R_TYPE(relocation->r_info);
        unsigned long address;
        if (type == R_ARM_RELATIVE) {
            *place += module->bias;
        } else if (type == R_ARM_ABS32 || type == R_ARM_GLOB_DAT || type == R_ARM_JUMP_SLOT) {
            const char *name = text_of(module, symbol->st_name);
            address = find(name);
            if (!address && ELF32_ST_BIND(symbol->st_info) != STB_WEAK) {
                stop(name, "no library has it");
            }
            *place = address + (type == R_ARM_ABS32 ? *place : 0);
        } else if (type != R_ARM_NONE) {
            stop(module->name, "has a relocation that is not known here");
        }
    }
}

static void bind(const struct module *module) {
    const Elf32_Rel *relocation = table(module, DT_REL);
    size_t bytes = module->tag[DT_RELSZ];
    if (relocation && !module->bias) {
        /* Addresses of its own are right, where it is linked to; they come first. */
        while (bytes && ELF32_R_TYPE(relocation->r_info) == R_ARM_RELATIVE) {
            relocation++;
            bytes -= sizeof(*relocation);
        }
    }
    relocate(module, relocation, bytes);
    relocate(module, table(module, DT_JMPREL), module->tag[DT_PLTRELSZ]);
}

/* ---- */

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

/* Who runs with more rights than he has himself does not choose how. */
static void read_environment(void) {
    if (!getauxval(AT_SECURE)) {
        show = is_set("LD_SHOW");
        private = is_set("LD_PRIVATE");
    }
}

static void find_program(const char *name) {
    const Elf32_Phdr *segment = (const Elf32_Phdr *)getauxval(AT_PHDR);
    unsigned long segments = getauxval(AT_PHNUM);
    modules[0].name = name ? name : "?";
    count = 1;
    for (unsigned long i = 0; i < segments; i++) {
        if (segment[i].p_type == PT_PHDR && segment[i].p_vaddr != (unsigned long)segment) {
            stop("the program", "is not where it was linked to be");
        }
        if (segment[i].p_type == PT_DYNAMIC) {
            read_dynamic(&modules[0], (const Elf32_Dyn *)segment[i].p_vaddr);
            return;
        }
    }
    stop("the program", "needs no dynamic linker");
}

/* As if the kernel had started the program itself, with the stack as it was. */
__attribute__((noreturn)) static void begin(const long *stack, unsigned long entry) {
    __asm__ volatile("mov sp, %0\n"
                     "mov r0, #0\n"
                     "mov lr, #0\n"
                     "mov pc, %1"
                     :
                     : "r"(stack), "r"(entry)
                     : "r0", "lr", "memory");
    __builtin_unreachable();
}

int main(int argc, char **argv, char **environment) {
    read_environment();
    find_program(argv[0]);
    load_all();
    for (int i = count - 1; i >= 0; i--) {
        bind(&modules[i]);
    }
    for (int i = count - 1; i > 0; i--) {
        void (*const *function)(int, char **, char **) = table(&modules[i], TAG_INIT_ARRAY);
        for (size_t n = modules[i].tag[TAG_INIT_ARRAY_SIZE] / sizeof(*function); n; n--) {
            (*function++)(argc, argv, environment);
        }
    }
    /* What it began with lies before its arguments. */
    begin((const long *)argv - 1, getauxval(AT_ENTRY));
}
