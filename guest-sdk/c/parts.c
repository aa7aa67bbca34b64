/* The reference strategy of tests/abi for states: gives the same bytes as guest-sdk/examples/parts.rs, which says what it does. */
#include "divvy.h"

DIVVY_MANIFEST({"abi": "1.0", "name": "parts", "protocol_type": "parts", "shape": "states", "license": "Apache-2.0", "description": "The reference of ABI 1 for states."})
DIVVY_STATES_ASSIGNOR(parts)
DIVVY_USER_DATA(told)
DIVVY_CHECK(judged)

static bool is_idle(const divvy_state_group *group, uint32_t member) {
    return divvy_same(group->members[member].metadata, divvy_bytes_of("idle"));
}

static bool parts(const divvy_state_group *group, divvy_plan *plan) {
    divvy_bytes why;
    if (divvy_text(group->config, "refuse", &why)) {
        plan->retriable = true;
        plan->member = (int64_t)group->member_count - 1; /* -1: nobody */
        return divvy_refuse(plan, "asked_to", why);
    }
    const uint32_t *order = divvy_kafkas_order(group);
    uint32_t *active = divvy_new((uint64_t)group->member_count * sizeof *active), count = 0;
    for (uint32_t i = 0; i < group->member_count; i++)
        if (!is_idle(group, order[i])) active[count++] = order[i];
    for (uint32_t i = 0; i < count; i++) {
        divvy_bytes state = divvy_join_number("", (group->seed % count + i) % count + 1);
        state = divvy_join(divvy_join(state, divvy_join_number("/", count)), divvy_bytes_of(":"));
        state = divvy_join(state, group->members[active[i]].metadata);
        if (group->context.at) state = divvy_join(divvy_join(state, divvy_bytes_of(":")), group->context);
        divvy_give_state(plan, active[i], state);
    }
    bool explains = false;
    if (divvy_flag(group->config, "explain", &explains) && explains) {
        divvy_note(plan, "debug", divvy_join_number("generation ", (uint32_t)group->generation));
        divvy_note(plan, "info", divvy_join(divvy_join(group->id, divvy_bytes_of(" ")), group->protocol));
        divvy_note(plan, "warn", divvy_join_number("now ", (uint64_t)group->now_ms));
        divvy_note(plan, "info", group->member_count ? group->members[0].metadata : divvy_bytes_of(""));
    }
    divvy_remember(plan, group->memo);
    double ms;
    if (divvy_number(group->config, "again_ms", &ms) && ms >= 0 && ms <= 1e15) divvy_call_again_ms(plan, (uint64_t)ms);
    return true;
}

static bool told(const divvy_me *me, divvy_plan *answer) {
    divvy_bytes why, zone = {NULL, 0}, semicolon = divvy_bytes_of(";");
    if (divvy_text(me->config, "refuse", &why)) return divvy_refuse(answer, "asked_to", why);
    bool mute = false;
    if (divvy_flag(me->config, "mute", &mute) && mute) return true;
    divvy_bytes data = divvy_join(divvy_join(me->group, divvy_bytes_of("/")), divvy_join(me->protocol, divvy_bytes_of(":")));
    for (uint32_t t = 0; t < me->topic_count; t++)
        data = divvy_join(data, divvy_join(divvy_bytes_of(t ? "," : ""), me->topics[t]));
    if (!divvy_text(me->facts, "zone", &zone)) zone = divvy_bytes_of("");
    data = divvy_join(data, divvy_join(semicolon, zone));
    data = divvy_join(data, divvy_join(semicolon, me->last_state));
    divvy_set_user_data(answer, divvy_join(data, divvy_join_number(";", (uint64_t)me->now_ms)));
    return true;
}

static bool judged(const divvy_state_group *group, const divvy_bytes *states, divvy_plan *answer) {
    for (uint32_t m = 0; m < group->member_count; m++) {
        if (is_idle(group, m) == !states[m].len) continue;
        answer->member = m;
        if (states[m].len) return divvy_refuse(answer, "idle", divvy_bytes_of("a part for nobody"));
        return divvy_refuse(answer, "lost", divvy_bytes_of("a member without a part"));
    }
    return true;
}
