/* {{name}}: deals the partitions of all topics out like cards. */
#include "divvy.h"

DIVVY_MANIFEST({
    "abi": "1.0",
    "name": "{{name}}",
    "version": 1,
    "license": "Apache-2.0",
    "description": "Deals the partitions of all topics out like cards."
})
DIVVY_ASSIGNOR(assign)

/* Counted through all topics, so that members that read the same never differ by more than one partition. */
static bool assign(const divvy_group *group, divvy_plan *plan) {
    uint32_t *readers = divvy_new((uint64_t)group->member_count * sizeof *readers);
    for (uint32_t t = 0; t < group->topic_count; t++) {
        const divvy_topic *topic = &group->topics[t];
        uint32_t count = 0;
        for (uint32_t m = 0; m < group->member_count; m++)
            if (divvy_subscribes(group, m, t)) readers[count++] = m;
        for (uint32_t p = topic->base; count && p < topic->base + topic->partitions; p++) divvy_give(plan, p, readers[p % count]);
    }
    return true;
}
