/* values.h: settings and facts, maps of names to values. What is missing or of another type is not there, and leaves what you have. */
#ifndef DIVVY_VALUES_H
#define DIVVY_VALUES_H

#include "reader.h"

/* Any value, to be read by hand with divvy_read_…: lists, maps. */
DIVVY__ONCE bool divvy_get(divvy_bytes map, const char *name, divvy_reader *from) {
    if (!map.at) return false;
    divvy_bytes wanted = divvy_bytes_of(name);
    *from = divvy__reader(map);
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
    if (!divvy_get(map, name, &from)) return false;
    divvy_bytes found = divvy_read_text(&from, "a text");
    if (!from.bad) *text = found;
    return !from.bad;
}

static inline bool divvy_number(divvy_bytes map, const char *name, double *number) {
    divvy_reader from;
    if (!divvy_get(map, name, &from)) return false;
    divvy__value value = divvy__read(&from);
    if (value.kind == DIVVY__UINT) *number = (double)value.number;
    else if (value.kind == DIVVY__INT) *number = (double)(int64_t)value.number;
    else if (value.kind == DIVVY__FLOAT) __builtin_memcpy(number, &value.number, 8);
    else return false;
    return true;
}

static inline bool divvy_flag(divvy_bytes map, const char *name, bool *flag) {
    divvy_reader from;
    if (!divvy_get(map, name, &from)) return false;
    divvy__value value = divvy__read(&from);
    if (value.kind == DIVVY__BOOL) *flag = value.number;
    return value.kind == DIVVY__BOOL;
}

#endif
