/* The reader: every form of MessagePack and every beginning of it, counts that the bytes do not bear out, texts, names of settings. */
#include "check.h"

static divvy_reader reads(divvy_bytes bytes) { return divvy__reader(bytes); }

/* Of a first byte: what it begins, and how many bytes of a number follow it; from MessagePack's own table. */
static enum divvy__kind begins(unsigned b, unsigned *more) {
    static const struct { unsigned first, last; enum divvy__kind kind; unsigned more; } table[] = {
        {0x00, 0x7f, DIVVY__UINT, 0},  {0x80, 0x8f, DIVVY__MAP, 0},   {0x90, 0x9f, DIVVY__ARRAY, 0}, {0xa0, 0xbf, DIVVY__STR, 0},
        {0xc0, 0xc0, DIVVY__NIL, 0},   {0xc1, 0xc1, DIVVY__BAD, 0},   {0xc2, 0xc3, DIVVY__BOOL, 0},  {0xc4, 0xc4, DIVVY__BIN, 1},
        {0xc5, 0xc5, DIVVY__BIN, 2},   {0xc6, 0xc6, DIVVY__BIN, 4},   {0xc7, 0xc7, DIVVY__EXT, 1},   {0xc8, 0xc8, DIVVY__EXT, 2},
        {0xc9, 0xc9, DIVVY__EXT, 4},   {0xca, 0xca, DIVVY__FLOAT, 4}, {0xcb, 0xcb, DIVVY__FLOAT, 8}, {0xcc, 0xcc, DIVVY__UINT, 1},
        {0xcd, 0xcd, DIVVY__UINT, 2},  {0xce, 0xce, DIVVY__UINT, 4},  {0xcf, 0xcf, DIVVY__UINT, 8},  {0xd0, 0xd0, DIVVY__INT, 1},
        {0xd1, 0xd1, DIVVY__INT, 2},   {0xd2, 0xd2, DIVVY__INT, 4},   {0xd3, 0xd3, DIVVY__INT, 8},   {0xd4, 0xd8, DIVVY__EXT, 0},
        {0xd9, 0xd9, DIVVY__STR, 1},   {0xda, 0xda, DIVVY__STR, 2},   {0xdb, 0xdb, DIVVY__STR, 4},   {0xdc, 0xdc, DIVVY__ARRAY, 2},
        {0xdd, 0xdd, DIVVY__ARRAY, 4}, {0xde, 0xde, DIVVY__MAP, 2},   {0xdf, 0xdf, DIVVY__MAP, 4},   {0xe0, 0xff, DIVVY__INT, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].first <= b && b <= table[i].last) { *more = table[i].more; return table[i].kind; }
    abort();
}

static void every_first_byte_and_every_beginning(void) {
    for (unsigned b = 0; b < 256; b++) {
        unsigned more;
        enum divvy__kind kind = begins(b, &more);
        char about[16];
        snprintf(about, sizeof about, "%02x", b);
        for (unsigned len = 0; len <= 1 + more; len++) {
            uint8_t bytes[9] = {(uint8_t)b, 1, 2, 3, 4, 5, 6, 7, 8};
            divvy_reader from = reads(check_copy(bytes, len));
            divvy__value value = divvy__read(&from);
            CHECK_NUMBER(from.bad, len < 1 + more || kind == DIVVY__BAD, about);
            CHECK(from.at == from.end);
            if (len == 1 + more) CHECK_NUMBER(value.kind, kind, about);
        }
    }
}

static void numbers(void) {
    static const struct { uint8_t len, bytes[9]; enum divvy__kind kind; uint64_t number; } table[] = {
        {1, {0x00}, DIVVY__UINT, 0}, {1, {0x7f}, DIVVY__UINT, 127}, {1, {0xff}, DIVVY__INT, (uint64_t)-1}, {1, {0xe0}, DIVVY__INT, (uint64_t)-32},
        {2, {0xcc, 0xff}, DIVVY__UINT, 255}, {3, {0xcd, 0x12, 0x34}, DIVVY__UINT, 0x1234}, {5, {0xce, 0xff, 0xff, 0xff, 0xff}, DIVVY__UINT, UINT32_MAX},
        {9, {0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, DIVVY__UINT, UINT64_MAX},
        {2, {0xd0, 0x80}, DIVVY__INT, (uint64_t)-128}, {3, {0xd1, 0x80, 0}, DIVVY__INT, (uint64_t)INT16_MIN},
        {5, {0xd2, 0x80, 0, 0, 0}, DIVVY__INT, (uint64_t)INT32_MIN}, {9, {0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0}, DIVVY__INT, (uint64_t)INT64_MIN},
        {2, {0xd0, 5}, DIVVY__INT, 5}, {1, {0xc2}, DIVVY__BOOL, 0}, {1, {0xc3}, DIVVY__BOOL, 1},
        {5, {0xca, 0x3f, 0xc0, 0, 0}, DIVVY__FLOAT, 0x3ff8000000000000}, {9, {0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0}, DIVVY__FLOAT, 0x3ff8000000000000},
        {1, {0xd4}, DIVVY__EXT, 2}, {1, {0xd8}, DIVVY__EXT, 17}, {2, {0xc7, 3}, DIVVY__EXT, 4},
        {5, {0xdd, 1, 0, 0, 0}, DIVVY__ARRAY, 1 << 24}, {3, {0xde, 1, 0}, DIVVY__MAP, 256},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char about[16];
        snprintf(about, sizeof about, "row %zu", i);
        divvy_reader from = reads(check_copy(table[i].bytes, table[i].len));
        divvy__value value = divvy__read(&from);
        CHECK(!from.bad);
        CHECK_NUMBER(value.kind, table[i].kind, about);
        CHECK_NUMBER(value.number, table[i].number, about);
    }
}

static void signs_and_widths(void) {
    divvy_reader from = reads(B(0xd0, 5, 0xcf, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    CHECK_NUMBER(divvy_read_unsigned(&from, "signed form of 5"), 5, "d0 05");
    CHECK_NUMBER(divvy_read_signed(&from, "the largest"), INT64_MAX, "cf 7f…");
    CHECK(!from.bad && from.at == from.end);
    from = reads(B(0xd0, 0xff));
    divvy_read_unsigned(&from, "no sign");
    CHECK(from.bad && from.where == 0);
    from = reads(B(0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0));
    divvy_read_signed(&from, "at most the largest");
    CHECK(from.bad && from.where == 0);
    from = reads(B(0xcf, 0, 0, 0, 1, 0, 0, 0, 0));
    divvy_read_u32(&from, "32 bits");
    CHECK(from.bad);
}

static void a_count_has_to_be_borne_out(void) {
    static const struct { uint8_t len, bytes[9]; } too_many[] = {
        {1, {0x91}}, {5, {0xdd, 0xff, 0xff, 0xff, 0xff}}, {4, {0xdc, 0, 2, 0xc0}}, {2, {0x81, 0xc0}}, {5, {0xdf, 0xff, 0xff, 0xff, 0xff}},
        {8, {0xdf, 0x80, 0, 0, 1, 0xc0, 0xc0, 0xc0}}, {1, {0xa1}}, {5, {0xdb, 0xff, 0xff, 0xff, 0xff}}, {3, {0xd9, 2, 'a'}}, {3, {0xc4, 2, 1}},
        {5, {0xc6, 0xff, 0xff, 0xff, 0xff}}, {3, {0xd5, 1, 2}}, {6, {0xc9, 0xff, 0xff, 0xff, 0xff, 0}},
    };
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        divvy_bytes bytes = check_copy(too_many[i].bytes, too_many[i].len);
        for (int by = 0; by < 5; by++) {
            divvy_reader from = reads(bytes);
            if (by == 0) divvy_skip(&from, 1);
            if (by == 1) CHECK_NUMBER(divvy_read_array(&from, "items"), 0, "no items");
            if (by == 2) CHECK_NUMBER(divvy_read_map(&from, "pairs"), 0, "no pairs");
            if (by == 3) CHECK_NUMBER(divvy_read_text(&from, "a text").len, 0, "no text");
            if (by == 4) CHECK_NUMBER(divvy_read_binary(&from, "bytes").len, 0, "no bytes");
            if (!from.bad) check_failed(__FILE__, __LINE__, "row %zu is believed by reader %d", i, by);
        }
    }
}

static void nested_values_are_passed_over_and_no_beginning_of_them(void) {
    divvy_bytes nested = B(0x93, 0x82, 0xa1, 'a', 0x92, 1, 0xc4, 2, 9, 9, 0xa1, 'b', 0xd6, 1, 2, 3, 4, 5, 0xcb, 0, 0, 0, 0, 0, 0, 0, 0,
                           0xdc, 0, 1, 0xde, 0, 1, 0xd9, 1, 'c', 0xc7, 1, 0, 0);
    for (uint32_t len = 0; len <= nested.len; len++) {
        divvy_reader from = reads(check_copy(nested.at, len));
        divvy_skip(&from, 1);
        CHECK_NUMBER(from.bad, len < nested.len, "cut");
    }
    /* As deep as the bytes go: nesting takes no stack. */
    uint8_t *deep = divvy_new(1 << 20);
    memset(deep, 0x91, (1 << 20) - 1);
    divvy_reader from = reads((divvy_bytes){deep, 1 << 20});
    divvy_skip(&from, 1);
    CHECK(!from.bad && from.at == from.end);
}

static void the_first_fault_stays(void) {
    divvy_reader from = reads(B(0x01, 0xc1, 0x02));
    divvy_read_unsigned(&from, "one");
    divvy_read_unsigned(&from, "two");
    CHECK_NUMBER(divvy_read_unsigned(&from, "three"), 0, "after a fault");
    divvy_skip(&from, 1000);
    CHECK(from.bad && from.where == 1 && !strcmp(from.wanted, "a value of MessagePack"));
    CHECK(!divvy_read_nil(&from));
}

static void only_utf8_is_a_text(void) {
    static const struct { const char *text; uint32_t good; } table[] = {
        {"", 0}, {"plain", 5}, {"\xc2\x80", 2}, {"\xdf\xbf", 2}, {"\xe0\xa0\x80", 3}, {"\xed\x9f\xbf", 3}, {"\xee\x80\x80", 3}, {"\xef\xbf\xbf", 3},
        {"\xf0\x90\x80\x80", 4}, {"\xf4\x8f\xbf\xbf", 4}, /* all whole; what follows is not */
        {"a\x80", 1}, {"\xc0\x80", 0}, {"\xc1\xbf", 0}, {"\xe0\x9f\xbf", 0}, {"\xed\xa0\x80", 0}, {"\xed\xbf\xbf", 0}, {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x90\x80\x80", 0}, {"\xf5\x80\x80\x80", 0}, {"\xf8\x90\x80\x80", 0}, {"\xff", 0}, {"ab\xc3", 2}, {"\xe2\x82", 0}, {"\xf0\x9f\x98", 0}, {"\xc3(", 0}, {"\xe2(\xa1", 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint8_t coded[8] = {0};
        size_t len = strlen(table[i].text);
        coded[0] = (uint8_t)(0xa0 | len);
        memcpy(coded + 1, table[i].text, len);
        char about[16];
        snprintf(about, sizeof about, "row %zu", i);
        CHECK_NUMBER(divvy__utf8(check_copy((const uint8_t *)table[i].text, len)), table[i].good, about);
        divvy_reader from = reads(check_copy(coded, len + 1));
        divvy_bytes text = divvy_read_text(&from, "a text");
        CHECK_NUMBER(from.bad, table[i].good != len, about);
        CHECK_NUMBER(text.len, table[i].good == len ? len : 0, about);
    }
}

static void settings(void) {
    /* {7: true, "a": "x", "a": "y", "n": -3, "f": 1.5, "b": true, "t": bad UTF-8} */
    divvy_bytes map = B(0x87, 7, 0xc3, 0xa1, 'a', 0xa1, 'x', 0xa1, 'a', 0xa1, 'y', 0xa1, 'n', 0xfd, 0xa1, 'f', 0xca, 0x3f, 0xc0, 0, 0,
                        0xa1, 'b', 0xc3, 0xa1, 't', 0xa1, 0xff);
    divvy_bytes text = divvy_bytes_of("mine");
    double number = 42;
    bool flag = false;
    CHECK(divvy_text(map, "a", &text) && divvy_same(text, divvy_bytes_of("x")));
    CHECK(divvy_number(map, "n", &number) && number == -3);
    CHECK(divvy_number(map, "f", &number) && number == 1.5);
    CHECK(divvy_flag(map, "b", &flag) && flag);
    /* What is missing or of another type leaves what the author has. */
    text = divvy_bytes_of("mine");
    number = 42;
    CHECK(!divvy_text(map, "z", &text) && !divvy_text(map, "n", &text) && !divvy_text(map, "t", &text));
    CHECK(divvy_same(text, divvy_bytes_of("mine")));
    CHECK(!divvy_number(map, "a", &number) && !divvy_number(map, "", &number) && number == 42);
    CHECK(!divvy_flag(map, "n", &flag) && !divvy_flag(map, "a", &flag) && flag);
    for (uint32_t len = 0; len < map.len; len++) {
        divvy_bytes cut = check_copy(map.at, len);
        CHECK(!divvy_flag(cut, "missing", &flag));
        (void)divvy_text(cut, "t", &text);
        (void)divvy_number(cut, "f", &number);
    }
    CHECK(!divvy_text((divvy_bytes){NULL, 0}, "a", &text));
}

static void settings_by_hand(void) {
    /* {"l": [1, 2.5, true], "m": {"x": "y"}} */
    divvy_bytes map = B(0x82, 0xa1, 'l', 0x93, 1, 0xca, 0x40, 0x20, 0, 0, 0xc3, 0xa1, 'm', 0x81, 0xa1, 'x', 0xa1, 'y'), text;
    divvy_reader from;
    CHECK(divvy_get(map, "l", &from) && divvy_read_array(&from, "a list") == 3);
    CHECK(divvy_read_number(&from, "a number") == 1 && divvy_read_number(&from, "a number") == 2.5 && divvy_read_bool(&from, "a flag"));
    CHECK(divvy_get(map, "m", &from) && divvy_text(divvy_read_values(&from, "a map"), "x", &text) && divvy_same(text, divvy_bytes_of("y")));
    CHECK(divvy_get(map, "l", &from) && !divvy_read_values(&from, "a map").len && from.bad && !divvy_get(map, "n", &from));
    CHECK(divvy_get(map, "m", &from) && divvy_read_number(&from, "a number") == 0 && from.bad && from.where == 13);
}

int main(void) {
    RUN(every_first_byte_and_every_beginning);
    RUN(numbers);
    RUN(signs_and_widths);
    RUN(a_count_has_to_be_borne_out);
    RUN(nested_values_are_passed_over_and_no_beginning_of_them);
    RUN(the_first_fault_stays);
    RUN(only_utf8_is_a_text);
    RUN(settings);
    RUN(settings_by_hand);
    return check_done("reader");
}
