/* The reference strategy of tests/abi: gives the same bytes as guest-sdk/examples/even.rs, which says what it does. */
#include "divvy.h"

DIVVY_MANIFEST({"abi": "1.0", "name": "even", "needs": ["lag"], "license": "Apache-2.0", "description": "The reference of ABI 1."})
DIVVY_ASSIGNOR(even)

static bool even(const divvy_group *group, divvy_plan *plan) {
    divvy_bytes why;
    if (divvy_text(group->config, "refuse", &why)) {
        plan->retriable = true;
        plan->member = (int64_t)group->member_count - 1; /* -1: nobody */
        return divvy_refuse(plan, "asked_to", why);
    }
    bool keeps = false;
    if (!divvy_flag(group->config, "keep", &keeps)) keeps = false;
    uint32_t *readers = divvy_new((uint64_t)group->member_count * sizeof *readers);
    for (uint32_t t = 0; t < group->topic_count; t++) {
        const divvy_topic *topic = &group->topics[t];
        uint32_t count = 0;
        for (uint32_t m = 0; m < group->member_count; m++)
            if (divvy_subscribes(group, m, t)) readers[count++] = m;
        if (!count) continue;
        uint32_t first = (uint32_t)(group->seed % count);
        for (uint32_t p = topic->base; p < topic->base + topic->partitions; p++) {
            int64_t before = keeps ? divvy_owner_before(group, 0, p) : DIVVY_NOBODY;
            if (before != DIVVY_NOBODY && divvy_subscribes(group, (uint32_t)before, t)) divvy_give(plan, p, (uint32_t)before);
            else divvy_give(plan, p, readers[((uint64_t)first + p) % count]);
        }
    }
    if (divvy_column_of(group, "lag").at) {
        uint64_t lag = 0;
        for (uint32_t p = 0; p < group->partitions; p++)
            if (divvy_lag(group, p) != DIVVY_UNKNOWN_LAG) lag += divvy_lag(group, p);
        divvy_note(plan, "info", divvy_join_number("lag ", lag));
    }
    divvy_bytes told;
    if (divvy_text(group->config, "tell", &told))
        for (uint32_t m = 0; m < group->member_count; m += 2) divvy_tell(plan, m, told);
    divvy_remember(plan, group->memo);
    double ms;
    if (divvy_number(group->config, "again_ms", &ms) && ms >= 0 && ms <= 1e15) divvy_call_again_ms(plan, (uint64_t)ms);
    return true;
}
