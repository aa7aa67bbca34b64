/* request_states.h: the requests of shape `states`, of divvy_user_data and of divvy_check. */
#ifndef DIVVY_REQUEST_STATES_H
#define DIVVY_REQUEST_STATES_H

#include "request.h"
#include "states.h"

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
    me->config = divvy_read_values(from, "the configuration");
    me->topic_count = divvy_read_array(from, "topics");
    me->topics = divvy_new((uint64_t)me->topic_count * sizeof *me->topics);
    for (uint32_t i = 0; i < me->topic_count; i++) me->topics[i] = divvy_read_text(from, "a topic's name");
    me->facts = divvy_read_values(from, "facts");
    me->last_state = divvy__optional(from, DIVVY__BIN, "the last state or nil");
    me->now_ms = divvy_read_signed(from, "the wall clock");
    divvy__read_end(from, tail);
}

/* A plan to judge: the request that it was made for, and its states in the order of that request's members. */
static inline divvy_bytes *divvy__read_check(divvy_reader *from, divvy_state_group *group) {
    uint32_t tail = divvy_read_fields(from, 2, "a request of 2 items");
    divvy_bytes request = divvy_read_binary(from, "the request that the plan was made for");
    divvy_reader inner = divvy__reader(request);
    divvy__read_state_group(&inner, group);
    if (inner.bad && !from->bad) *from = inner;
    uint32_t count = divvy_read_array(from, "states");
    divvy_bytes *states = divvy_new((uint64_t)count * sizeof *states);
    for (uint32_t i = 0; i < count; i++) states[i] = divvy_read_binary(from, "a state");
    if (count != group->member_count) divvy__no(from, "one state for each member");
    divvy__read_end(from, tail);
    return states;
}

#endif
