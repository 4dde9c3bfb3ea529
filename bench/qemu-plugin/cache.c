/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin for QEMU that models caches as far as their tags: for each instruction and for each data
 * access of the guest it looks up an instruction or a data cache. `switchyard bench` compares the
 * simulator with it. It is what a plugin can do: it sees no cache maintenance, no page
 * that is not to be cached and no write buffer, and what the guest reads does not come out of its
 * caches.
 *
 *   qemu-system-arm -plugin cache.so,out=FILE[,lookups=off]
 *
 * FILE gets the counts as JSON when QEMU ends. With lookups=off it counts instructions only.
 */
#include "api.h"
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int qemu_plugin_version = API_VERSION;

static struct cache icache, dcache;
static uint64_t instructions;
static const char *out;

/* One core, whose callbacks never run side by side: nothing is locked. */
static void count(unsigned int vcpu, void *va) {
    (void)vcpu;
    (void)va;
    instructions++;
}

static void fetch(unsigned int vcpu, void *va) {
    (void)vcpu;
    look_up(&icache, (uint32_t)(uintptr_t)va, false);
}

static void access_data(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va, void *none) {
    (void)vcpu;
    (void)none;
    /* What is no memory is in no cache. */
    if (qemu_plugin_hwaddr_is_io(qemu_plugin_get_hwaddr(info, va))) {
        return;
    }
    look_up(&dcache, (uint32_t)va, qemu_plugin_mem_is_store(info));
}

/* A block was translated: asks to hear of each of its instructions when it runs. */
static void translated_to_count(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, count, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        void *va = (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, fetch, QEMU_PLUGIN_CB_NO_REGS, va);
        qemu_plugin_register_vcpu_mem_cb(insn, access_data, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static void ended(qemu_plugin_id_t id, void *none) {
    FILE *file = fopen(out, "w");
    (void)id;
    (void)none;
    if (!file) {
        fprintf(stderr, "cache.so: %s cannot be written\n", out);
        return;
    }
    fprintf(file,
            "{\"instructions\": %" PRIu64 ", \"icache_misses\": %" PRIu64
            ", \"dcache_accesses\": %" PRIu64 ", \"dcache_misses\": %" PRIu64 "}\n",
            instructions + icache.accesses, icache.misses, dcache.accesses, dcache.misses);
    fclose(file);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
                        char **argv) {
    bool lookups = true;
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "out=", 4) == 0) {
            out = argv[i] + 4; /* stays valid for as long as the plugin is loaded */
        } else if (strcmp(argv[i], "lookups=off") == 0) {
            lookups = false;
        } else {
            fprintf(stderr, "cache.so: %s: unknown; expected out=FILE or lookups=off\n", argv[i]);
            return 1;
        }
    }
    if (!out) {
        fprintf(stderr, "cache.so: expected out=FILE\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, lookups ? translated : translated_to_count);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
