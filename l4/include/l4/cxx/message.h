/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, map and grant items, acceptors (manual, 5.1 to 5.3, 5.5). */
#ifndef L4_CXX_MESSAGE_H
#define L4_CXX_MESSAGE_H

#include <l4/message.h>

/* ---- message tags ---- */

L4_INLINE bool operator==(const L4_MsgTag_t &a, const L4_MsgTag_t &b) {
    return a.raw == b.raw;
}

L4_INLINE bool operator!=(const L4_MsgTag_t &a, const L4_MsgTag_t &b) {
    return a.raw != b.raw;
}

L4_INLINE L4_MsgTag_t operator+(const L4_MsgTag_t &tag, L4_Word_t label) {
    return L4_MsgTagAddLabel(tag, label);
}

L4_INLINE L4_MsgTag_t &operator+=(L4_MsgTag_t &tag, L4_Word_t label) {
    return tag = L4_MsgTagAddLabel(tag, label);
}

/* ---- map and grant items ---- */

L4_INLINE L4_Bool_t L4_MapItem(L4_MapItem_t item) {
    return L4_IsMapItem(item);
}

L4_INLINE L4_Fpage_t L4_SndFpage(L4_MapItem_t item) {
    return L4_MapItemSndFpage(item);
}

L4_INLINE L4_Word_t L4_SndBase(L4_MapItem_t item) {
    return L4_MapItemSndBase(item);
}

L4_INLINE L4_Bool_t L4_GrantItem(L4_GrantItem_t item) {
    return L4_IsGrantItem(item);
}

L4_INLINE L4_Fpage_t L4_SndFpage(L4_GrantItem_t item) {
    return L4_GrantItemSndFpage(item);
}

L4_INLINE L4_Word_t L4_SndBase(L4_GrantItem_t item) {
    return L4_GrantItemSndBase(item);
}

/* ---- acceptors ---- */

L4_INLINE L4_Acceptor_t operator+(const L4_Acceptor_t &a, const L4_Acceptor_t &b) {
    return L4_AddAcceptor(a, b);
}

L4_INLINE L4_Acceptor_t &operator+=(L4_Acceptor_t &a, const L4_Acceptor_t &b) {
    return a = L4_AddAcceptor(a, b);
}

L4_INLINE L4_Acceptor_t operator-(const L4_Acceptor_t &a, const L4_Acceptor_t &b) {
    return L4_RemoveAcceptor(a, b);
}

L4_INLINE L4_Acceptor_t &operator-=(L4_Acceptor_t &a, const L4_Acceptor_t &b) {
    return a = L4_RemoveAcceptor(a, b);
}

L4_INLINE L4_Bool_t L4_StringItems(L4_Acceptor_t a) {
    return L4_HasStringItems(a);
}

L4_INLINE L4_Bool_t L4_MapGrantItems(L4_Acceptor_t a) {
    return L4_HasMapGrantItems(a);
}

/* ---- messages in memory; loading and storing them is in ipc.h ---- */

L4_INLINE void L4_Clear(L4_Msg_t *msg) {
    L4_MsgClear(msg);
}

L4_INLINE L4_MsgTag_t L4_MsgTag(const L4_Msg_t *msg) {
    return L4_MsgMsgTag(msg);
}

L4_INLINE void L4_Set_MsgTag(L4_Msg_t *msg, L4_MsgTag_t tag) {
    L4_Set_MsgMsgTag(msg, tag);
}

L4_INLINE L4_Word_t L4_Label(const L4_Msg_t *msg) {
    return L4_MsgLabel(msg);
}

L4_INLINE void L4_Set_Label(L4_Msg_t *msg, L4_Word_t label) {
    L4_Set_MsgLabel(msg, label);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t label, L4_Word_t u, const L4_Word_t *untyped,
                      L4_Word_t t, const void *typed) {
    L4_MsgPut(msg, label, u, untyped, t, typed);
}

L4_INLINE void L4_Get(const L4_Msg_t *msg, L4_Word_t *untyped, void *typed) {
    L4_MsgGet(msg, untyped, typed);
}

/* Numbers of all types are words: else 0 could as well be a pointer. */
L4_INLINE void L4_Append(L4_Msg_t *msg, unsigned word) {
    L4_MsgAppendWord(msg, word);
}

L4_INLINE void L4_Append(L4_Msg_t *msg, int word) {
    L4_MsgAppendWord(msg, (L4_Word_t)word);
}

L4_INLINE void L4_Append(L4_Msg_t *msg, long word) {
    L4_MsgAppendWord(msg, (L4_Word_t)word);
}

L4_INLINE void L4_Append(L4_Msg_t *msg, unsigned long word) {
    L4_MsgAppendWord(msg, (L4_Word_t)word);
}

L4_INLINE void L4_Append(L4_Msg_t *msg, L4_MapItem_t item) {
    L4_MsgAppendMapItem(msg, item);
}

L4_INLINE void L4_Append(L4_Msg_t *msg, L4_GrantItem_t item) {
    L4_MsgAppendGrantItem(msg, item);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t u, unsigned word) {
    L4_MsgPutWord(msg, u, word);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t u, int word) {
    L4_MsgPutWord(msg, u, (L4_Word_t)word);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t u, long word) {
    L4_MsgPutWord(msg, u, (L4_Word_t)word);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t u, unsigned long word) {
    L4_MsgPutWord(msg, u, (L4_Word_t)word);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t t, L4_MapItem_t item) {
    L4_MsgPutMapItem(msg, t, item);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t t, L4_GrantItem_t item) {
    L4_MsgPutGrantItem(msg, t, item);
}

L4_INLINE L4_Word_t L4_Get(const L4_Msg_t *msg, L4_Word_t u) {
    return L4_MsgWord(msg, u);
}

L4_INLINE void L4_Get(const L4_Msg_t *msg, L4_Word_t u, L4_Word_t *word) {
    L4_MsgGetWord(msg, u, word);
}

L4_INLINE L4_Word_t L4_Get(const L4_Msg_t *msg, L4_Word_t t, L4_MapItem_t *item) {
    return L4_MsgGetMapItem(msg, t, item);
}

L4_INLINE L4_Word_t L4_Get(const L4_Msg_t *msg, L4_Word_t t, L4_GrantItem_t *item) {
    return L4_MsgGetGrantItem(msg, t, item);
}

#endif
