/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String items: byte strings anywhere in memory, as part of a message, and the buffers for them.
 *
 * An item is one word, then up to 32 pointers to pieces of equal length. Pieces of different
 * length are several such groups in a row, each but the last marked as continued.
 */
#ifndef L4_STRING_ITEM_H
#define L4_STRING_ITEM_H

#include <l4/message.h>

/* length 22 or 54 | c 1 | pointers - 1 5 | 0 hh 3 | C 1 */
#define L4_STRING_CONTINUED 0x200u
#define L4_STRING_WORDS     62u /* what message registers hold at most */

typedef union {
    L4_Word_t raw[L4_STRING_WORDS];
    struct {
        L4_Word_t C : 1;
        L4_Word_t hh : 3;
        L4_Word_t j : 5; /* pointers - 1 */
        L4_Word_t c : 1;
        L4_Word_t string_length : L4_BITS_PER_WORD - 10;
        union {
            void *string_ptr;
            void *substring_ptr[L4_STRING_WORDS - 1];
        } str;
    } X;
} L4_StringItem_t;

L4_INLINE L4_StringItem_t L4_StringItem(L4_Word_t size, void *address) {
    return (L4_StringItem_t){.raw = {size << 10, (L4_Word_t)(uintptr_t)address}};
}

L4_INLINE L4_Bool_t L4_IsStringItem(const L4_StringItem_t *item) {
    return (item->raw[0] & 0x8) == 0;
}

/* More than one piece? */
L4_INLINE L4_Bool_t L4_CompoundString(const L4_StringItem_t *item) {
    return (item->raw[0] & (L4_STRING_CONTINUED | 0x1f0)) != 0;
}

/* Pieces of the first group. */
L4_INLINE L4_Word_t L4_Substrings(const L4_StringItem_t *item) {
    return (item->raw[0] >> 4 & 0x1f) + 1;
}

L4_INLINE void *L4_Substring(const L4_StringItem_t *item, L4_Word_t n) {
    return (void *)(uintptr_t)item->raw[1 + n];
}

/* Where the group after the one at word `at` is. */
L4_INLINE L4_Word_t L4_StringNextGroup(const L4_Word_t *words, L4_Word_t at) {
    return at + 2 + (words[at] >> 4 & 0x1f);
}

/* Words of the whole item. */
L4_INLINE L4_Word_t L4_StringItemWords(const L4_StringItem_t *item) {
    L4_Word_t at = 0;
    while ((item->raw[at] & L4_STRING_CONTINUED) != 0) {
        at = L4_StringNextGroup(item->raw, at);
    }
    return L4_StringNextGroup(item->raw, at);
}

/* Another piece after, with its own length. */
L4_INLINE L4_StringItem_t *L4_AddSubstringTo(L4_StringItem_t *item,
                                             const L4_StringItem_t *substring) {
    L4_Word_t at = 0;
    while ((item->raw[at] & L4_STRING_CONTINUED) != 0) {
        at = L4_StringNextGroup(item->raw, at);
    }
    L4_Word_t end = L4_StringNextGroup(item->raw, at);
    L4_Word_t n = L4_StringItemWords(substring);
    if (end + n <= L4_STRING_WORDS) {
        item->raw[at] |= L4_STRING_CONTINUED;
        for (L4_Word_t i = 0; i < n; i++) {
            item->raw[end + i] = substring->raw[i];
        }
    }
    return item;
}

/* Another piece of the last group's length. */
L4_INLINE L4_StringItem_t *L4_AddSubstringAddressTo(L4_StringItem_t *item, void *address) {
    L4_Word_t at = 0;
    while ((item->raw[at] & L4_STRING_CONTINUED) != 0) {
        at = L4_StringNextGroup(item->raw, at);
    }
    L4_Word_t end = L4_StringNextGroup(item->raw, at);
    if (end < L4_STRING_WORDS && (item->raw[at] & 0x1f0) != 0x1f0) {
        item->raw[end] = (L4_Word_t)(uintptr_t)address;
        item->raw[at] += 0x10;
    }
    return item;
}

/* ---- cache line allocation hints: advice, which this kernel does not take ---- */

typedef union {
    L4_Word_t raw;
} L4_CacheAllocationHint_t;

#define L4_UseDefaultCacheLineAllocation ((L4_CacheAllocationHint_t){.raw = 0})
#define L4_AllocateNewCacheLines         ((L4_CacheAllocationHint_t){.raw = 2})
#define L4_AllocateOnlyNewCacheLines     ((L4_CacheAllocationHint_t){.raw = 4})

L4_INLINE L4_CacheAllocationHint_t L4_CacheAllocationHint(L4_StringItem_t item) {
    return (L4_CacheAllocationHint_t){.raw = item.raw[0] & 6};
}

L4_INLINE L4_Bool_t L4_IsCacheAllocationHintEqual(L4_CacheAllocationHint_t a,
                                                  L4_CacheAllocationHint_t b) {
    return a.raw == b.raw;
}

L4_INLINE L4_Bool_t L4_IsCacheAllocationHintNotEqual(L4_CacheAllocationHint_t a,
                                                     L4_CacheAllocationHint_t b) {
    return a.raw != b.raw;
}

L4_INLINE L4_StringItem_t L4_AddCacheAllocationHint(L4_StringItem_t item,
                                                    L4_CacheAllocationHint_t hint) {
    item.raw[0] = (item.raw[0] & ~(L4_Word_t)6) | hint.raw;
    return item;
}

L4_INLINE L4_StringItem_t *L4_AddCacheAllocationHintTo(L4_StringItem_t *item,
                                                       L4_CacheAllocationHint_t hint) {
    *item = L4_AddCacheAllocationHint(*item, hint);
    return item;
}

/* ---- strings in a message ---- */

/* The last typed item, whose C bit says that another follows, gets it. */
L4_INLINE void L4_MsgMarkLastItem(L4_Msg_t *msg) {
    L4_Word_t at = L4_UntypedWords(msg->tag) + 1;
    L4_Word_t end = at + L4_TypedWords(msg->tag);
    L4_Bool_t continues = 0;
    while (at < end) {
        msg->msg[at] |= continues ? 0 : L4_ITEM_MORE;
        continues = (msg->msg[at] & 0x8) == 0 && (msg->msg[at] & L4_STRING_CONTINUED) != 0;
        at = (msg->msg[at] & 0x8) != 0 ? at + 2 : L4_StringNextGroup(msg->msg, at);
    }
}

L4_INLINE void L4_MsgAppendStringItem(L4_Msg_t *msg, const L4_StringItem_t *item) {
    L4_Word_t end = L4_UntypedWords(msg->tag) + L4_TypedWords(msg->tag) + 1;
    L4_Word_t n = L4_StringItemWords(item);
    L4_MsgMarkLastItem(msg);
    for (L4_Word_t i = 0; i < n; i++) {
        msg->msg[end + i] = item->raw[i];
    }
    msg->msg[end] &= ~L4_ITEM_MORE;
    msg->msg[0] += n << 6;
}

L4_INLINE void L4_MsgAppendSimpleStringItem(L4_Msg_t *msg, L4_StringItem_t item) {
    L4_MsgAppendStringItem(msg, &item);
}

/* At word `t` of the typed part; the counts in the tag stay. Returns the words it takes. */
L4_INLINE L4_Word_t L4_MsgPutStringItem(L4_Msg_t *msg, L4_Word_t t, const L4_StringItem_t *item) {
    L4_Word_t n = L4_StringItemWords(item);
    for (L4_Word_t i = 0; i < n; i++) {
        msg->msg[L4_UntypedWords(msg->tag) + 1 + t + i] = item->raw[i];
    }
    return n;
}

L4_INLINE void L4_MsgPutSimpleStringItem(L4_Msg_t *msg, L4_Word_t t, L4_StringItem_t item) {
    (void)L4_MsgPutStringItem(msg, t, &item);
}

/* Reads the string item at word `t` of the typed part; returns the words it takes. */
L4_INLINE L4_Word_t L4_MsgGetStringItem(const L4_Msg_t *msg, L4_Word_t t, L4_StringItem_t *item) {
    const L4_Word_t *words = &msg->msg[L4_UntypedWords(msg->tag) + 1 + t];
    L4_Word_t n = L4_StringItemWords((const L4_StringItem_t *)(const void *)words);
    for (L4_Word_t i = 0; i < n && i < L4_STRING_WORDS; i++) {
        item->raw[i] = words[i];
    }
    return n;
}

/* ---- buffers to receive strings: BR 1 on; raw[0] counts the words there are ---- */

typedef struct {
    L4_Word_t raw[L4_NUM_BRS];
} L4_MsgBuffer_t;

L4_INLINE void L4_MsgBufferClear(L4_MsgBuffer_t *buffer) {
    buffer->raw[0] = 1;
    buffer->raw[1] = 0;
}

L4_INLINE L4_Word_t L4_MsgBufferWords(const L4_MsgBuffer_t *buffer) {
    return buffer->raw[0];
}

L4_INLINE void L4_MsgBufferAppendRcvString(L4_MsgBuffer_t *buffer, const L4_StringItem_t *item) {
    L4_Word_t n = L4_StringItemWords(item);
    L4_Word_t end = buffer->raw[0];
    if (end + n > L4_NUM_BRS) {
        return;
    }
    for (L4_Word_t at = 1; at < end;) {
        L4_Word_t first = at;
        while ((buffer->raw[at] & L4_STRING_CONTINUED) != 0) {
            at = L4_StringNextGroup(buffer->raw, at);
        }
        at = L4_StringNextGroup(buffer->raw, at);
        buffer->raw[first] |= L4_ITEM_MORE;
    }
    for (L4_Word_t i = 0; i < n; i++) {
        buffer->raw[end + i] = item->raw[i];
    }
    buffer->raw[end] &= ~L4_ITEM_MORE;
    buffer->raw[0] = end + n;
}

L4_INLINE void L4_MsgBufferAppendSimpleRcvString(L4_MsgBuffer_t *buffer, L4_StringItem_t item) {
    L4_MsgBufferAppendRcvString(buffer, &item);
}

#ifdef __cplusplus
#include <l4/cxx/string_item.h>
#endif

#endif
