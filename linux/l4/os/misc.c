// SPDX-License-Identifier: GPL-2.0-only
/*
 * The beginning and the end; and what Linux asks of a host that this one has not.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/errno.h>
#include <linux/moduleparam.h>
#include <linux/utsname.h>
#include <as-layout.h>
#include <init.h>
#include <kern.h>
#include <kern_util.h>
#include <os.h>
#include <asm/sections.h>
#include <arch.h>

#include "../host/host.h"
#include "../root-task/root.h"
#include "layer.h"

/* Where programs' addresses end: the region of a small space (host/task.c), or, as usual, where the
 * kernel begins; but not where small spaces are. */
#define TOP_SMALL 0x10000000ul
#define TOP_LARGE 0xc0000000ul

/* A module, as a file. */
#define INITRD    "module"
#define INITRD_FD 1

#define WORDS 32

enum small_programs programs_small;

/* The names of those that are, if not all are. */
#define SMALL_NAMES 16
static const char *small_names[SMALL_NAMES];
static int small_count;

bool is_small_name(const char *name) {
    int i;

    for (i = 0; i < small_count; i++) {
        if (!strcmp(small_names[i], name)) {
            return true;
        }
    }
    return false;
}

/* What the run is to end with: /sys/module/l4/parameters/exit_status, of which linux/run/init.c
 * knows. */
static int exit_status;
module_param(exit_status, int, 0600);

/* For tests: whoever writes there crashes the server, with a number in EBX. */
static int crash(const char *value, const struct kernel_param *parameter) {
    asm volatile("movl %%ebx, 0x8" : : "b"(0x12345678) : "memory");
    return 0;
}

static const struct kernel_param_ops crash_ops = {.set = crash};
module_param_cb(crash, &crash_ops, NULL, 0200);

unsigned long os_get_top_address(void) {
    return programs_small != NO_PROGRAMS ? TOP_SMALL : min(TOP_LARGE, host_address_end());
}

/* ---- the beginning ---- */

#define NAME "l4.small=name:"

/* The command line's words; which of them are ours. */
static int split(char *line, char **words, int n) {
    char *word;

    while ((word = strsep(&line, " ")) != NULL) {
        if (*word == '\0') {
            continue;
        }
        if (!strcmp(word, "l4.small=programs")) {
            programs_small = ALL_PROGRAMS;
        } else if (!strcmp(word, "l4.switches")) {
            switches_counted = true;
        } else if (!strncmp(word, NAME, strlen(NAME)) && small_count < SMALL_NAMES) {
            small_names[small_count++] = word + strlen(NAME);
            programs_small = programs_small ?: NAMED_PROGRAMS;
        } else if (n < WORDS - 1 && strcmp(word, ROOT_SMALL) && strcmp(word, ROOT_WITNESS)) {
            words[n++] = word;
        }
    }
    words[n] = NULL;
    return n;
}

void linux_start(void);
void linux_start(void) {
    static char line[1024], memory[32], loops[32];
    static char *words[WORDS] = {"linux", memory, loops, "console=hvc0"};
    unsigned long start = (unsigned long)__binary_start & PAGE_MASK, size;
    int n = 4;

    snprintf(memory, sizeof(memory), "mem=%luM", (host_memory_end() - start) >> 20);
    /* Loops of a delay, which take a cycle at least. Linux cannot count them: no tick interrupts
     * its loop. */
    snprintf(loops, sizeof(loops), "lpj=%lu", host_khz() * (1000 / HZ));
    if (host_module(&size)) {
        words[n++] = "initrd=" INITRD;
    }
    strscpy(line, host_command_line(), sizeof(line));
    n = split(line, words, n);
    linux_main(n, words); /* halted, or to be started again, which is the same here */
    tell_switches();
    host_exit(exit_status);
}

/* ---- the end ---- */

void exit(int status) {
    host_exit(status);
}

void os_dump_core(void) {
    host_exit(1);
}

/* ---- the processor ---- */

void get_host_cpu_features(void (*flags)(char *line), void (*cache)(char *line)) {
    static char words[] = "flags : fpu tsc cx8 cmov";

    flags(words);
}

void setup_machinename(char *machine) {
    strcpy(machine, "i686");
}

void setup_hostinfo(char *buffer, int length) {
    strscpy(buffer, "Switchyard L4 X.2", length);
}

void os_early_checks(void) {
}

void os_check_bugs(void) {
}

void arch_check_bugs(void) {
}

void arch_examine_signal(int sig, struct uml_pt_regs *regs) {
}

/* The kernel is the host's, not a page of its for programs. */
unsigned long __kernel_vsyscall, vsyscall_ehdr, vsyscall_end;
long elf_aux_hwcap;
char *elf_aux_platform = "i686";

/* There is no source of chance but time. */
ssize_t os_getrandom(void *buffer, size_t length, unsigned int flags) {
    return -ENOSYS;
}

/* ---- files: there is one ---- */

int os_file_size(const char *name, unsigned long long *size) {
    unsigned long bytes;

    if (strcmp(name, INITRD) || !host_module(&bytes)) {
        return -ENOENT;
    }
    *size = bytes;
    return 0;
}

int os_open_file(const char *name, struct openflags flags, int mode) {
    return strcmp(name, INITRD) ? -ENOENT : INITRD_FD;
}

int os_read_file(int fd, void *buffer, int length) {
    unsigned long size;
    const void *module = host_module(&size);

    if (fd != INITRD_FD || !module || length > size) {
        return -EIO;
    }
    memcpy(buffer, module, length);
    return length;
}

void os_close_file(int fd) {
}

/* Memory is no file (UML writes the page of its own stub to it). */
int os_seek_file(int fd, unsigned long long offset) {
    return 0;
}

int os_write_file(int fd, const void *buffer, int count) {
    return count;
}

int os_fsync_file(int fd) {
    return 0;
}

int parse_iomem(char *line, int *add) {
    return 0;
}

char __syscall_stub_start[PAGE_SIZE];
