/* The writer: the shortest form of everything at both sides of each border, and texts that are UTF-8 whatever they were. */
#include "check.h"

static uint8_t room[70000 + 64];

/* What was written, and what the reader makes of it. */
static divvy_reader wrote(const uint8_t *end) { return divvy__reader((divvy_bytes){room, (uint32_t)(end - room)}); }

static void numbers_have_their_shortest_form(void) {
    static const struct { uint64_t number; uint32_t len; uint8_t first; } table[] = {
        {0, 1, 0x00}, {127, 1, 0x7f}, {128, 2, 0xcc}, {255, 2, 0xcc}, {256, 3, 0xcd}, {65535, 3, 0xcd}, {65536, 5, 0xce},
        {UINT32_MAX, 5, 0xce}, {1ull << 32, 9, 0xcf}, {UINT64_MAX, 9, 0xcf},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char about[32];
        snprintf(about, sizeof about, "%" PRIu64, table[i].number);
        divvy_reader from = wrote(divvy__put_unsigned(room, table[i].number));
        CHECK_NUMBER(from.end - from.at, table[i].len, about);
        CHECK_NUMBER(room[0], table[i].first, about);
        CHECK_NUMBER(divvy_read_unsigned(&from, "it"), table[i].number, about);
    }
}

static void arrays_have_their_shortest_form(void) {
    static const struct { uint32_t items, len; uint8_t first; } table[] = {
        {0, 1, 0x90}, {15, 1, 0x9f}, {16, 3, 0xdc}, {65535, 3, 0xdc}, {65536, 5, 0xdd}, {UINT32_MAX, 5, 0xdd},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char about[32];
        snprintf(about, sizeof about, "%u items", table[i].items);
        divvy_reader from = wrote(divvy__put_array(room, table[i].items));
        CHECK_NUMBER(from.end - from.at, table[i].len, about);
        CHECK_NUMBER(room[0], table[i].first, about);
        divvy__value value = divvy__read(&from);
        CHECK(value.kind == DIVVY__ARRAY);
        CHECK_NUMBER(value.number, table[i].items, about);
    }
}

static void bytes_have_their_shortest_form(void) {
    static const struct { uint32_t len, head; uint8_t text, binary; } table[] = {
        {0, 0, 0xa0, 0xc4}, {31, 0, 0xbf, 0xc4}, {32, 2, 0xd9, 0xc4}, {255, 2, 0xd9, 0xc4}, {256, 3, 0xda, 0xc5}, {65535, 3, 0xda, 0xc5},
        {65536, 5, 0xdb, 0xc6}, {70000, 5, 0xdb, 0xc6},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char about[32];
        snprintf(about, sizeof about, "%u bytes", table[i].len);
        divvy_bytes bytes = {divvy_new(table[i].len), table[i].len};
        memset((uint8_t *)bytes.at, 'x', bytes.len);
        divvy_reader from = wrote(divvy__put_bytes(room, true, bytes));
        CHECK_NUMBER(room[0], table[i].text, about);
        CHECK_NUMBER(from.end - from.at, bytes.len + (table[i].head ? table[i].head : 1), about);
        CHECK_BYTES(divvy_read_text(&from, "it"), bytes, about);
        from = wrote(divvy__put_binary(room, bytes));
        CHECK_NUMBER(room[0], table[i].binary, about);
        CHECK_NUMBER(from.end - from.at, bytes.len + (table[i].head ? table[i].head : 2), about);
        CHECK_BYTES(divvy_read_binary(&from, "it"), bytes, about);
    }
    divvy_reader from = wrote(divvy__put_binary(room, (divvy_bytes){NULL, 0}));
    CHECK(divvy_read_nil(&from) && from.at == from.end);
}

static void what_is_no_utf8_becomes_question_marks(void) {
    static const struct { const char *text, *written; } table[] = {
        {"plain", "plain"}, {"\xc3\xa9", "\xc3\xa9"}, {"a\xff" "b", "a?b"}, {"\xff", "?"}, {"\xed\xa0\x80", "???"}, {"\xe2\x82", "??"},
        {"\xc0\x80z", "??z"}, {"\xf0\x9f\x98\x80\x80", "\xf0\x9f\x98\x80?"}, {"\xf0\x9f\x98", "???"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        divvy_reader from = wrote(divvy__put_bytes(room, true, divvy_bytes_of(table[i].text)));
        CHECK_BYTES(divvy_read_text(&from, "it"), divvy_bytes_of(table[i].written), table[i].written);
        CHECK(!from.bad && from.at == from.end);
    }
}

int main(void) {
    RUN(numbers_have_their_shortest_form);
    RUN(arrays_have_their_shortest_form);
    RUN(bytes_have_their_shortest_form);
    RUN(what_is_no_utf8_becomes_question_marks);
    return check_done("writer");
}
