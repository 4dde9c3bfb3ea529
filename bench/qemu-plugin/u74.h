/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A U74 as machine/machines/virt-u74.toml has it: 32 KB of instruction cache, 2 ways, and of data
 * cache, 4 ways, lines of 64 bytes; two TLBs of 40 entries, fully associative, and a second level
 * of 512, direct mapped; 2 MB of second-level cache, 16 ways. What it replaces at random is
 * replaced in turn. Included by cache.c alone.
 *
 * What a plugin cannot see: page tables (walks read nothing, all pages are small), operands of
 * SFENCE.VMA, whether paging is on, the physical address of code (both levels have it by its
 * virtual one). A line of code is looked up once for all of a block's instructions in it.
 */
enum { U74_LINE_BYTES = 64, U74_PAGE_BYTES = 4096 };

static const struct geometry u74_l1i = {
    .sets = 32 * 1024 / U74_LINE_BYTES / 2, .ways = 2, .replacement = ROUND_ROBIN};
static const struct geometry u74_l1d = {
    .sets = 32 * 1024 / U74_LINE_BYTES / 4, .ways = 4, .replacement = ROUND_ROBIN};
static const struct geometry u74_l2 = {
    .sets = 2048 * 1024 / U74_LINE_BYTES / 16, .ways = 16, .replacement = ROUND_ROBIN};
static const struct geometry u74_tlb = {.sets = 1, .ways = 40, .replacement = ROUND_ROBIN};
static const struct geometry u74_second_tlb = {.sets = 512, .ways = 1, .replacement = ROUND_ROBIN};

static struct cache u74_icache, u74_dcache, u74_l2cache, u74_itlb, u74_dtlb, u74_l2tlb;

/* The instructions of a block that lie in one line. Lives as long as QEMU. */
struct u74_piece {
    uint64_t va;
    uint32_t instructions;
};

INLINE void u74_translate(struct cache *tlb, uint64_t va) {
    uint32_t page = (uint32_t)(va / U74_PAGE_BYTES);
    if (!look_up(tlb, u74_tlb, page, true)) {
        look_up(&u74_l2tlb, u74_second_tlb, page, true);
    }
}

static void u74_count(unsigned int vcpu, void *given) {
    (void)vcpu;
    instructions += ((const struct u74_piece *)given)->instructions;
}

static void u74_fetch(unsigned int vcpu, void *given) {
    const struct u74_piece *piece = given;
    uint32_t line = (uint32_t)(piece->va / U74_LINE_BYTES);
    (void)vcpu;
    instructions += piece->instructions;
    u74_translate(&u74_itlb, piece->va);
    if (!look_up(&u74_icache, u74_l1i, line, true)) {
        look_up(&u74_l2cache, u74_l2, line, true);
    }
}

static void u74_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va, void *none) {
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, va);
    (void)vcpu;
    (void)none;
    u74_translate(&u74_dtlb, va);
    /* What is no memory is in no cache. */
    if (qemu_plugin_hwaddr_is_io(where)) {
        return;
    }
    uint32_t line = (uint32_t)(qemu_plugin_hwaddr_phys_addr(where) / U74_LINE_BYTES);
    if (!look_up(&u74_dcache, u74_l1d, line, true)) {
        look_up(&u74_l2cache, u74_l2, line, true);
    }
}

static void u74_fenced(unsigned int vcpu, void *none) {
    (void)vcpu;
    (void)none;
    drop_all(&u74_itlb, u74_tlb);
    drop_all(&u74_dtlb, u74_tlb);
    drop_all(&u74_l2tlb, u74_second_tlb);
}

static void u74_code_fenced(unsigned int vcpu, void *none) {
    (void)vcpu;
    (void)none;
    drop_all(&u74_icache, u74_l1i);
}

/* SFENCE.VMA or FENCE.I: whom to call. NULL: it is none. */
static qemu_plugin_insn_cb *u74_fence(const uint8_t *code, size_t length) {
    uint32_t word = 0;
    if (length != sizeof(word)) {
        return NULL;
    }
    memcpy(&word, code, sizeof(word));
    if ((word & 0xfe007fff) == 0x12000073) {
        return u74_fenced;
    }
    return word == 0x0000100f ? u74_code_fenced : NULL;
}

/* Cuts the block at the ends of lines, and asks to hear of each piece when its first instruction
 * runs. */
static void u74_cut(struct qemu_plugin_tb *block, qemu_plugin_insn_cb *callback) {
    struct u74_piece *piece = NULL;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        uint64_t va = qemu_plugin_insn_vaddr(insn);
        if (!piece || va / U74_LINE_BYTES != piece->va / U74_LINE_BYTES) {
            piece = malloc(sizeof(*piece));
            if (!piece) {
                abort();
            }
            *piece = (struct u74_piece){va, 0};
            qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, piece);
        }
        piece->instructions++;
    }
}

static void u74_translated_to_count(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    u74_cut(block, u74_count);
}

static void u74_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    u74_cut(block, u74_fetch);
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_insn_cb *fence =
            u74_fence(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
        if (fence) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, fence, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
        qemu_plugin_register_vcpu_mem_cb(insn, u74_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static const struct model u74 = {
    .name = "u74",
    .look_up = u74_translated,
    .count = u74_translated_to_count,
    .caches = {{"icache", &u74_icache},
               {"dcache", &u74_dcache},
               {"l2", &u74_l2cache},
               {"itlb", &u74_itlb},
               {"dtlb", &u74_dtlb},
               {"l2_tlb", &u74_l2tlb}},
};
