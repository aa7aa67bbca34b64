/* module.h: what a module has: its manifest and its exports.
 *
 * Natively the same macros make functions of a test's own: divvy_bytes divvy_assign(divvy_bytes request) and, where they are
 * there, divvy_user_data and divvy_check; the manifest is the text divvy_manifest. */
#ifndef DIVVY_MODULE_H
#define DIVVY_MODULE_H

#include "call.h"

/* What the module says of itself, as JSON: DIVVY_MANIFEST({"abi": "1.0", "name": "mine"}). */
#define DIVVY_MANIFEST(...) DIVVY__SECTION(#__VA_ARGS__)

/* The exports: of shape `partitions`, or of shape `states`. */
#define DIVVY_ASSIGNOR(function)                                        \
    static bool function(const divvy_group *group, divvy_plan *plan);   \
    DIVVY__MODULE                                                       \
    DIVVY__EXPORT(divvy_assign, divvy_answer, function)

#define DIVVY_STATES_ASSIGNOR(function)                                     \
    static bool function(const divvy_state_group *group, divvy_plan *plan); \
    DIVVY__MODULE                                                           \
    DIVVY__EXPORT(divvy_assign, divvy_answer_states, function)

/* Optional: what a member adds to its metadata. The function calls divvy_set_user_data or not, and returns true, or refuses. */
#define DIVVY_USER_DATA(function)                                   \
    static bool function(const divvy_me *me, divvy_plan *answer);   \
    DIVVY__EXPORT(divvy_user_data, divvy_answer_user_data, function)

/* Optional, of shape `states`: judges a plan before it is handed out. `states` has one for each member; true, or a refusal. */
#define DIVVY_CHECK(function)                                                                               \
    static bool function(const divvy_state_group *group, const divvy_bytes *states, divvy_plan *answer);    \
    DIVVY__EXPORT(divvy_check, divvy_answer_check, function)

#ifdef __wasm__

#define DIVVY__SECTION(json) __asm__(".section .custom_section.divvy.manifest,\"\",@\n.ascii " #json "\n");

#define DIVVY__MODULE                                                                     \
    __attribute__((export_name("divvy_abi_v1"))) void divvy__abi(void) {}                 \
    __attribute__((export_name("divvy_alloc"))) void *divvy__alloc(uint32_t len) {        \
        return divvy_try_new(len ? len : 1);                                              \
    }
#define DIVVY__EXPORT(name, answer, function)                                                              \
    __attribute__((export_name(#name))) int64_t name##__export(const uint8_t *request, uint32_t len) {     \
        divvy_bytes reply = answer((divvy_bytes){request, len}, function);                                 \
        return (int64_t)((uint64_t)(uintptr_t)reply.at << 32 | reply.len);                                 \
    }

#else

#define DIVVY__SECTION(json) __attribute__((unused)) static const char divvy_manifest[] = json;
#define DIVVY__MODULE
#define DIVVY__EXPORT(name, answer, function)                                                              \
    __attribute__((unused)) static divvy_bytes name(divvy_bytes request) { return answer(request, function); }

#endif

#endif
