/* bytes.h: runs of bytes, texts among them: compared, joined, and how far they are UTF-8. */
#ifndef DIVVY_BYTES_H
#define DIVVY_BYTES_H

#include "memory.h"

/* Bytes of the request, or of your own. A text is UTF-8 and does not end with 0. `at` is NULL for what is not there. */
typedef struct { const uint8_t *at; uint32_t len; } divvy_bytes;

DIVVY__ONCE bool divvy_same(divvy_bytes a, divvy_bytes b) {
    if (a.len != b.len) return false;
    for (uint32_t i = 0; i < a.len; i++) if (a.at[i] != b.at[i]) return false;
    return true;
}

/* Below 0, 0 or above 0, as bytes compare: the order of topics and members. */
DIVVY__ONCE int divvy_order(divvy_bytes a, divvy_bytes b) {
    for (uint32_t i = 0; i < a.len && i < b.len; i++) if (a.at[i] != b.at[i]) return a.at[i] < b.at[i] ? -1 : 1;
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

DIVVY__ONCE divvy_bytes divvy_bytes_of(const char *text) {
    divvy_bytes bytes = {(const uint8_t *)text, 0};
    while (text[bytes.len]) bytes.len++;
    return bytes;
}

/* Bytes behind each other. */
DIVVY__ONCE divvy_bytes divvy_join(divvy_bytes front, divvy_bytes back) {
    uint8_t *to = divvy_new((uint64_t)front.len + back.len);
    if (front.len) __builtin_memcpy(to, front.at, front.len);
    if (back.len) __builtin_memcpy(to + front.len, back.at, back.len);
    return (divvy_bytes){to, front.len + back.len};
}

/* A number in decimal, behind a text. */
static inline divvy_bytes divvy_join_number(const char *text, uint64_t number) {
    divvy_bytes front = divvy_bytes_of(text);
    uint8_t *to = divvy_new(front.len + 20u), digits[20];
    uint32_t len = 0, count = 0;
    for (; len < front.len; len++) to[len] = front.at[len];
    do { digits[count++] = (uint8_t)('0' + number % 10); number /= 10; } while (number);
    while (count) to[len++] = digits[--count];
    return (divvy_bytes){to, len};
}

/* Numbers of columns are little-endian and may lie at odd addresses. */
static inline uint16_t divvy_u16(const uint8_t *at) { uint16_t v; __builtin_memcpy(&v, at, 2); return v; }
static inline uint32_t divvy_u32(const uint8_t *at) { uint32_t v; __builtin_memcpy(&v, at, 4); return v; }
static inline uint64_t divvy_u64(const uint8_t *at) { uint64_t v; __builtin_memcpy(&v, at, 8); return v; }

/* How many bytes of well-formed UTF-8 it begins with. */
DIVVY__ONCE uint32_t divvy__utf8(divvy_bytes text) {
    for (uint32_t i = 0; i < text.len;) {
        uint8_t b = text.at[i];
        if (b < 0x80) { i++; continue; }
        uint32_t more = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3, code = b & (0x3fu >> more);
        if (b < 0xc2 || b > 0xf4 || more >= text.len - i) return i;
        for (uint32_t k = 1; k <= more; k++) {
            if ((text.at[i + k] & 0xc0) != 0x80) return i;
            code = code << 6 | (text.at[i + k] & 0x3f);
        }
        if (more == 2 && (code < 0x800 || code >> 11 == 0xd800 >> 11)) return i;
        if (more == 3 && (code < 0x10000 || code > 0x10ffff)) return i;
        i += more + 1;
    }
    return text.len;
}

#endif
