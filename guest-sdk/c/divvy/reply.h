/* reply.h: from a divvy_plan to the bytes of a reply: a plan of either shape, an optional export's answer, a refusal. */
#ifndef DIVVY_REPLY_H
#define DIVVY_REPLY_H

#include "plan.h"
#include "writer.h"

DIVVY__ONCE uint8_t *divvy__put_lines(uint8_t *to, const divvy_plan *plan) {
    to = divvy__put_array(to, plan->line_count);
    for (uint32_t i = 0; i < plan->line_count; i++) {
        *to++ = 0x92;
        to = divvy__put_bytes(to, true, divvy_bytes_of(plan->lines[i].level));
        to = divvy__put_bytes(to, true, plan->lines[i].text);
    }
    return to;
}

static inline divvy_bytes divvy__reply(const uint8_t *from, const uint8_t *to) {
    return (divvy_bytes){from, (uint32_t)(to - from)};
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

static inline divvy_bytes divvy__refusal(const divvy_plan *plan) {
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

static inline divvy_bytes divvy__finish(divvy_plan *plan) {
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

static inline divvy_bytes divvy__finish_states(const divvy_plan *plan) {
    uint8_t *reply = divvy__room(plan, plan->state_count, divvy__sum(plan->states, plan->state_count)), *to = reply;
    *to++ = 0x93; *to++ = 0x00; *to++ = 0x93;
    to = divvy__put_array(to, plan->state_count);
    for (uint32_t i = 0; i < plan->state_count; i++) to = divvy__put_bytes(to, false, plan->states[i]);
    return divvy__reply(reply, divvy__put_outcome(to, plan));
}

/* Of the optional exports: data, or nil for none and for a plan that was found good. */
static inline divvy_bytes divvy__finish_data(const divvy_plan *answer) {
    uint8_t *reply = divvy__room(answer, 1, answer->user_data.len), *to = reply;
    *to++ = 0x93; *to++ = 0x00;
    return divvy__reply(reply, divvy__put_lines(divvy__put_binary(to, answer->user_data), answer));
}

#endif
