/* divvy.h: write an assignment strategy for divvy in C. No libc, no imports; this header and the folder divvy/ beside it are all.
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
 *   clang --target=wasm32 -O2 -ffreestanding -nostdlib -mbulk-memory \
 *         -Wl,--no-entry -Wl,--export=divvy_panic -Wl,-z,stack-size=65536 -o mine.wasm mine.c
 *
 * An instance lives for one call: nothing is freed, and zeroed globals are zero in every call. The request is read in
 * place, MessagePack by position; items that a later minor version appends are passed over. A request that is not as
 * ABI 1 says is refused for you, so every index in a divvy_group points at something, and every text is UTF-8. In a text that
 * you write, bytes that are no UTF-8 become question marks.
 *
 * Compiled for your own machine it is the same without exports, so that a strategy can be tested as any C is: divvy_answer() goes
 * from a request's bytes to a reply's (divvy/call.h), divvy_end_call() frees what a call had (divvy/memory.h). `divvy assignor run
 * --request FILE` writes the request of a case.
 */
#ifndef DIVVY_H
#define DIVVY_H

#include "divvy/memory.h" /* divvy_new, divvy_fail */
#include "divvy/bytes.h"  /* divvy_bytes, divvy_same, divvy_join */
#include "divvy/group.h"  /* divvy_group: topics, members, and what can be asked of them */
#include "divvy/states.h" /* divvy_state_group, divvy_me */
#include "divvy/plan.h"   /* divvy_give, divvy_tell, divvy_note, divvy_refuse */
#include "divvy/values.h" /* divvy_text, divvy_number, divvy_flag: settings and facts */
#include "divvy/reader.h" /* MessagePack by hand, for settings that these do not know */
#include "divvy/call.h"   /* from a request to a reply */
#include "divvy/module.h" /* DIVVY_MANIFEST, DIVVY_ASSIGNOR and the other exports */

#endif
