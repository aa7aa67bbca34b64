/* {{name}}: tells each member which part of how many is its own. */
#include "divvy.h"

DIVVY_MANIFEST({
    "abi": "1.0",
    "name": "{{name}}",
    "version": 1,
    "protocol_type": "{{name}}",
    "shape": "states",
    "license": "Apache-2.0",
    "description": "Tells each member which part of how many is its own."
})
DIVVY_STATES_ASSIGNOR(assign)

static bool stands_by(const divvy_state_group *group, uint32_t member) {
    return divvy_same(group->members[member].metadata, divvy_bytes_of("standby"));
}

/* A state is whatever bytes the application understands; here `2/3`: the second of three. Who joined with `standby` gets no part. */
static bool assign(const divvy_state_group *group, divvy_plan *plan) {
    const uint32_t *order = divvy_kafkas_order(group);
    uint32_t active = 0, place = 0;
    for (uint32_t m = 0; m < group->member_count; m++) active += !stands_by(group, m);
    for (uint32_t i = 0; i < group->member_count; i++) {
        if (stands_by(group, order[i])) divvy_give_state(plan, order[i], divvy_bytes_of("standby"));
        else divvy_give_state(plan, order[i], divvy_join(divvy_join_number("", ++place), divvy_join_number("/", active)));
    }
    return true;
}
