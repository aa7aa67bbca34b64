/* memory.h: zeroed memory until the call ends, and how a call ends as a failure.
 *
 * In a module it is the linear memory behind the data; an instance lives for one call, and nothing is freed. Natively, in an
 * author's tests, each piece comes from the C library, so that a sanitizer sees its bounds, and divvy_end_call() gives back
 * all of them, as the end of a call does. */
#ifndef DIVVY_MEMORY_H
#define DIVVY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __wasm__
#include <stdio.h>
#include <stdlib.h>
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "owner maps and columns are little-endian, and read as they lie");
#endif

/* A function that is in the module once, whoever calls it. */
#define DIVVY__ONCE __attribute__((noinline, unused)) static

#define DIVVY__TEXT_AREA 1020

/* Its address is the export `divvy_panic`: the host reads the text after a trap. Natively each file that includes it has its own. */
#ifndef __wasm__
static
#endif
struct { uint32_t len; uint8_t text[DIVVY__TEXT_AREA]; } divvy_panic;

/* Ends the call as a failure; the text is shown to people. */
static _Noreturn inline void divvy_fail(const char *text) {
    uint32_t len = 0;
    while (text[len] && len < DIVVY__TEXT_AREA) { divvy_panic.text[len] = (uint8_t)text[len]; len++; }
    divvy_panic.len = len;
#ifdef __wasm__
    __builtin_trap();
#else
    fprintf(stderr, "divvy_fail: %s\n", text);
    abort();
#endif
}

/* Zeroed memory, 16-byte aligned, until the call ends; NULL when there is no more. */
DIVVY__ONCE void *divvy_try_new(uint64_t bytes);

DIVVY__ONCE void *divvy_new(uint64_t bytes) {
    void *at = divvy_try_new(bytes);
    if (!at) divvy_fail("out of memory");
    return at;
}

#ifdef __wasm__

extern uint8_t __heap_base;

DIVVY__ONCE void *divvy_try_new(uint64_t bytes) {
    static uint64_t top;
    if (!top) top = (uintptr_t)&__heap_base;
    uint64_t at = (top + 15) & ~15ull, end = at + bytes, have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
    if (bytes >> 32 || end >> 32) return NULL;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + 65535) >> 16) == SIZE_MAX) return NULL;
    top = end;
    return (void *)(uintptr_t)at;
}

#else

/* What stands before each piece: 16 bytes, as its alignment. */
typedef struct divvy__piece { _Alignas(16) struct divvy__piece *before; } divvy__piece;
static divvy__piece *divvy__pieces;

DIVVY__ONCE void *divvy_try_new(uint64_t bytes) {
    if (bytes >> 32 || bytes > SIZE_MAX - sizeof(divvy__piece)) return NULL; /* more than a module, or this machine, could have */
    divvy__piece *piece = calloc(1, sizeof *piece + bytes);
    if (!piece) return NULL;
    piece->before = divvy__pieces;
    divvy__pieces = piece;
    return piece + 1;
}

/* All that the call had is gone, replies among it. */
DIVVY__ONCE void divvy_end_call(void) {
    while (divvy__pieces) {
        divvy__piece *before = divvy__pieces->before;
        free(divvy__pieces);
        divvy__pieces = before;
    }
    divvy_panic.len = 0;
}

#endif

#endif
