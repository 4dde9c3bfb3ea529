/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ARM926EJ-S of QEMU's versatilepb: two caches of 16 KB with 32 ways and lines of 32 bytes,
 * virtually tagged, which replace a set's lines in turn (the simplest that the processor has). A
 * write that misses goes past the cache, which does not allocate on writes. Included by cache.c
 * alone.
 */
enum { ARM_LINE_BYTES = 32 };
static const struct geometry arm_cache = {
    .sets = 16 * 1024 / ARM_LINE_BYTES / 32, .ways = 32, .replacement = ROUND_ROBIN};

static struct cache arm_icache, arm_dcache;

static void arm_count(unsigned int vcpu, void *va) {
    (void)vcpu;
    (void)va;
    instructions++;
}

static void arm_fetch(unsigned int vcpu, void *va) {
    (void)vcpu;
    look_up(&arm_icache, arm_cache, (uint32_t)(uintptr_t)va / ARM_LINE_BYTES, true);
}

static void arm_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va, void *none) {
    (void)vcpu;
    (void)none;
    /* What is no memory is in no cache. */
    if (qemu_plugin_hwaddr_is_io(qemu_plugin_get_hwaddr(info, va))) {
        return;
    }
    look_up(&arm_dcache, arm_cache, (uint32_t)va / ARM_LINE_BYTES, !qemu_plugin_mem_is_store(info));
}

/* Asks to hear of each of the block's instructions when it runs. */
static void arm_translated_to_count(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, arm_count, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

static void arm_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        void *va = (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, arm_fetch, QEMU_PLUGIN_CB_NO_REGS, va);
        qemu_plugin_register_vcpu_mem_cb(insn, arm_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static const struct model arm926 = {
    .name = "arm926",
    .look_up = arm_translated,
    .count = arm_translated_to_count,
    .fetches = &arm_icache.accesses,
    .caches = {{"icache", &arm_icache}, {"dcache", &arm_dcache}},
};
