/* states.h: groups whose members get bytes of the application's own, and a member that is about to join. */
#ifndef DIVVY_STATES_H
#define DIVVY_STATES_H

#include "bytes.h"

/* A member; its metadata is what it sent when it joined, any bytes. */
typedef struct { divvy_bytes id, instance_id, metadata; } divvy_state_member;

/* What a plan of shape `states` is made for; seed, memo and clock are as in a divvy_group. */
typedef struct {
    uint64_t seed;
    divvy_bytes id, protocol;
    int32_t generation;
    divvy_bytes config;
    divvy_bytes context; /* whatever the application hands to its strategy */
    divvy_state_member *members; uint32_t member_count; /* by id */
    int64_t now_ms;
    divvy_bytes memo;
} divvy_state_group;

/* Who is about to join: what divvy_user_data is made from. */
typedef struct {
    divvy_bytes group, protocol, config;
    divvy_bytes *topics; uint32_t topic_count; /* what it subscribes to */
    divvy_bytes facts, last_state;             /* what it says of itself; the state that it got last, NULL for none */
    int64_t now_ms;
} divvy_me;

#endif
