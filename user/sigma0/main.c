/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sigma0: the first pager, which owns all memory that the kernel left and hands it out once.
 *
 * Protocol (X.2 manual, appendix on generic booting and sigma0): a request with label -6 names a
 * physical fpage, or only a size for "any memory"; a page fault of a thread whose pager is sigma0
 * asks for the page at that address. The answer maps memory at its own address (idempotently) or,
 * to a request, says "nothing" with a nil fpage; a fault that cannot be served gets no answer. An
 * I/O fpage is asked for likewise, where there are ports.
 *
 * Invariant: a page has at most one owner, the thread that was first; the owner may ask again.
 * What may be asked for stands in the KIP's memory descriptors, of which the last that covers a
 * page counts. Sigma0's own megabyte and the kernel's memory are never given away.
 */
#include <l4/l4.h>
#include <lib/print.h>

#include "pages.h"
#include "ports.h"

static L4_ThreadId_t root;

/* Composes the answer that maps `fpage` where it is; a nilpage says "nothing". */
static void answer(L4_Fpage_t fpage) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendMapItem(&msg, L4_MapItem(fpage, L4_Address(fpage)));
    L4_MsgLoad(&msg);
}

/* The page that a faulting thread needs; the whole 4 KB, with all rights. */
static L4_Fpage_t serve_fault(L4_ThreadId_t from, L4_Word_t address) {
    L4_Word_t base = address & ~(PAGE_SIZE - 1);
    if (!pages_claim(from, base, PAGE_SIZE)) {
        return L4_Nilpage;
    }
    return L4_FpageAddRights(L4_FpageLog2(base, PAGE_LOG2), L4_FullyAccessible);
}

static L4_Fpage_t serve_ports(L4_ThreadId_t from, L4_Fpage_t wanted) {
    return ports_are_meant(wanted) && ports_claim(from, wanted)
               ? L4_FpageAddRights(wanted, L4_FullyAccessible)
               : L4_Nilpage;
}

static L4_Fpage_t serve_request(L4_ThreadId_t from, L4_Fpage_t wanted) {
    if (ports_are_meant(wanted)) {
        return serve_ports(from, wanted);
    }
    L4_Word_t log2_size = L4_SizeLog2(wanted);
    L4_Word_t base = L4_Address(wanted);
    if (log2_size < PAGE_LOG2 || log2_size > MAX_LOG2) {
        return L4_Nilpage;
    }
    L4_Word_t size = (L4_Word_t)1 << log2_size;
    if (base == L4_SIGMA0_ANY) {
        base = pages_claim_any(from, size);
        if (base == 0) {
            return L4_Nilpage;
        }
    } else if ((base & (size - 1)) != 0 || !pages_claim(from, base, size)) {
        return L4_Nilpage;
    }
    return L4_FpageAddRights(L4_FpageLog2(base, log2_size), L4_FullyAccessible);
}

/* True if there is an answer in the message registers. */
static bool serve(L4_ThreadId_t from, L4_MsgTag_t tag) {
    L4_Word_t label = L4_Label(tag);
    L4_Word_t words[2];
    L4_Fpage_t page;
    L4_StoreMRs(1, 2, words);
    if ((label & L4_LABEL(-1)) == L4_LABEL_PAGEFAULT && L4_UntypedWords(tag) == 2) {
        page = serve_fault(from, words[0]);
        if (L4_IsNilFpage(page)) {
            print("sigma0: thread %x: no page for address %x, instruction %x\n", from.raw, words[0],
                  words[1]);
            return false;
        }
    } else if (label == L4_LABEL_IO_FAULT && L4_UntypedWords(tag) == 2) {
        page = serve_ports(from, (L4_Fpage_t){.raw = words[0]});
        if (L4_IsNilFpage(page)) {
            print("sigma0: thread %x: no ports for fpage %x, instruction %x\n", from.raw, words[0],
                  words[1]);
            return false;
        }
    } else if (label == L4_LABEL_SIGMA0 && L4_UntypedWords(tag) == 2 && L4_TypedWords(tag) == 0) {
        page = serve_request(from, (L4_Fpage_t){.raw = words[0]});
    } else {
        return false;
    }
    answer(page);
    return true;
}

int main(void) {
    L4_ThreadId_t from;
    pages_init(L4_GetKernelInterface());
    root = L4_RootServerId(L4_GetKernelInterface());
    pages_set_root(root);
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        while (L4_IpcSucceeded(tag) && serve(from, tag)) {
            tag = L4_ReplyWait(from, &from);
        }
        tag = L4_Wait(&from);
    }
}
