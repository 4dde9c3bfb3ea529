/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

extern const uint8_t child_image[]; /* child_image.S */

static struct task children[MAX_CHILDREN];

struct task *child_new(void) {
    return child_new_at(TASK_AREAS);
}

struct task *child_new_at(L4_Word_t areas) {
    for (unsigned i = 0; i < MAX_CHILDREN; i++) {
        struct task *child = &children[i];
        if (child->id.raw != 0) {
            continue;
        }
        if (!task_create(child, new_thread_id(), child_image, areas) ||
            !task_start(child, child_image)) {
            test_fail(__FILE_NAME__, __LINE__, "a child could be made", L4_ErrorCode(), 0);
            return NULL;
        }
        struct outcome ready = child_wait(child);
        if (ready.kind != OUTCOME_DONE) {
            test_fail(__FILE_NAME__, __LINE__, "child ready", ready.words[0], ready.words[1]);
            return NULL;
        }
        return child;
    }
    test_fail(__FILE_NAME__, __LINE__, "children left", 0, 1);
    return NULL;
}

void child_delete(struct task *child) {
    task_destroy(child);
}

void children_delete_all(void) {
    for (unsigned i = 0; i < MAX_CHILDREN; i++) {
        if (children[i].id.raw != 0) {
            task_destroy(&children[i]);
        }
    }
}

L4_Word_t random_word(void) {
    static L4_Word32_t state = 0x2545f491;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

bool child_send(struct task *child, L4_Word_t operation, unsigned n, const L4_Word_t *arguments) {
    L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, n + 1, 0).raw);
    L4_LoadMR(1, operation);
    L4_LoadMRs(2, n, arguments);
    return L4_IpcSucceeded(L4_Send_Timeout(child->id, PATIENCE)) != 0;
}

/* Whatever a page is given for, it is given once; some faults may come again after a revocation,
 * but a kernel that tells of one and the same fault for ever fails here. */
static bool fault_repeats(const struct task *child, const struct outcome *fault) {
    static struct {
        L4_Word_t id, address, access;
        unsigned count;
    } last;
    L4_Word_t id = child->id.raw, address = fault->words[0], access = fault->access;
    if (last.id != id || last.address != address || last.access != access) {
        last.id = id;
        last.address = address;
        last.access = access;
        last.count = 0;
    }
    if (++last.count < 100) {
        return false;
    }
    test_fail(__FILE_NAME__, __LINE__, "a fault is served once", address, access);
    return true;
}

struct outcome child_wait(struct task *child) {
    struct outcome outcome = {.kind = OUTCOME_LOST};
    L4_MsgTag_t tag = L4_Receive_Timeout(child->id, PATIENCE);
    while (L4_IpcSucceeded(tag)) {
        L4_Word_t label = L4_Label(tag);
        L4_Word_t n = L4_UntypedWords(tag);
        outcome.tag = tag;
        L4_StoreMRs(1, n, outcome.words);
        if (label == CHILD_LABEL) {
            outcome.kind = OUTCOME_DONE;
            return outcome;
        }
        if (label == L4_LABEL_EXCEPTION) {
            outcome.kind = OUTCOME_EXCEPTION;
            return outcome;
        }
        if (label == L4_LABEL_IO_FAULT && n == 2) {
            outcome.kind = OUTCOME_PORTS;
            return outcome;
        }
        outcome.access = label & 7;
        if ((label & (L4_LABEL(-1) | 8)) != L4_LABEL_PAGEFAULT || n != 2) {
            outcome.kind = OUTCOME_LOST;
            return outcome;
        }
        if (fault_repeats(child, &outcome)) {
            outcome.kind = OUTCOME_LOST;
            return outcome;
        }
        if (!task_fault(child, tag, outcome.words[0])) {
            outcome.kind = OUTCOME_FAULT;
            return outcome;
        }
        tag = L4_Call_Timeouts(child->id, PATIENCE, PATIENCE);
    }
    outcome.words[0] = L4_ErrorCode();
    outcome.kind = OUTCOME_LOST;
    return outcome;
}

struct outcome child_do(struct task *child, L4_Word_t operation, L4_Word_t a, L4_Word_t b,
                        L4_Word_t c, L4_Word_t d) {
    const L4_Word_t arguments[4] = {a, b, c, d};
    if (!child_send(child, operation, 4, arguments)) {
        return (struct outcome){.kind = OUTCOME_LOST, .words = {L4_ErrorCode()}};
    }
    return child_wait(child);
}

bool child_forgive(struct task *child, const struct outcome *fault) {
    L4_Word_t va = fault->words[0] & ~(FRAME_SIZE - 1);
    code_t *frame = frame_alloc();
    TRY(frame != NULL);
    for (unsigned i = 0; i < FRAME_SIZE / sizeof *frame; i++) {
        frame[i] = CODE_RETURN;
    }
    L4_Fpage_t fpage = L4_FpageLog2((L4_Word_t)frame, FRAME_LOG2);
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(L4_FpageAddRights(fpage, L4_FullyAccessible), va));
    L4_MsgLoad(&msg);
    L4_MsgTag_t tag = L4_Call_Timeouts(child->id, PATIENCE, PATIENCE);
    (void)L4_UnmapFpage(L4_FpageAddRights(fpage, L4_FullyAccessible));
    frame_free(frame);
    TRY(L4_IpcSucceeded(tag));
    TRY(L4_Label(tag) == CHILD_LABEL);
    return true;
}

bool child_map(struct task *child, L4_Msg_t *msg) {
    const L4_Word_t accept[2] = {L4_MyGlobalId().raw, L4_CompleteAddressSpace.raw};
    TRY(child_send(child, CHILD_ACCEPT, 2, accept));
    L4_Set_MsgLabel(msg, CHILD_LABEL);
    L4_MsgLoad(msg);
    TRY(error_of(L4_Send_Timeout(child->id, PATIENCE)) == 0);
    struct outcome got = child_wait(child);
    TRY(got.kind == OUTCOME_DONE && got.words[0] == 0);
    return true;
}

bool child_ipc(struct task *child, const struct child_ipc *c) {
    L4_Word_t words[6 + 16 + 32] = {
        c->to, c->from, c->timeouts, c->xfer_timeouts, c->virtual_sender, c->num_buffers};
    unsigned n = 6;
    for (unsigned i = 0; i < c->num_buffers; i++) {
        words[n++] = c->buffers[i];
    }
    for (unsigned i = 0; i < c->num_words; i++) {
        words[n++] = c->words[i];
    }
    TRY(child_send(child, CHILD_IPC, n, words));
    return true;
}

L4_Word_t child_read(struct task *child, L4_Word_t va) {
    struct outcome o = child_do(child, CHILD_READ, va, 0, 0, 0);
    if (o.kind != OUTCOME_DONE) {
        test_fail(__FILE_NAME__, __LINE__, "child reads", o.words[0], va);
        return 0xffffffff;
    }
    return o.words[0];
}

L4_Word_t child_execute(struct task *child, L4_Word_t va) {
    struct outcome o = child_do(child, CHILD_EXECUTE, va, 0, 0, 0);
    if (o.kind != OUTCOME_DONE) {
        test_fail(__FILE_NAME__, __LINE__, "child executes", o.words[0], va);
        return 0xffffffff;
    }
    return o.words[0];
}

bool child_write(struct task *child, L4_Word_t va, L4_Word_t word) {
    TRY(child_do(child, CHILD_WRITE, va, word, 0, 0).kind == OUTCOME_DONE);
    return true;
}

bool child_fill(struct task *child, L4_Word_t va, L4_Word_t words, L4_Word_t seed) {
    TRY(child_do(child, CHILD_FILL, va, words, seed, 0).kind == OUTCOME_DONE);
    return true;
}

bool child_holds(struct task *child, L4_Word_t va, L4_Word_t words, L4_Word_t seed) {
    struct outcome o = child_do(child, CHILD_COMPARE, va, words, seed, 0);
    TRY(o.kind == OUTCOME_DONE);
    if (o.words[0] != 0) {
        test_fail(__FILE_NAME__, __LINE__, "the child sees its own data only", o.words[2],
                  CHILD_PATTERN(seed, o.words[1]));
        return false;
    }
    return true;
}

bool child_denied(struct task *child, L4_Word_t operation, L4_Word_t va, L4_Word_t access) {
    struct outcome o = child_do(child, operation, va, 0xbad, 0, 0);
    if (o.kind != OUTCOME_FAULT) {
        test_fail(__FILE_NAME__, __LINE__, "the access faults", o.words[0], va);
        return false;
    }
    if (o.words[0] != va || o.access != access) {
        test_fail(__FILE_NAME__, __LINE__, "fault's address and access", o.words[0] | o.access,
                  va | access);
        return false;
    }
    return child_forgive(child, &o);
}

void put_function(void *at, L4_Word_t value) {
    const code_t code[] = CODE_FUNCTION(value);
    memcpy(at, code, sizeof code);
}
