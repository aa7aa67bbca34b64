/* reader.h: MessagePack, read in place: no length is believed that the bytes do not bear out. */
#ifndef DIVVY_READER_H
#define DIVVY_READER_H

#include "bytes.h"

enum divvy__kind { DIVVY__NIL, DIVVY__BOOL, DIVVY__UINT, DIVVY__INT, DIVVY__FLOAT, DIVVY__STR, DIVVY__BIN, DIVVY__EXT,
                   DIVVY__ARRAY, DIVVY__MAP, DIVVY__BAD };
/* `number` is a value, a length or a count; of floats the bits as a double. */
typedef struct { enum divvy__kind kind; uint64_t number; } divvy__value;
/* Once something is not as it should be, `bad` stays, and everything reads as 0. */
typedef struct { const uint8_t *start, *at, *end; bool bad; const char *wanted; uint32_t where; } divvy_reader;

static inline divvy_reader divvy__reader(divvy_bytes bytes) {
    return (divvy_reader){bytes.at, bytes.at, bytes.at + bytes.len, false, NULL, 0};
}

DIVVY__ONCE void divvy__no(divvy_reader *from, const char *wanted) {
    if (!from->bad) { from->bad = true; from->wanted = wanted; from->where = (uint32_t)(from->at - from->start); }
    from->at = from->end;
}

DIVVY__ONCE uint64_t divvy__big(divvy_reader *from, uint32_t bytes) {
    if ((uint64_t)(from->end - from->at) < bytes) { divvy__no(from, "the rest of a value"); return 0; }
    uint64_t number = 0;
    while (bytes--) number = number << 8 | *from->at++;
    return number;
}

DIVVY__ONCE divvy__value divvy__read(divvy_reader *from) {
#define DIVVY__IS(kind, number) ((divvy__value){kind, number})
    if (from->at == from->end) { divvy__no(from, "a value"); return DIVVY__IS(DIVVY__BAD, 0); }
    uint8_t b = *from->at++;
    if (b < 0x80) return DIVVY__IS(DIVVY__UINT, b);
    if (b < 0x90) return DIVVY__IS(DIVVY__MAP, b & 15);
    if (b < 0xa0) return DIVVY__IS(DIVVY__ARRAY, b & 15);
    if (b < 0xc0) return DIVVY__IS(DIVVY__STR, b & 31);
    if (b >= 0xe0) return DIVVY__IS(DIVVY__INT, (uint64_t)(int64_t)(int8_t)b);
    switch (b) {
    case 0xc0: return DIVVY__IS(DIVVY__NIL, 0);
    case 0xc2: case 0xc3: return DIVVY__IS(DIVVY__BOOL, b & 1);
    case 0xc4: case 0xc5: case 0xc6: return DIVVY__IS(DIVVY__BIN, divvy__big(from, 1u << (b - 0xc4)));
    case 0xc7: case 0xc8: case 0xc9: return DIVVY__IS(DIVVY__EXT, divvy__big(from, 1u << (b - 0xc7)) + 1);
    case 0xca: {
        uint32_t bits = (uint32_t)divvy__big(from, 4);
        float number; double wide; uint64_t of_wide;
        __builtin_memcpy(&number, &bits, 4);
        wide = number;
        __builtin_memcpy(&of_wide, &wide, 8);
        return DIVVY__IS(DIVVY__FLOAT, of_wide);
    }
    case 0xcb: return DIVVY__IS(DIVVY__FLOAT, divvy__big(from, 8));
    case 0xcc: case 0xcd: case 0xce: case 0xcf: return DIVVY__IS(DIVVY__UINT, divvy__big(from, 1u << (b - 0xcc)));
    case 0xd0: return DIVVY__IS(DIVVY__INT, (uint64_t)(int64_t)(int8_t)divvy__big(from, 1));
    case 0xd1: return DIVVY__IS(DIVVY__INT, (uint64_t)(int64_t)(int16_t)divvy__big(from, 2));
    case 0xd2: return DIVVY__IS(DIVVY__INT, (uint64_t)(int64_t)(int32_t)divvy__big(from, 4));
    case 0xd3: return DIVVY__IS(DIVVY__INT, divvy__big(from, 8));
    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return DIVVY__IS(DIVVY__EXT, (1u << (b - 0xd4)) + 1);
    case 0xd9: case 0xda: case 0xdb: return DIVVY__IS(DIVVY__STR, divvy__big(from, 1u << (b - 0xd9)));
    case 0xdc: case 0xdd: return DIVVY__IS(DIVVY__ARRAY, divvy__big(from, 2u << (b - 0xdc)));
    case 0xde: case 0xdf: return DIVVY__IS(DIVVY__MAP, divvy__big(from, 2u << (b - 0xde)));
    }
    from->at--;
    divvy__no(from, "a value of MessagePack");
    return DIVVY__IS(DIVVY__BAD, 0);
#undef DIVVY__IS
}

DIVVY__ONCE uint64_t divvy__want(divvy_reader *from, enum divvy__kind kind, const char *wanted) {
    const uint8_t *start = from->at;
    divvy__value value = divvy__read(from);
    if (value.kind == kind) return value.number;
    if (kind == DIVVY__UINT && value.kind == DIVVY__INT && (int64_t)value.number >= 0) return value.number;
    if (!from->bad) from->at = start;
    divvy__no(from, wanted);
    return 0;
}

static inline uint64_t divvy_read_unsigned(divvy_reader *from, const char *wanted) { return divvy__want(from, DIVVY__UINT, wanted); }

DIVVY__ONCE uint32_t divvy_read_u32(divvy_reader *from, const char *wanted) {
    uint64_t number = divvy__want(from, DIVVY__UINT, wanted);
    if (number > UINT32_MAX) { divvy__no(from, wanted); return 0; }
    return (uint32_t)number;
}

static inline int64_t divvy_read_signed(divvy_reader *from, const char *wanted) {
    const uint8_t *start = from->at;
    divvy__value value = divvy__read(from);
    if (value.kind == DIVVY__INT || (value.kind == DIVVY__UINT && value.number <= INT64_MAX)) return (int64_t)value.number;
    if (!from->bad) from->at = start;
    divvy__no(from, wanted);
    return 0;
}

/* A number, integer or not. */
static inline double divvy_read_number(divvy_reader *from, const char *wanted) {
    const uint8_t *start = from->at;
    divvy__value value = divvy__read(from);
    double number;
    if (value.kind == DIVVY__UINT) return (double)value.number;
    if (value.kind == DIVVY__INT) return (double)(int64_t)value.number;
    if (value.kind == DIVVY__FLOAT) { __builtin_memcpy(&number, &value.number, 8); return number; }
    if (!from->bad) from->at = start;
    divvy__no(from, wanted);
    return 0;
}

static inline bool divvy_read_bool(divvy_reader *from, const char *wanted) { return divvy__want(from, DIVVY__BOOL, wanted); }

/* Items of an array, at least one byte each; pairs of a map, at least two. */
DIVVY__ONCE uint32_t divvy__count(divvy_reader *from, enum divvy__kind kind, const char *wanted) {
    uint64_t count = divvy__want(from, kind, wanted), least = kind == DIVVY__MAP ? 2 : 1;
    if (count * least > (uint64_t)(from->end - from->at)) { divvy__no(from, wanted); return 0; }
    return (uint32_t)count;
}

static inline uint32_t divvy_read_array(divvy_reader *from, const char *wanted) { return divvy__count(from, DIVVY__ARRAY, wanted); }
static inline uint32_t divvy_read_map(divvy_reader *from, const char *wanted) { return divvy__count(from, DIVVY__MAP, wanted); }

DIVVY__ONCE divvy_bytes divvy__take(divvy_reader *from, uint64_t len, const char *wanted) {
    if (len > (uint64_t)(from->end - from->at)) divvy__no(from, wanted);
    if (from->bad) return (divvy_bytes){from->end, 0};
    from->at += len;
    return (divvy_bytes){from->at - len, (uint32_t)len};
}

DIVVY__ONCE divvy_bytes divvy_read_text(divvy_reader *from, const char *wanted) {
    const uint8_t *start = from->at;
    divvy_bytes text = divvy__take(from, divvy__want(from, DIVVY__STR, wanted), wanted);
    if (divvy__utf8(text) == text.len) return text;
    from->at = start;
    divvy__no(from, wanted);
    return (divvy_bytes){from->end, 0};
}

static inline divvy_bytes divvy_read_binary(divvy_reader *from, const char *wanted) {
    return divvy__take(from, divvy__want(from, DIVVY__BIN, wanted), wanted);
}

static inline bool divvy_read_nil(divvy_reader *from) {
    bool nil = from->at < from->end && *from->at == 0xc0;
    from->at += nil;
    return nil;
}

/* Passes over values with all that is in them; nesting only counts what is still to come. */
DIVVY__ONCE void divvy_skip(divvy_reader *from, uint64_t pending) {
    while (pending && !from->bad) {
        pending--;
        divvy__value value = divvy__read(from);
        if (value.kind == DIVVY__STR || value.kind == DIVVY__BIN || value.kind == DIVVY__EXT)
            divvy__take(from, value.number, "the rest of a value");
        else if (value.kind == DIVVY__ARRAY) pending += value.number;
        else if (value.kind == DIVVY__MAP) pending += 2 * value.number;
    }
}

/* Begins an array of at least `known` items; says how many unknown ones follow them. */
DIVVY__ONCE uint32_t divvy_read_fields(divvy_reader *from, uint32_t known, const char *wanted) {
    uint32_t items = divvy_read_array(from, wanted);
    if (items < known) { divvy__no(from, wanted); return 0; }
    return items - known;
}

/* A map as it lies, to be asked by name (values.h). */
DIVVY__ONCE divvy_bytes divvy_read_values(divvy_reader *from, const char *wanted) {
    divvy_reader look = *from;
    divvy_read_map(&look, wanted);
    const uint8_t *start = from->at;
    if (look.bad) divvy__no(from, wanted);
    divvy_skip(from, 1);
    return from->bad ? (divvy_bytes){start, 0} : (divvy_bytes){start, (uint32_t)(from->at - start)};
}

/* What is NULL if it is nil. */
static inline divvy_bytes divvy__optional(divvy_reader *from, enum divvy__kind kind, const char *wanted) {
    if (divvy_read_nil(from)) return (divvy_bytes){NULL, 0};
    return kind == DIVVY__STR ? divvy_read_text(from, wanted) : divvy_read_binary(from, wanted);
}

/* Passes over what a later minor version appended; nothing may follow. */
static inline void divvy__read_end(divvy_reader *from, uint32_t tail) {
    divvy_skip(from, tail);
    if (!from->bad && from->at != from->end) divvy__no(from, "the end");
}

#endif
