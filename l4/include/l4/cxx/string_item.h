/* SPDX-License-Identifier: Apache-2.0 */
/* String items, hints, and the buffers for strings (manual, 5.4 and 5.5). */
#ifndef L4_CXX_STRING_ITEM_H
#define L4_CXX_STRING_ITEM_H

#include <l4/string_item.h>

L4_INLINE L4_Bool_t L4_StringItem(const L4_StringItem_t *item) {
    return L4_IsStringItem(item);
}

/* Another piece after: with a length of its own, or an address with the last one's. */
L4_INLINE L4_StringItem_t &operator+=(L4_StringItem_t &dest, const L4_StringItem_t &substring) {
    return *L4_AddSubstringTo(&dest, &substring);
}

L4_INLINE L4_StringItem_t &operator+=(L4_StringItem_t &dest, void *address) {
    return *L4_AddSubstringAddressTo(&dest, address);
}

/* ---- cache line allocation hints ---- */

L4_INLINE bool operator==(const L4_CacheAllocationHint_t &a, const L4_CacheAllocationHint_t &b) {
    return a.raw == b.raw;
}

L4_INLINE bool operator!=(const L4_CacheAllocationHint_t &a, const L4_CacheAllocationHint_t &b) {
    return a.raw != b.raw;
}

L4_INLINE L4_StringItem_t operator+(const L4_StringItem_t &item,
                                    const L4_CacheAllocationHint_t &hint) {
    return L4_AddCacheAllocationHint(item, hint);
}

L4_INLINE L4_StringItem_t &operator+=(L4_StringItem_t &item, const L4_CacheAllocationHint_t &hint) {
    return *L4_AddCacheAllocationHintTo(&item, hint);
}

/* ---- strings in a message: one of one piece by its value, any by its address ---- */

L4_INLINE void L4_Append(L4_Msg_t *msg, L4_StringItem_t item) {
    L4_MsgAppendSimpleStringItem(msg, item);
}

L4_INLINE void L4_Append(L4_Msg_t *msg, const L4_StringItem_t *item) {
    L4_MsgAppendStringItem(msg, item);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t t, L4_StringItem_t item) {
    L4_MsgPutSimpleStringItem(msg, t, item);
}

L4_INLINE void L4_Put(L4_Msg_t *msg, L4_Word_t t, const L4_StringItem_t *item) {
    (void)L4_MsgPutStringItem(msg, t, item);
}

L4_INLINE L4_Word_t L4_Get(const L4_Msg_t *msg, L4_Word_t t, L4_StringItem_t *item) {
    return L4_MsgGetStringItem(msg, t, item);
}

/* ---- buffers ---- */

L4_INLINE void L4_Clear(L4_MsgBuffer_t *buffer) {
    L4_MsgBufferClear(buffer);
}

L4_INLINE void L4_Append(L4_MsgBuffer_t *buffer, L4_StringItem_t item) {
    L4_MsgBufferAppendSimpleRcvString(buffer, item);
}

L4_INLINE void L4_Append(L4_MsgBuffer_t *buffer, const L4_StringItem_t *item) {
    L4_MsgBufferAppendRcvString(buffer, item);
}

#endif
