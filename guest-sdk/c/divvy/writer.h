/* writer.h: MessagePack, written: everything in its shortest form, every text as UTF-8. Whoever calls has made room enough. */
#ifndef DIVVY_WRITER_H
#define DIVVY_WRITER_H

#include "bytes.h"

DIVVY__ONCE uint8_t *divvy__put(uint8_t *to, uint8_t first, uint64_t number, uint32_t bytes) {
    *to++ = first;
    while (bytes--) *to++ = (uint8_t)(number >> (8 * bytes));
    return to;
}

static inline uint8_t *divvy__put_unsigned(uint8_t *to, uint64_t number) {
    if (number < 0x80) return divvy__put(to, (uint8_t)number, 0, 0);
    if (number < 0x100) return divvy__put(to, 0xcc, number, 1);
    if (number < 0x10000) return divvy__put(to, 0xcd, number, 2);
    return number >> 32 ? divvy__put(to, 0xcf, number, 8) : divvy__put(to, 0xce, number, 4);
}

DIVVY__ONCE uint8_t *divvy__put_array(uint8_t *to, uint32_t items) {
    if (items < 16) return divvy__put(to, (uint8_t)(0x90 | items), 0, 0);
    return items < 0x10000 ? divvy__put(to, 0xdc, items, 2) : divvy__put(to, 0xdd, items, 4);
}

DIVVY__ONCE uint8_t *divvy__put_bytes(uint8_t *to, bool is_text, divvy_bytes bytes) {
    if (is_text && bytes.len < 32) to = divvy__put(to, (uint8_t)(0xa0 | bytes.len), 0, 0);
    else if (bytes.len < 0x100) to = divvy__put(to, is_text ? 0xd9 : 0xc4, bytes.len, 1);
    else if (bytes.len < 0x10000) to = divvy__put(to, is_text ? 0xda : 0xc5, bytes.len, 2);
    else to = divvy__put(to, is_text ? 0xdb : 0xc6, bytes.len, 4);
    if (bytes.len) __builtin_memcpy(to, bytes.at, bytes.len);
    for (uint32_t done = 0; is_text && done < bytes.len; done++) {
        /* A host refuses a whole reply for a text that is none: metadata in a line, say. */
        done += divvy__utf8((divvy_bytes){to + done, bytes.len - done});
        if (done < bytes.len) to[done] = '?';
    }
    return to + bytes.len;
}

/* Nil for what is not there. */
static inline uint8_t *divvy__put_binary(uint8_t *to, divvy_bytes bytes) {
    if (bytes.at) return divvy__put_bytes(to, false, bytes);
    return divvy__put(to, 0xc0, 0, 0);
}

#endif
