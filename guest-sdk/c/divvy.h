/* divvy.h: write an assignment strategy for divvy in C. No libc, no imports, and one header whatever its length: it is copied
 * beside a strategy, and so there is one thing to copy, to include and to compare with a newer one.
 *
 *   #include "divvy.h"
 *
 *   DIVVY_MANIFEST({"abi": "1.0", "name": "mine"})
 *   DIVVY_ASSIGNOR(assign)
 *
 *   static bool assign(const divvy_group *group, divvy_plan *plan) { ...; return true; }
 *
 * Of shape `states` ("shape": "states" in the manifest) DIVVY_STATES_ASSIGNOR(assign) takes its place, with a function of a
 * divvy_state_group. DIVVY_USER_DATA(function) and DIVVY_CHECK(function) are the optional exports.
 *
 *   clang --target=wasm32 -O3 -ffreestanding -nostdlib -mbulk-memory \
 *         -Wl,--no-entry -Wl,--export=divvy_panic -Wl,-z,stack-size=65536 -o mine.wasm mine.c
 *
 * An instance lives for one call: nothing is freed, and zeroed globals are zero in every call. The request is read in
 * place, MessagePack by position; items that a later minor version appends are passed over. A request that is not as
 * ABI 1 says is refused for you, so every index in a divvy_group points at something, and every text is UTF-8. In a text that
 * you write, bytes that are no UTF-8 become question marks.
 */
#ifndef DIVVY_H
#define DIVVY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The group, as a strategy sees it ---- */

/* Bytes of the request, or of your own. A text is UTF-8 and does not end with 0. `at` is NULL for what is not there. */
typedef struct { const uint8_t *at; uint32_t len; } divvy_bytes;

/* Partition p of a topic has the dense index base + p: the position in owner maps and columns. */
typedef struct { divvy_bytes name; uint32_t partitions, base; } divvy_topic;

/* A set of topics: a bit for each, or ascending ranges [start, end). */
typedef struct { const uint8_t *bits; uint32_t (*ranges)[2]; uint32_t count; } divvy_subscription;

typedef struct {
    divvy_bytes id, instance_id, client_id;
    int64_t rack;          /* index into racks, -1 for none */
    uint32_t subscription; /* members with the same number read the same topics */
    divvy_bytes user_data, facts;
} divvy_member;

typedef struct { divvy_bytes name, bytes; } divvy_column;

typedef struct {
    uint64_t seed; /* the only randomness that there is */
    divvy_bytes id, protocol;
    int32_t generation;
    bool cooperative;
    divvy_bytes config; /* read with divvy_text, divvy_number, divvy_flag */
    divvy_topic *topics; uint32_t topic_count; /* by name */
    uint32_t partitions;                       /* of all topics */
    divvy_subscription *subscriptions; uint32_t subscription_count;
    divvy_member *members; uint32_t member_count; /* by id */
    divvy_bytes *racks; uint32_t rack_count;
    divvy_bytes claims; uint32_t claim_layers; /* read with divvy_owner_before */
    divvy_column *columns; uint32_t column_count;
    int64_t now_ms;   /* the wall clock */
    divvy_bytes memo; /* what the last plan asked to be remembered */
    uint32_t width;   /* bytes of an owner: 2 or 4 */
} divvy_group;

/* ---- What else there is: groups whose members get bytes of the application's own, and a member that is about to join ---- */

typedef struct { divvy_bytes id, instance_id, metadata; } divvy_state_member; /* metadata: as the member sent it, any bytes */

typedef struct {
    uint64_t seed;
    divvy_bytes id, protocol;
    int32_t generation;
    divvy_bytes config;
    divvy_bytes context; /* whatever the application hands to its strategy */
    divvy_state_member *members; uint32_t member_count; /* by id */
    int64_t now_ms;
    divvy_bytes memo;
} divvy_state_group;

typedef struct {
    divvy_bytes group, protocol, config;
    divvy_bytes *topics; uint32_t topic_count; /* what it subscribes to */
    divvy_bytes facts, last_state;
    int64_t now_ms;
} divvy_me;

/* What is answered. Set `retriable` and `member` before a refusal if they say more; the rest is the functions' own. */
typedef struct {
    uint8_t *reply; uint32_t owners_len;
    uint16_t copies;
    divvy_bytes *states; uint32_t state_count;
    divvy_bytes *told;
    divvy_bytes user_data;
    divvy_bytes memo;
    bool calls_again; uint64_t call_again_ms;
    uint32_t line_count, line_bytes;
    struct { const char *level; divvy_bytes text; } lines[64];
    const char *code; divvy_bytes message;
    bool retriable; int64_t member;
    const divvy_group *group;
} divvy_plan;

#define DIVVY_NOBODY (-1)
#define DIVVY_UNKNOWN_LAG UINT64_MAX
#define DIVVY_NO_RACK 0xffffu

/* A function that is in the module once, whoever calls it. */
#define DIVVY__ONCE __attribute__((noinline, unused)) static

#define DIVVY__TEXT_AREA 1020
#define DIVVY__HEAD 11 /* bytes of a reply before the owner maps */
#define DIVVY__TAIL 64 /* room behind them for what usually follows */

extern uint8_t __heap_base;
/* Its address is the export `divvy_panic`: the host reads the text after a trap. */
struct { uint32_t len; uint8_t text[DIVVY__TEXT_AREA]; } divvy_panic;

/* Ends the call as a failure; the text is shown to people. */
static _Noreturn inline void divvy_fail(const char *text) {
    uint32_t len = 0;
    while (text[len] && len < DIVVY__TEXT_AREA) { divvy_panic.text[len] = (uint8_t)text[len]; len++; }
    divvy_panic.len = len;
    __builtin_trap();
}

/* Zeroed memory, 16-byte aligned, until the call ends; NULL when there is no more. */
DIVVY__ONCE void *divvy_try_new(uint64_t bytes) {
    static uint64_t top;
    if (!top) top = (uintptr_t)&__heap_base;
    uint64_t at = (top + 15) & ~15ull, end = at + bytes, have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
    if (bytes >> 32 || end >> 32) return NULL;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + 65535) >> 16) == SIZE_MAX) return NULL;
    top = end;
    return (void *)(uintptr_t)at;
}

DIVVY__ONCE void *divvy_new(uint64_t bytes) {
    void *at = divvy_try_new(bytes);
    if (!at) divvy_fail("out of memory");
    return at;
}

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

/* Numbers of columns are little-endian and may lie at odd addresses. */
static inline uint16_t divvy_u16(const uint8_t *at) { uint16_t v; __builtin_memcpy(&v, at, 2); return v; }
static inline uint32_t divvy_u32(const uint8_t *at) { uint32_t v; __builtin_memcpy(&v, at, 4); return v; }
static inline uint64_t divvy_u64(const uint8_t *at) { uint64_t v; __builtin_memcpy(&v, at, 8); return v; }

/* Whether a member subscribes to the topic with an index. */
static inline bool divvy_subscribes(const divvy_group *group, uint32_t member, uint32_t topic) {
    const divvy_subscription *set = &group->subscriptions[group->members[member].subscription];
    if (set->bits) return set->bits[topic / 8] >> (topic % 8) & 1;
    uint32_t low = 0, high = set->count; /* the ranges that begin at or before the topic */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->ranges[middle][0] <= topic) low = middle + 1; else high = middle;
    }
    return low && topic < set->ranges[low - 1][1];
}

/* Who had a partition last, as far as anyone still knows: layer 0 is the newest claim. DIVVY_NOBODY, or a member's index. */
static inline int64_t divvy_owner_before(const divvy_group *group, uint32_t layer, uint32_t partition) {
    if (layer >= group->claim_layers || partition >= group->partitions) return DIVVY_NOBODY;
    const uint8_t *at = group->claims.at + ((uint64_t)layer * group->partitions + partition) * group->width;
    uint32_t owner = group->width == 2 ? divvy_u16(at) : divvy_u32(at);
    return owner < group->member_count ? (int64_t)owner : DIVVY_NOBODY;
}

/* A column that the manifest `needs`, by name: the same number of bytes for each partition. */
static inline divvy_bytes divvy_column_of(const divvy_group *group, const char *name) {
    divvy_bytes wanted = divvy_bytes_of(name), none = {NULL, 0};
    for (uint32_t i = 0; i < group->column_count; i++)
        if (divvy_same(group->columns[i].name, wanted)) return group->columns[i].bytes;
    return none;
}

/* Records of a partition that the group has not read; DIVVY_UNKNOWN_LAG where nobody knows. */
static inline uint64_t divvy_lag(const divvy_group *group, uint32_t partition) {
    divvy_bytes column = divvy_column_of(group, "lag");
    return column.at && partition < group->partitions ? divvy_u64(column.at + 8ull * partition) : DIVVY_UNKNOWN_LAG;
}

/* The members in Kafka's order, as indexes: static ones by instance id, then the others by id. Of a group of either shape. */
#define divvy_kafkas_order(group) divvy__kafkas_order((group)->members, sizeof *(group)->members, (group)->member_count)

DIVVY__ONCE uint32_t *divvy__kafkas_order(const void *members, uint32_t size, uint32_t count) {
#define DIVVY__INSTANCE(i) (((const divvy_bytes *)((const uint8_t *)members + (uint64_t)size * (i)))[1])
    uint32_t *order = divvy_new(4ull * count), *merged = divvy_new(4ull * count), len = 0;
    for (uint32_t i = 0; i < count; i++) if (DIVVY__INSTANCE(i).at) order[len++] = i;
    for (uint32_t run = 1; run < len; run *= 2) {
        for (uint32_t low = 0; low < len; low += 2 * run) {
            uint32_t middle = low + run < len ? low + run : len, high = low + 2 * run < len ? low + 2 * run : len;
            for (uint32_t to = low, a = low, b = middle; to < high; to++) {
                bool first = a < middle && (b == high || divvy_order(DIVVY__INSTANCE(order[a]), DIVVY__INSTANCE(order[b])) <= 0);
                merged[to] = first ? order[a++] : order[b++];
            }
        }
        uint32_t *swapped = order;
        order = merged;
        merged = swapped;
    }
    for (uint32_t i = 0; i < count; i++) if (!DIVVY__INSTANCE(i).at) order[len++] = i;
    return order;
#undef DIVVY__INSTANCE
}

/* ---- The plan ---- */

/* Gives a partition (by its dense index) to a member; copy 0 is the primary. */
static inline void divvy_give_copy(divvy_plan *plan, uint32_t copy, uint32_t partition, uint32_t member) {
    const divvy_group *group = plan->group;
    if (copy >= plan->copies || partition >= group->partitions) divvy_fail("a partition of another group");
    if (member >= group->member_count) divvy_fail("an index beyond the members");
    uint8_t *at = plan->reply + DIVVY__HEAD + ((uint64_t)copy * group->partitions + partition) * group->width;
    __builtin_memcpy(at, &member, 2);
    if (group->width == 4) __builtin_memcpy(at, &member, 4);
}

static inline void divvy_give(divvy_plan *plan, uint32_t partition, uint32_t member) {
    divvy_give_copy(plan, 0, partition, member);
}

/* Room for several owners of each partition, all nobody. Only for manifests with "copies": "many". */
static inline void divvy_set_copies(divvy_plan *plan, uint16_t copies) {
    uint64_t bytes = (uint64_t)plan->group->partitions * plan->group->width * copies;
    if (copies == 0 || bytes >> 32) divvy_fail("a number of copies that is no plan");
    plan->copies = copies;
    plan->owners_len = (uint32_t)bytes;
    plan->reply = divvy_new(DIVVY__HEAD + bytes + DIVVY__TAIL);
    __builtin_memset(plan->reply + DIVVY__HEAD, 0xff, bytes);
}

/* User data for a member's assignment, read when the strategy returns. */
static inline void divvy_tell(divvy_plan *plan, uint32_t member, divvy_bytes data) {
    if (!plan->group || member >= plan->group->member_count) divvy_fail("an index beyond the members");
    if (!plan->told) plan->told = divvy_new((uint64_t)plan->group->member_count * sizeof *plan->told);
    plan->told[member] = data.at ? data : divvy_bytes_of("");
}

/* Of shape `states`: gives a member its state, read when the strategy returns. Who is given none gets zero bytes. */
static inline void divvy_give_state(divvy_plan *plan, uint32_t member, divvy_bytes state) {
    if (member >= plan->state_count) divvy_fail("an index beyond the members");
    plan->states[member] = state;
}

/* Of DIVVY_USER_DATA: what the member adds to its metadata. */
static inline void divvy_set_user_data(divvy_plan *answer, divvy_bytes data) {
    answer->user_data = data.at ? data : divvy_bytes_of("");
}

/* What to remember for the next call of this group: at most 64 KiB, read when the strategy returns. */
static inline void divvy_remember(divvy_plan *plan, divvy_bytes memo) { plan->memo = memo; }

/* When to make a new plan although nothing changed. */
static inline void divvy_call_again_ms(divvy_plan *plan, uint64_t ms) { plan->calls_again = true; plan->call_again_ms = ms; }

/* A line for the log that explains the plan; level is "debug", "info" or "warn". Kept: 64 lines, 16 KiB. */
static inline void divvy_note(divvy_plan *plan, const char *level, divvy_bytes text) {
    plan->line_bytes += divvy_bytes_of(level).len + text.len;
    if (plan->line_count == 64 || plan->line_bytes > 16 * 1024) return;
    plan->lines[plan->line_count].level = level;
    plan->lines[plan->line_count++].text = text;
}

/* No plan: `return divvy_refuse(plan, "short_code", message)`. Set plan->retriable and plan->member if they say more. */
static inline bool divvy_refuse(divvy_plan *plan, const char *code, divvy_bytes message) {
    plan->code = code;
    plan->message = message;
    return false;
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

/* ---- MessagePack: reads in place, believes no length that the bytes do not bear out ---- */

enum divvy__kind { DIVVY__NIL, DIVVY__BOOL, DIVVY__UINT, DIVVY__INT, DIVVY__FLOAT, DIVVY__STR, DIVVY__BIN, DIVVY__EXT,
                   DIVVY__ARRAY, DIVVY__MAP, DIVVY__BAD };
/* `number` is a value, a length or a count; of floats the bits as a double. */
typedef struct { enum divvy__kind kind; uint64_t number; } divvy__value;
/* Once something is not as it should be, `bad` stays, and everything reads as 0. */
typedef struct { const uint8_t *start, *at, *end; bool bad; const char *wanted; uint32_t where; } divvy_reader;

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

DIVVY__ONCE divvy_bytes divvy__raw_map(divvy_reader *from, const char *wanted) {
    divvy_reader look = *from;
    divvy_read_map(&look, wanted);
    const uint8_t *start = from->at;
    if (look.bad) divvy__no(from, wanted);
    divvy_skip(from, 1);
    return from->bad ? (divvy_bytes){start, 0} : (divvy_bytes){start, (uint32_t)(from->at - start)};
}

/* ---- Settings and facts: maps of names to values. What is missing or of another type is not there. ---- */

DIVVY__ONCE bool divvy__find(divvy_bytes map, const char *name, divvy_reader *from) {
    divvy_bytes wanted = divvy_bytes_of(name);
    *from = (divvy_reader){map.at, map.at, map.at + map.len, false, NULL, 0};
    for (uint32_t pairs = divvy_read_map(from, "a map"); pairs && !from->bad; pairs--) {
        divvy_reader key = *from;
        divvy_bytes text = divvy_read_text(&key, "a name");
        divvy_skip(from, 1);
        if (!key.bad && divvy_same(text, wanted)) return !from->bad;
        divvy_skip(from, 1);
    }
    return false;
}

static inline bool divvy_text(divvy_bytes map, const char *name, divvy_bytes *text) {
    divvy_reader from;
    if (!divvy__find(map, name, &from)) return false;
    *text = divvy_read_text(&from, "a text");
    return !from.bad;
}

static inline bool divvy_number(divvy_bytes map, const char *name, double *number) {
    divvy_reader from;
    if (!divvy__find(map, name, &from)) return false;
    divvy__value value = divvy__read(&from);
    if (value.kind == DIVVY__UINT) *number = (double)value.number;
    else if (value.kind == DIVVY__INT) *number = (double)(int64_t)value.number;
    else if (value.kind == DIVVY__FLOAT) __builtin_memcpy(number, &value.number, 8);
    else return false;
    return true;
}

static inline bool divvy_flag(divvy_bytes map, const char *name, bool *flag) {
    divvy_reader from;
    if (!divvy__find(map, name, &from)) return false;
    divvy__value value = divvy__read(&from);
    *flag = value.number;
    return value.kind == DIVVY__BOOL;
}

/* ---- The request ---- */

static inline divvy_bytes divvy__optional(divvy_reader *from, enum divvy__kind kind, const char *wanted) {
    if (divvy_read_nil(from)) return (divvy_bytes){NULL, 0};
    return kind == DIVVY__STR ? divvy_read_text(from, wanted) : divvy_read_binary(from, wanted);
}

/* Passes over what a later minor version appended; nothing may follow. */
static inline void divvy__read_end(divvy_reader *from, uint32_t tail) {
    divvy_skip(from, tail);
    if (!from->bad && from->at != from->end) divvy__no(from, "the end");
}

static inline void divvy__read_head(divvy_reader *from, divvy_group *group) {
    divvy_read_unsigned(from, "the minor version");
    group->seed = divvy_read_unsigned(from, "the seed");
    uint32_t tail = divvy_read_fields(from, 4, "a group of 4 items");
    group->id = divvy_read_text(from, "the group's id");
    int64_t generation = divvy_read_signed(from, "the generation");
    if (generation != (int32_t)generation) divvy__no(from, "a generation");
    group->generation = (int32_t)generation;
    group->protocol = divvy_read_text(from, "the protocol");
    divvy_bytes mode = divvy_read_text(from, "the mode");
    group->cooperative = divvy_same(mode, divvy_bytes_of("cooperative"));
    if (!group->cooperative && !divvy_same(mode, divvy_bytes_of("eager"))) divvy__no(from, "the mode eager or cooperative");
    divvy_skip(from, tail);
    group->config = divvy__raw_map(from, "the configuration");
}

static inline void divvy__read_topics(divvy_reader *from, divvy_group *group) {
    uint32_t count = divvy_read_array(from, "topics"), base = 0;
    group->topics = divvy_new((uint64_t)count * sizeof *group->topics);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_topic *topic = &group->topics[i];
        uint32_t tail = divvy_read_fields(from, 3, "a topic of 3 items");
        topic->name = divvy_read_text(from, "a topic's name");
        topic->partitions = divvy_read_u32(from, "a partition count");
        topic->base = base;
        divvy_read_unsigned(from, "a topic's flags");
        divvy_skip(from, tail);
        if (topic->partitions > (1u << 24) - base) divvy__no(from, "at most 16,777,216 partitions");
        else base += topic->partitions;
        if (i && divvy_order(topic[-1].name, topic->name) >= 0) divvy__no(from, "topics in ascending order of their names");
    }
    group->topic_count = count;
    group->partitions = base;
}

static inline void divvy__read_subscription(divvy_reader *from, divvy_group *group, divvy_subscription *to) {
    divvy_reader look = *from;
    divvy_bytes bits = divvy_read_binary(&look, "a bit set");
    if (!look.bad) {
        *from = look;
        to->bits = bits.at;
        if (bits.len != ((uint64_t)group->topic_count + 7) / 8) divvy__no(from, "a bit set with a bit for each topic");
        return;
    }
    uint32_t past = 0;
    to->count = divvy_read_array(from, "ranges of topics or a bit set");
    to->ranges = divvy_new((uint64_t)to->count * sizeof *to->ranges);
    for (uint32_t i = 0; i < to->count && !from->bad; i++) {
        uint32_t tail = divvy_read_fields(from, 2, "a range of topics");
        uint32_t start = divvy_read_u32(from, "a range's start"), len = divvy_read_u32(from, "a range's length");
        divvy_skip(from, tail);
        if (start < past || (uint64_t)start + len > group->topic_count) divvy__no(from, "ascending ranges within the topics");
        past = start + len;
        to->ranges[i][0] = start;
        to->ranges[i][1] = past;
    }
}

static inline void divvy__read_members(divvy_reader *from, divvy_group *group) {
    uint32_t count = divvy_read_array(from, "members");
    group->members = divvy_new((uint64_t)count * sizeof *group->members);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_member *member = &group->members[i];
        uint32_t tail = divvy_read_fields(from, 7, "a member of 7 items");
        member->id = divvy_read_text(from, "a member's id");
        member->instance_id = divvy__optional(from, DIVVY__STR, "an instance id or nil");
        member->client_id = divvy_read_text(from, "a client id");
        member->rack = divvy_read_nil(from) ? -1 : (int64_t)divvy_read_u32(from, "a rack's index or nil");
        member->subscription = divvy_read_u32(from, "a subscription's index");
        member->user_data = divvy__optional(from, DIVVY__BIN, "user data or nil");
        member->facts = divvy__raw_map(from, "facts");
        divvy_skip(from, tail);
        if (i && divvy_order(member[-1].id, member->id) >= 0) divvy__no(from, "members in ascending order of their ids");
    }
    group->member_count = count;
    group->width = count <= 65534 ? 2 : 4;
}

static inline void divvy__read_columns(divvy_reader *from, divvy_group *group) {
    uint32_t count = divvy_read_map(from, "columns");
    uint64_t partitions = group->partitions;
    group->columns = divvy_new((uint64_t)count * sizeof *group->columns);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_column *column = &group->columns[i];
        column->name = divvy_read_text(from, "a column's name");
        column->bytes = divvy_read_binary(from, "a column");
        uint64_t step = divvy_same(column->name, divvy_bytes_of("replica_racks")) ? 2 * partitions : partitions;
        if (step ? column->bytes.len % step != 0 : column->bytes.len != 0)
            divvy__no(from, "columns with the same number of bytes for each partition");
        if (divvy_same(column->name, divvy_bytes_of("lag")) && column->bytes.len != 8 * partitions)
            divvy__no(from, "a column of lags with eight bytes for each partition");
    }
    group->column_count = count;
}

static inline void divvy__read_group(divvy_reader *from, divvy_group *group) {
    uint32_t tail = divvy_read_fields(from, 12, "a request of 12 items");
    divvy__read_head(from, group);
    divvy__read_topics(from, group);
    group->subscription_count = divvy_read_array(from, "subscriptions");
    group->subscriptions = divvy_new((uint64_t)group->subscription_count * sizeof *group->subscriptions);
    for (uint32_t i = 0; i < group->subscription_count && !from->bad; i++)
        divvy__read_subscription(from, group, &group->subscriptions[i]);
    divvy__read_members(from, group);
    group->rack_count = divvy_read_array(from, "racks");
    group->racks = divvy_new((uint64_t)group->rack_count * sizeof *group->racks);
    for (uint32_t i = 0; i < group->rack_count; i++) group->racks[i] = divvy_read_text(from, "a rack's name");
    for (uint32_t i = 0; i < group->member_count && !from->bad; i++)
        if (group->members[i].subscription >= group->subscription_count || group->members[i].rack >= group->rack_count)
            divvy__no(from, "subscription and rack indexes of members within their tables");
    group->claims = divvy_read_binary(from, "claims");
    uint64_t layer = (uint64_t)group->partitions * group->width;
    if (layer ? group->claims.len % layer != 0 || group->claims.len > 8 * layer : group->claims.len != 0)
        divvy__no(from, "claims of at most 8 whole owner maps");
    group->claim_layers = layer ? (uint32_t)(group->claims.len / layer) : 0;
    divvy__read_columns(from, group);
    group->now_ms = divvy_read_signed(from, "the wall clock");
    group->memo = divvy__optional(from, DIVVY__BIN, "a memo or nil");
    divvy__read_end(from, tail);
}

static inline void divvy__read_state_group(divvy_reader *from, divvy_state_group *group) {
    uint32_t tail = divvy_read_fields(from, 8, "a request of 8 items");
    divvy_group *head = divvy_new(sizeof *head);
    divvy__read_head(from, head);
    group->seed = head->seed;
    group->id = head->id;
    group->protocol = head->protocol;
    group->generation = head->generation;
    group->config = head->config;
    group->context = divvy__optional(from, DIVVY__BIN, "a context or nil");
    uint32_t count = divvy_read_array(from, "members");
    group->members = divvy_new((uint64_t)count * sizeof *group->members);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_state_member *member = &group->members[i];
        uint32_t rest = divvy_read_fields(from, 3, "a member of 3 items");
        member->id = divvy_read_text(from, "a member's id");
        member->instance_id = divvy__optional(from, DIVVY__STR, "an instance id or nil");
        member->metadata = divvy_read_binary(from, "a member's metadata");
        divvy_skip(from, rest);
        if (i && divvy_order(member[-1].id, member->id) >= 0) divvy__no(from, "members in ascending order of their ids");
    }
    group->member_count = count;
    group->now_ms = divvy_read_signed(from, "the wall clock");
    group->memo = divvy__optional(from, DIVVY__BIN, "a memo or nil");
    divvy__read_end(from, tail);
}

static inline void divvy__read_me(divvy_reader *from, divvy_me *me) {
    uint32_t tail = divvy_read_fields(from, 8, "a request of 8 items");
    divvy_read_unsigned(from, "the minor version");
    me->group = divvy_read_text(from, "the group's id");
    me->protocol = divvy_read_text(from, "the protocol");
    me->config = divvy__raw_map(from, "the configuration");
    me->topic_count = divvy_read_array(from, "topics");
    me->topics = divvy_new((uint64_t)me->topic_count * sizeof *me->topics);
    for (uint32_t i = 0; i < me->topic_count; i++) me->topics[i] = divvy_read_text(from, "a topic's name");
    me->facts = divvy__raw_map(from, "facts");
    me->last_state = divvy__optional(from, DIVVY__BIN, "the last state or nil");
    me->now_ms = divvy_read_signed(from, "the wall clock");
    divvy__read_end(from, tail);
}

/* A plan to judge: the request that it was made for, and its states in the order of that request's members. */
static inline divvy_bytes *divvy__read_check(divvy_reader *from, divvy_state_group *group) {
    uint32_t tail = divvy_read_fields(from, 2, "a request of 2 items");
    divvy_bytes request = divvy_read_binary(from, "the request that the plan was made for");
    divvy_reader inner = {request.at, request.at, request.at + request.len, false, NULL, 0};
    divvy__read_state_group(&inner, group);
    if (inner.bad && !from->bad) *from = inner;
    uint32_t count = divvy_read_array(from, "states");
    divvy_bytes *states = divvy_new((uint64_t)count * sizeof *states);
    for (uint32_t i = 0; i < count; i++) states[i] = divvy_read_binary(from, "a state");
    if (count != group->member_count) divvy__no(from, "one state for each member");
    divvy__read_end(from, tail);
    return states;
}

/* ---- The reply: everything in its shortest form ---- */

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
DIVVY__ONCE uint8_t *divvy__put_lines(uint8_t *to, const divvy_plan *plan) {
    to = divvy__put_array(to, plan->line_count);
    for (uint32_t i = 0; i < plan->line_count; i++) {
        *to++ = 0x92;
        to = divvy__put_bytes(to, true, divvy_bytes_of(plan->lines[i].level));
        to = divvy__put_bytes(to, true, plan->lines[i].text);
    }
    return to;
}
static inline int64_t divvy__reply(const uint8_t *from, const uint8_t *to) {
    return (int64_t)((uint64_t)(uintptr_t)from << 32 | (uint32_t)(to - from));
}
/* Room for so many items of so many bytes, and for all that is said beside a plan. */
static inline uint8_t *divvy__room(const divvy_plan *plan, uint64_t items, uint64_t bytes) {
    return divvy_new(DIVVY__HEAD + 5 * items + bytes + DIVVY__TAIL + plan->memo.len + plan->line_bytes + 16ull * 64);
}
static inline uint64_t divvy__sum(const divvy_bytes *all, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += all[i].len;
    return bytes;
}

static inline int64_t divvy__refusal(const divvy_plan *plan) {
    divvy_bytes code = divvy_bytes_of(plan->code);
    uint8_t *reply = divvy__room(plan, 2, (uint64_t)code.len + plan->message.len), *to = reply;
    *to++ = 0x93; *to++ = 0x01; *to++ = 0x94;
    to = divvy__put_bytes(to, true, code);
    to = divvy__put_bytes(to, true, plan->message);
    *to++ = plan->retriable ? 0xc3 : 0xc2;
    if (plan->member < 0) *to++ = 0xc0; else to = divvy__put_unsigned(to, (uint64_t)plan->member);
    return divvy__reply(reply, divvy__put_lines(to, plan));
}

static inline uint8_t *divvy__put_outcome(uint8_t *to, const divvy_plan *plan) {
    to = divvy__put_binary(to, plan->memo);
    if (plan->calls_again) to = divvy__put_unsigned(to, plan->call_again_ms); else *to++ = 0xc0;
    return divvy__put_lines(to, plan);
}

static inline int64_t divvy__finish(divvy_plan *plan) {
    uint8_t *reply = plan->reply;
    uint32_t told = plan->told ? plan->group->member_count : 0;
    if (plan->memo.at || plan->line_count || told) {
        /* What follows the owner maps may need more room than there is behind them. */
        reply = divvy__room(plan, told, plan->owners_len + divvy__sum(plan->told, told));
        __builtin_memcpy(reply + DIVVY__HEAD, plan->reply + DIVVY__HEAD, plan->owners_len);
    }
    uint8_t *to = reply;
    *to++ = 0x93; *to++ = 0x00; *to++ = 0x95;
    to = divvy__put(to, 0xcd, plan->copies, 2);
    to = divvy__put(to, 0xc6, plan->owners_len, 4) + plan->owners_len;
    if (plan->told) to = divvy__put_array(to, told); else *to++ = 0xc0;
    for (uint32_t i = 0; i < told; i++) to = divvy__put_binary(to, plan->told[i]);
    return divvy__reply(reply, divvy__put_outcome(to, plan));
}

static inline int64_t divvy__finish_states(const divvy_plan *plan) {
    uint8_t *reply = divvy__room(plan, plan->state_count, divvy__sum(plan->states, plan->state_count)), *to = reply;
    *to++ = 0x93; *to++ = 0x00; *to++ = 0x93;
    to = divvy__put_array(to, plan->state_count);
    for (uint32_t i = 0; i < plan->state_count; i++) to = divvy__put_bytes(to, false, plan->states[i]);
    return divvy__reply(reply, divvy__put_outcome(to, plan));
}

/* Of the optional exports: data, or nil for none and for a plan that was found good. */
static inline int64_t divvy__finish_data(const divvy_plan *answer) {
    uint8_t *reply = divvy__room(answer, 1, answer->user_data.len), *to = reply;
    *to++ = 0x93; *to++ = 0x00;
    return divvy__reply(reply, divvy__put_lines(divvy__put_binary(to, answer->user_data), answer));
}

static inline divvy_plan *divvy__new_plan(void) {
    divvy_plan *plan = divvy_new(sizeof *plan);
    plan->member = -1;
    return plan;
}

DIVVY__ONCE int64_t divvy__bad_request(const divvy_reader *from) {
    divvy_plan *plan = divvy__new_plan();
    divvy_bytes front = divvy_join_number("the request cannot be read: byte ", from->where);
    divvy_bytes wanted = divvy_join(divvy_bytes_of(": expected "), divvy_bytes_of(from->wanted));
    divvy_refuse(plan, "bad_request", divvy_join(front, wanted));
    return divvy__refusal(plan);
}

static inline int64_t divvy__run(const uint8_t *request, uint32_t len, bool (*assign)(const divvy_group *, divvy_plan *)) {
    divvy_group *group = divvy_new(sizeof *group);
    divvy_plan *plan = divvy__new_plan();
    divvy_reader from = {request, request, request + len, false, NULL, 0};
    divvy__read_group(&from, group);
    if (from.bad) return divvy__bad_request(&from);
    plan->group = group;
    divvy_set_copies(plan, 1);
    return assign(group, plan) ? divvy__finish(plan) : divvy__refusal(plan);
}

static inline int64_t divvy__run_states(const uint8_t *request, uint32_t len, bool (*assign)(const divvy_state_group *, divvy_plan *)) {
    divvy_state_group *group = divvy_new(sizeof *group);
    divvy_plan *plan = divvy__new_plan();
    divvy_reader from = {request, request, request + len, false, NULL, 0};
    divvy__read_state_group(&from, group);
    if (from.bad) return divvy__bad_request(&from);
    plan->state_count = group->member_count;
    plan->states = divvy_new((uint64_t)group->member_count * sizeof *plan->states);
    return assign(group, plan) ? divvy__finish_states(plan) : divvy__refusal(plan);
}

static inline int64_t divvy__run_user_data(const uint8_t *request, uint32_t len, bool (*make)(const divvy_me *, divvy_plan *)) {
    divvy_me *me = divvy_new(sizeof *me);
    divvy_plan *answer = divvy__new_plan();
    divvy_reader from = {request, request, request + len, false, NULL, 0};
    divvy__read_me(&from, me);
    if (from.bad) return divvy__bad_request(&from);
    return make(me, answer) ? divvy__finish_data(answer) : divvy__refusal(answer);
}

static inline int64_t divvy__run_check(const uint8_t *request, uint32_t len,
                                       bool (*judge)(const divvy_state_group *, const divvy_bytes *, divvy_plan *)) {
    divvy_state_group *group = divvy_new(sizeof *group);
    divvy_plan *answer = divvy__new_plan();
    divvy_reader from = {request, request, request + len, false, NULL, 0};
    const divvy_bytes *states = divvy__read_check(&from, group);
    if (from.bad) return divvy__bad_request(&from);
    return judge(group, states, answer) ? divvy__finish_data(answer) : divvy__refusal(answer);
}

/* ---- The module ---- */

/* What the module says of itself, as JSON: DIVVY_MANIFEST({"abi": "1.0", "name": "mine"}). */
#define DIVVY_MANIFEST(...) DIVVY__SECTION(#__VA_ARGS__)
#define DIVVY__SECTION(json) __asm__(".section .custom_section.divvy.manifest,\"\",@\n.ascii " #json "\n");

/* The exports: of shape `partitions`, or of shape `states`. */
#define DIVVY_ASSIGNOR(function)                                        \
    static bool function(const divvy_group *group, divvy_plan *plan);   \
    DIVVY__MODULE                                                       \
    DIVVY__EXPORT(divvy_assign, divvy__run, function)

#define DIVVY_STATES_ASSIGNOR(function)                                     \
    static bool function(const divvy_state_group *group, divvy_plan *plan); \
    DIVVY__MODULE                                                           \
    DIVVY__EXPORT(divvy_assign, divvy__run_states, function)

/* Optional: what a member adds to its metadata. The function calls divvy_set_user_data or not, and returns true, or refuses. */
#define DIVVY_USER_DATA(function)                                   \
    static bool function(const divvy_me *me, divvy_plan *answer);   \
    DIVVY__EXPORT(divvy_user_data, divvy__run_user_data, function)

/* Optional, of shape `states`: judges a plan before it is handed out. `states` has one for each member; true, or a refusal. */
#define DIVVY_CHECK(function)                                                                               \
    static bool function(const divvy_state_group *group, const divvy_bytes *states, divvy_plan *answer);    \
    DIVVY__EXPORT(divvy_check, divvy__run_check, function)

#define DIVVY__MODULE                                                                     \
    __attribute__((export_name("divvy_abi_v1"))) void divvy__abi(void) {}                 \
    __attribute__((export_name("divvy_alloc"))) void *divvy__alloc(uint32_t len) {        \
        return divvy_try_new(len ? len : 1);                                              \
    }
#define DIVVY__EXPORT(name, run, function)                                                                 \
    __attribute__((export_name(#name))) int64_t name##__export(const uint8_t *request, uint32_t len) {     \
        return run(request, len, function);                                                                \
    }

#endif
