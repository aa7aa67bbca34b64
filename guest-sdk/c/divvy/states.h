/* states.h: groups whose members get bytes of the application's own, and a member that is about to join. */
#ifndef DIVVY_STATES_H
#define DIVVY_STATES_H

#include "bytes.h"

typedef struct { divvy_bytes id, instance_id, metadata; } divvy_state_member; /* metadata: as the member sent it, any bytes */

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

typedef struct {
    divvy_bytes group, protocol, config;
    divvy_bytes *topics; uint32_t topic_count; /* what it subscribes to */
    divvy_bytes facts, last_state;
    int64_t now_ms;
} divvy_me;

#endif
