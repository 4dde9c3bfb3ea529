/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Pentium 4 as machine/machines/p4-willamette.toml has it: a trace cache of 12 K µops, 8 ways,
 * found by the address at which a trace begins; two TLBs of 64 entries, fully associative, which
 * replace in turn; 8 KB of data cache, 4 ways, lines of 64 bytes, which is written through; 256 KB
 * of second level, 8 ways, two lines in a sector. Included by cache.c alone.
 *
 * What a plugin cannot see: µops (a trace has six instructions at most, and ends where QEMU's block
 * does), page tables (walks read nothing, all pages are small, those of the kernel are the global
 * ones), the address of INVLPG, stores into code, the physical address of code (the second level
 * has it by its virtual one), an access that goes on into another line.
 */
enum { P4_LINE_BYTES = 64, P4_PAGE_BYTES = 4096, P4_TRACE = 6 };
/* From here on Linux has itself. */
enum { P4_FIRST_GLOBAL = 0xc0000000u / P4_PAGE_BYTES };

static const struct geometry p4_traces = {
    .sets = 256, .ways = 8, .set_shift = 4, .replacement = PSEUDO_LRU};
static const struct geometry p4_tlb = {.sets = 1, .ways = 64, .replacement = ROUND_ROBIN};
static const struct geometry p4_l1 = {
    .sets = 8 * 1024 / P4_LINE_BYTES / 4, .ways = 4, .replacement = PSEUDO_LRU};
static const struct geometry p4_l2 = {
    .sets = 256 * 1024 / (2 * P4_LINE_BYTES) / 8, .ways = 8, .replacement = PSEUDO_LRU};

static struct cache p4_trace_cache, p4_itlb, p4_dtlb, p4_dcache, p4_l2cache;
/* For each sector of the second level a bit for each of its lines that is there. */
static uint8_t p4_valid[MOST_LINES];
static uint32_t p4_combining; /* the line of the last store, with which the next is combined */

/* A piece of a block of QEMU's that is fetched at once. Lives as long as QEMU. */
struct p4_trace {
    uint32_t va;
    uint32_t instructions;
    bool repeats; /* it is a single string instruction with a repeat prefix */
};
/* The trace before: QEMU runs a repeated instruction once for each element. */
static uint32_t p4_repeated;

/* An access to the second level: a read brings both lines of a sector, a write the one that it
 * needs. */
static void p4_second_level(uint32_t address, bool write) {
    uint8_t half = (uint8_t)(1 << (address / P4_LINE_BYTES & 1));
    uint32_t slot;
    if (!look_up_slot(&p4_l2cache, p4_l2, address / (2 * P4_LINE_BYTES), true, &slot)) {
        p4_valid[slot] = 0;
    } else if (!(p4_valid[slot] & half)) {
        p4_l2cache.misses++;
    } else {
        return;
    }
    p4_valid[slot] |= write ? half : 3;
}

/* Whether a trace's instructions are new ones, and not the next element of a repeated one. */
INLINE bool p4_begins(const struct p4_trace *trace) {
    bool again = trace->repeats && trace->va == p4_repeated;
    p4_repeated = trace->repeats ? trace->va : 0;
    return !again;
}

static void p4_count(unsigned int vcpu, void *given) {
    const struct p4_trace *trace = given;
    (void)vcpu;
    if (p4_begins(trace)) {
        instructions += trace->instructions;
    }
}

static void p4_fetch(unsigned int vcpu, void *given) {
    const struct p4_trace *trace = given;
    (void)vcpu;
    if (!p4_begins(trace)) {
        return;
    }
    instructions += trace->instructions;
    if (!look_up(&p4_trace_cache, p4_traces, trace->va, true)) {
        look_up(&p4_itlb, p4_tlb, trace->va / P4_PAGE_BYTES, true);
        p4_second_level(trace->va, false);
    }
}

static void p4_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va, void *none) {
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, va);
    (void)vcpu;
    (void)none;
    look_up(&p4_dtlb, p4_tlb, (uint32_t)va / P4_PAGE_BYTES, true);
    /* What is no memory is in no cache. */
    if (qemu_plugin_hwaddr_is_io(where)) {
        return;
    }
    uint32_t pa = (uint32_t)qemu_plugin_hwaddr_phys_addr(where);
    if (!qemu_plugin_mem_is_store(info)) {
        if (!look_up(&p4_dcache, p4_l1, pa / P4_LINE_BYTES, true)) {
            p4_second_level(pa, false);
        }
    } else if (pa / P4_LINE_BYTES != p4_combining) {
        p4_combining = pa / P4_LINE_BYTES;
        p4_second_level(pa, true);
    }
}

/* A control register was loaded that empties the TLBs: CR3 leaves what is global. */
static void p4_cr3_loaded(unsigned int vcpu, void *none) {
    (void)vcpu;
    (void)none;
    drop_below(&p4_itlb, p4_tlb, P4_FIRST_GLOBAL);
    drop_below(&p4_dtlb, p4_tlb, P4_FIRST_GLOBAL);
    drop_all(&p4_trace_cache, p4_traces);
}

static void p4_paging_changed(unsigned int vcpu, void *none) {
    p4_cr3_loaded(vcpu, none);
    drop_all(&p4_itlb, p4_tlb);
    drop_all(&p4_dtlb, p4_tlb);
}

/* MOV to a control register, 0F 22 /n: whom to call. NULL: it is none, or one that empties nothing.
 */
static qemu_plugin_insn_cb *p4_control(const uint8_t *code, size_t length) {
    if (length < 3 || code[0] != 0x0f || code[1] != 0x22) {
        return NULL;
    }
    switch (code[2] >> 3 & 7) {
    case 0:
    case 4:
        return p4_paging_changed;
    case 3:
        return p4_cr3_loaded;
    default:
        return NULL;
    }
}

/* INS, OUTS, MOVS, CMPS, STOS, LODS, SCAS after prefixes of which one repeats. */
static bool p4_is_repeated(const uint8_t *code, size_t length) {
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3};
    bool repeated = false;
    while (length > 1 && memchr(prefixes, *code, sizeof(prefixes))) {
        repeated |= *code >= 0xf2;
        code++;
        length--;
    }
    return repeated &&
           ((*code & 0xfc) == 0x6c || (*code & 0xfc) == 0xa4 || (*code >= 0xaa && *code <= 0xaf));
}

/* Cuts the block into traces, and asks to hear of each when its first instruction runs. */
static void p4_cut(struct qemu_plugin_tb *block, qemu_plugin_insn_cb *callback) {
    struct p4_trace *trace = NULL;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        bool repeats = p4_is_repeated(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
        if (!trace || trace->instructions == P4_TRACE || repeats || trace->repeats) {
            trace = malloc(sizeof(*trace));
            if (!trace) {
                abort();
            }
            *trace = (struct p4_trace){(uint32_t)qemu_plugin_insn_vaddr(insn), 0, repeats};
            qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, trace);
        }
        trace->instructions++;
    }
}

static void p4_translated_to_count(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    p4_cut(block, p4_count);
}

static void p4_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    p4_cut(block, p4_fetch);
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_insn_cb *control =
            p4_control(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
        if (control) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, control, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
        qemu_plugin_register_vcpu_mem_cb(insn, p4_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static const struct model p4 = {
    .name = "p4",
    .look_up = p4_translated,
    .count = p4_translated_to_count,
    .caches = {{"trace_cache", &p4_trace_cache},
               {"itlb", &p4_itlb},
               {"dtlb", &p4_dtlb},
               {"dcache", &p4_dcache},
               {"l2", &p4_l2cache}},
};
