/* call.h: from the bytes of a request to those of a reply, by way of a strategy. It knows nothing of modules: a test calls it as well. */
#ifndef DIVVY_CALL_H
#define DIVVY_CALL_H

#include "reply.h"
#include "request_states.h"

/* Whether the request was as ABI 1 says; if not, the refusal says where it was not. */
DIVVY__ONCE bool divvy__was_read(const divvy_reader *from, divvy_plan *plan) {
    if (!from->bad) return true;
    divvy_bytes front = divvy_join_number("the request cannot be read: byte ", from->where);
    divvy_bytes wanted = divvy_join(divvy_bytes_of(": expected "), divvy_bytes_of(from->wanted));
    return divvy_refuse(plan, "bad_request", divvy_join(front, wanted));
}

/* divvy_assign of shape `partitions`. */
static inline divvy_bytes divvy_answer(divvy_bytes request, bool (*assign)(const divvy_group *, divvy_plan *)) {
    divvy_group *group = divvy_new(sizeof *group);
    divvy_plan *plan = divvy__new_plan();
    divvy_reader from = divvy__reader(request);
    divvy__read_group(&from, group);
    bool is_good = divvy__was_read(&from, plan);
    if (is_good) {
        plan->group = group;
        divvy_set_copies(plan, 1);
        is_good = assign(group, plan);
    }
    return is_good ? divvy__finish(plan) : divvy__refusal(plan);
}

/* divvy_assign of shape `states`. */
static inline divvy_bytes divvy_answer_states(divvy_bytes request, bool (*assign)(const divvy_state_group *, divvy_plan *)) {
    divvy_state_group *group = divvy_new(sizeof *group);
    divvy_plan *plan = divvy__new_plan();
    divvy_reader from = divvy__reader(request);
    divvy__read_state_group(&from, group);
    bool is_good = divvy__was_read(&from, plan);
    if (is_good) {
        plan->state_count = group->member_count;
        plan->states = divvy_new((uint64_t)group->member_count * sizeof *plan->states);
        is_good = assign(group, plan);
    }
    return is_good ? divvy__finish_states(plan) : divvy__refusal(plan);
}

/* divvy_user_data. */
static inline divvy_bytes divvy_answer_user_data(divvy_bytes request, bool (*make)(const divvy_me *, divvy_plan *)) {
    divvy_me *me = divvy_new(sizeof *me);
    divvy_plan *answer = divvy__new_plan();
    divvy_reader from = divvy__reader(request);
    divvy__read_me(&from, me);
    bool is_good = divvy__was_read(&from, answer) && make(me, answer);
    return is_good ? divvy__finish_data(answer) : divvy__refusal(answer);
}

/* divvy_check. */
static inline divvy_bytes divvy_answer_check(divvy_bytes request,
                                             bool (*judge)(const divvy_state_group *, const divvy_bytes *, divvy_plan *)) {
    divvy_state_group *group = divvy_new(sizeof *group);
    divvy_plan *answer = divvy__new_plan();
    divvy_reader from = divvy__reader(request);
    const divvy_bytes *states = divvy__read_check(&from, group);
    bool is_good = divvy__was_read(&from, answer) && judge(group, states, answer);
    return is_good ? divvy__finish_data(answer) : divvy__refusal(answer);
}

#endif
