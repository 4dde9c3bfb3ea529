/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: tag, map, grant and string items, acceptors, and L4_Msg_t to compose them in.
 *
 * Pure data, for kernel and programs; ipc.h moves an L4_Msg_t to and from message registers.
 */
#ifndef L4_MESSAGE_H
#define L4_MESSAGE_H

#include <l4/types.h>

/* ---- message tag: label 16 or 48 | flags 4 | typed words 6 | untyped words 6 ---- */

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t u : 6;
        L4_Word_t t : 6;
        L4_Word_t flags : 4;
        L4_Word_t label : L4_BITS_PER_WORD - 16;
    } X;
} L4_MsgTag_t;

#define L4_TAG_PROPAGATED 0x1000u /* in: propagate; out: was propagated */
#define L4_TAG_REDIRECTED 0x2000u
#define L4_TAG_XCPU       0x4000u
#define L4_TAG_ERROR      0x8000u

#define L4_Niltag ((L4_MsgTag_t){.raw = 0})

L4_INLINE L4_MsgTag_t L4_MakeMsgTag(L4_Word_t label, L4_Word_t untyped, L4_Word_t typed) {
    return (L4_MsgTag_t){.raw = label << 16 | (typed & 0x3f) << 6 | (untyped & 0x3f)};
}

L4_INLINE L4_Word_t L4_Label(L4_MsgTag_t tag) {
    return tag.raw >> 16;
}

L4_INLINE void L4_Set_Label(L4_MsgTag_t *tag, L4_Word_t label) {
    tag->raw = (tag->raw & 0xffff) | label << 16;
}

L4_INLINE L4_MsgTag_t L4_MsgTagAddLabel(L4_MsgTag_t tag, L4_Word_t label) {
    L4_Set_Label(&tag, label);
    return tag;
}

L4_INLINE L4_MsgTag_t L4_MsgTagAddLabelTo(L4_MsgTag_t *tag, L4_Word_t label) {
    L4_Set_Label(tag, label);
    return *tag;
}

L4_INLINE L4_Word_t L4_UntypedWords(L4_MsgTag_t tag) {
    return tag.raw & 0x3f;
}

L4_INLINE L4_Word_t L4_TypedWords(L4_MsgTag_t tag) {
    return tag.raw >> 6 & 0x3f;
}

L4_INLINE L4_Bool_t L4_IsMsgTagEqual(L4_MsgTag_t a, L4_MsgTag_t b) {
    return a.raw == b.raw;
}

L4_INLINE L4_Bool_t L4_IsMsgTagNotEqual(L4_MsgTag_t a, L4_MsgTag_t b) {
    return a.raw != b.raw;
}

L4_INLINE L4_Bool_t L4_IpcSucceeded(L4_MsgTag_t tag) {
    return (tag.raw & L4_TAG_ERROR) == 0;
}

L4_INLINE L4_Bool_t L4_IpcFailed(L4_MsgTag_t tag) {
    return (tag.raw & L4_TAG_ERROR) != 0;
}

L4_INLINE L4_Bool_t L4_IpcPropagated(L4_MsgTag_t tag) {
    return (tag.raw & L4_TAG_PROPAGATED) != 0;
}

L4_INLINE L4_Bool_t L4_IpcRedirected(L4_MsgTag_t tag) {
    return (tag.raw & L4_TAG_REDIRECTED) != 0;
}

L4_INLINE L4_Bool_t L4_IpcXcpu(L4_MsgTag_t tag) {
    return (tag.raw & L4_TAG_XCPU) != 0;
}

L4_INLINE void L4_Set_Propagation(L4_MsgTag_t *tag) {
    tag->raw |= L4_TAG_PROPAGATED;
}

/* ---- typed items: bit 0 = another item follows, bits 3..1 = kind ---- */

#define L4_ITEM_MORE  ((L4_Word_t)1)
#define L4_ITEM_KIND  ((L4_Word_t)0xe)
#define L4_ITEM_MAP   ((L4_Word_t)0x8)
#define L4_ITEM_GRANT ((L4_Word_t)0xa)
/* Any kind below 8 is a string item. */

typedef union {
    L4_Word_t raw[2];
    struct {
        L4_Word_t C : 1;
        L4_Word_t kind : 3;
        L4_Word_t zeros : 6;
        L4_Word_t snd_base : L4_BITS_PER_WORD - 10;
        L4_Fpage_t snd_fpage;
    } X;
} L4_MapItem_t;

/* A type of its own, though laid out the same: overloaded functions tell the two apart. */
typedef union {
    L4_Word_t raw[2];
    struct {
        L4_Word_t C : 1;
        L4_Word_t kind : 3;
        L4_Word_t zeros : 6;
        L4_Word_t snd_base : L4_BITS_PER_WORD - 10;
        L4_Fpage_t snd_fpage;
    } X;
} L4_GrantItem_t;

L4_INLINE L4_MapItem_t L4_MapItem(L4_Fpage_t fpage, L4_Word_t snd_base) {
    return (L4_MapItem_t){.raw = {(snd_base & L4_BITS_ABOVE(10)) | L4_ITEM_MAP, fpage.raw}};
}

L4_INLINE L4_GrantItem_t L4_GrantItem(L4_Fpage_t fpage, L4_Word_t snd_base) {
    return (L4_GrantItem_t){.raw = {(snd_base & L4_BITS_ABOVE(10)) | L4_ITEM_GRANT, fpage.raw}};
}

L4_INLINE L4_Bool_t L4_IsMapItem(L4_MapItem_t item) {
    return (item.raw[0] & L4_ITEM_KIND) == L4_ITEM_MAP;
}

L4_INLINE L4_Bool_t L4_IsGrantItem(L4_GrantItem_t item) {
    return (item.raw[0] & L4_ITEM_KIND) == L4_ITEM_GRANT;
}

L4_INLINE L4_Fpage_t L4_MapItemSndFpage(L4_MapItem_t item) {
    return (L4_Fpage_t){.raw = item.raw[1]};
}

L4_INLINE L4_Word_t L4_MapItemSndBase(L4_MapItem_t item) {
    return item.raw[0] & L4_BITS_ABOVE(10);
}

L4_INLINE L4_Fpage_t L4_GrantItemSndFpage(L4_GrantItem_t item) {
    return (L4_Fpage_t){.raw = item.raw[1]};
}

L4_INLINE L4_Word_t L4_GrantItemSndBase(L4_GrantItem_t item) {
    return item.raw[0] & L4_BITS_ABOVE(10);
}

/* ---- acceptor (buffer register 0): receive window 28 or 60 | 0 3 | s 1 ---- */

typedef union {
    L4_Word_t raw;
    struct {
        L4_Word_t s : 1;
        L4_Word_t reserved : 3;
        L4_Word_t rcv_window : L4_BITS_PER_WORD - 4;
    } X;
} L4_Acceptor_t;

#define L4_UntypedWordsAcceptor ((L4_Acceptor_t){.raw = 0})
#define L4_StringItemsAcceptor  ((L4_Acceptor_t){.raw = 1})

L4_INLINE L4_Acceptor_t L4_MapGrantItems(L4_Fpage_t window) {
    return (L4_Acceptor_t){.raw = window.raw & L4_BITS_ABOVE(4)};
}

L4_INLINE L4_Fpage_t L4_RcvWindow(L4_Acceptor_t a) {
    return (L4_Fpage_t){.raw = a.raw & L4_BITS_ABOVE(4)};
}

L4_INLINE L4_Bool_t L4_HasStringItems(L4_Acceptor_t a) {
    return a.raw & 1;
}

L4_INLINE L4_Bool_t L4_HasMapGrantItems(L4_Acceptor_t a) {
    return (a.raw & L4_BITS_ABOVE(4)) != 0;
}

L4_INLINE L4_Acceptor_t L4_AddAcceptor(L4_Acceptor_t a, L4_Acceptor_t b) {
    return (L4_Acceptor_t){.raw = (b.raw & L4_BITS_ABOVE(4) ? b.raw : a.raw & L4_BITS_ABOVE(4)) |
                                  ((a.raw | b.raw) & 1)};
}

L4_INLINE L4_Acceptor_t L4_AddAcceptorTo(L4_Acceptor_t *a, L4_Acceptor_t b) {
    *a = L4_AddAcceptor(*a, b);
    return *a;
}

L4_INLINE L4_Acceptor_t L4_RemoveAcceptor(L4_Acceptor_t a, L4_Acceptor_t b) {
    return (L4_Acceptor_t){.raw = (b.raw & L4_BITS_ABOVE(4) ? 0 : a.raw & L4_BITS_ABOVE(4)) |
                                  (a.raw & ~b.raw & 1)};
}

L4_INLINE L4_Acceptor_t L4_RemoveAcceptorFrom(L4_Acceptor_t *a, L4_Acceptor_t b) {
    *a = L4_RemoveAcceptor(*a, b);
    return *a;
}

/* ---- a message in memory, laid out as message registers ---- */

typedef union {
    L4_Word_t raw[L4_NUM_MRS];
    L4_Word_t msg[L4_NUM_MRS];
    L4_MsgTag_t tag;
} L4_Msg_t;

L4_INLINE void L4_MsgClear(L4_Msg_t *msg) {
    msg->msg[0] = 0;
}

L4_INLINE L4_MsgTag_t L4_MsgMsgTag(const L4_Msg_t *msg) {
    return msg->tag;
}

L4_INLINE void L4_Set_MsgMsgTag(L4_Msg_t *msg, L4_MsgTag_t tag) {
    msg->tag = tag;
}

L4_INLINE L4_Word_t L4_MsgLabel(const L4_Msg_t *msg) {
    return L4_Label(msg->tag);
}

L4_INLINE void L4_Set_MsgLabel(L4_Msg_t *msg, L4_Word_t label) {
    L4_Set_Label(&msg->tag, label);
}

/* Appends an untyped word; typed items already there move up. */
L4_INLINE void L4_MsgAppendWord(L4_Msg_t *msg, L4_Word_t word) {
    L4_Word_t u = L4_UntypedWords(msg->tag);
    L4_Word_t t = L4_TypedWords(msg->tag);
    for (L4_Word_t i = u + t + 1; i > u + 1; i--) {
        msg->msg[i] = msg->msg[i - 1];
    }
    msg->msg[u + 1] = word;
    msg->msg[0]++;
}

/* Appends the two words of a typed item and marks the one before it as followed by another. */
L4_INLINE void L4_MsgAppendTwoWords(L4_Msg_t *msg, const L4_Word_t words[2]) {
    L4_Word_t u = L4_UntypedWords(msg->tag);
    L4_Word_t t = L4_TypedWords(msg->tag);
    for (L4_Word_t i = 1; i < t; i += 2) {
        msg->msg[u + i] |= L4_ITEM_MORE;
    }
    msg->msg[u + t + 1] = words[0] & ~L4_ITEM_MORE;
    msg->msg[u + t + 2] = words[1];
    msg->msg[0] += 2u << 6;
}

L4_INLINE void L4_MsgAppendMapItem(L4_Msg_t *msg, L4_MapItem_t item) {
    L4_MsgAppendTwoWords(msg, item.raw);
}

L4_INLINE void L4_MsgAppendGrantItem(L4_Msg_t *msg, L4_GrantItem_t item) {
    L4_MsgAppendTwoWords(msg, item.raw);
}

L4_INLINE L4_Word_t L4_MsgWord(const L4_Msg_t *msg, L4_Word_t n) {
    return msg->msg[n + 1];
}

L4_INLINE void L4_MsgPutWord(L4_Msg_t *msg, L4_Word_t n, L4_Word_t word) {
    msg->msg[n + 1] = word;
}

/* At word `t` of the typed part; the counts in the tag stay. */
L4_INLINE void L4_MsgPutTwoWords(L4_Msg_t *msg, L4_Word_t t, const L4_Word_t words[2]) {
    L4_Word_t at = L4_UntypedWords(msg->tag) + 1 + t;
    msg->msg[at] = words[0];
    msg->msg[at + 1] = words[1];
}

L4_INLINE void L4_MsgPutMapItem(L4_Msg_t *msg, L4_Word_t t, L4_MapItem_t item) {
    L4_MsgPutTwoWords(msg, t, item.raw);
}

L4_INLINE void L4_MsgPutGrantItem(L4_Msg_t *msg, L4_Word_t t, L4_GrantItem_t item) {
    L4_MsgPutTwoWords(msg, t, item.raw);
}

L4_INLINE void L4_MsgGetWord(const L4_Msg_t *msg, L4_Word_t n, L4_Word_t *word) {
    *word = msg->msg[n + 1];
}

L4_INLINE void L4_Set_MsgWord(L4_Msg_t *msg, L4_Word_t n, L4_Word_t word) {
    msg->msg[n + 1] = word;
}

L4_INLINE void L4_MsgPut(L4_Msg_t *msg, L4_Word_t label, L4_Word_t u, const L4_Word_t *untyped,
                         L4_Word_t t, const void *typed) {
    msg->tag = L4_MakeMsgTag(label, u, t);
    for (L4_Word_t i = 0; i < u; i++) {
        msg->msg[i + 1] = untyped[i];
    }
    for (L4_Word_t i = 0; i < t; i++) {
        msg->msg[u + i + 1] = ((const L4_Word_t *)typed)[i];
    }
}

L4_INLINE void L4_MsgGet(const L4_Msg_t *msg, L4_Word_t *untyped, void *typed) {
    L4_Word_t u = L4_UntypedWords(msg->tag);
    for (L4_Word_t i = 0; i < u; i++) {
        untyped[i] = msg->msg[i + 1];
    }
    for (L4_Word_t i = 0; i < L4_TypedWords(msg->tag); i++) {
        ((L4_Word_t *)typed)[i] = msg->msg[u + i + 1];
    }
}

/* Reads the typed item at word `t` of the typed part; returns the words it takes. */
L4_INLINE L4_Word_t L4_MsgGetTwoWords(const L4_Msg_t *msg, L4_Word_t t, L4_Word_t words[2]) {
    L4_Word_t at = L4_UntypedWords(msg->tag) + 1 + t;
    words[0] = msg->msg[at];
    words[1] = msg->msg[at + 1];
    return 2;
}

L4_INLINE L4_Word_t L4_MsgGetMapItem(const L4_Msg_t *msg, L4_Word_t t, L4_MapItem_t *item) {
    return L4_MsgGetTwoWords(msg, t, item->raw);
}

L4_INLINE L4_Word_t L4_MsgGetGrantItem(const L4_Msg_t *msg, L4_Word_t t, L4_GrantItem_t *item) {
    return L4_MsgGetTwoWords(msg, t, item->raw);
}

#ifdef __cplusplus
#include <l4/cxx/message.h>
#endif

#endif
