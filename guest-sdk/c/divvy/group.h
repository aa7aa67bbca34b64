/* group.h: the group as a strategy sees it, and what it can be asked. Every index in it points at something, every text is UTF-8. */
#ifndef DIVVY_GROUP_H
#define DIVVY_GROUP_H

#include "bytes.h"

#define DIVVY_NOBODY (-1)            /* of divvy_owner_before */
#define DIVVY_UNKNOWN_LAG UINT64_MAX /* of divvy_lag */
#define DIVVY_NO_RACK 0xffffu        /* in the column replica_racks */

/* Partition p of a topic has the dense index base + p: the position in owner maps and columns. */
typedef struct { divvy_bytes name; uint32_t partitions, base; } divvy_topic;

/* A set of topics: a bit for each, or ascending ranges [start, end). */
typedef struct { const uint8_t *bits; uint32_t (*ranges)[2]; uint32_t count; } divvy_subscription;

/* A member; instance_id is there if it is static, user_data if its own divvy_user_data or a foreign client gave some. */
typedef struct {
    divvy_bytes id, instance_id, client_id;
    int64_t rack;          /* index into racks, -1 for none */
    uint32_t subscription; /* members with the same number read the same topics */
    divvy_bytes user_data, facts;
} divvy_member;

/* The same number of bytes for each partition, in the order of the dense index. */
typedef struct { divvy_bytes name, bytes; } divvy_column;

/* What a plan is made for. */
typedef struct {
    uint64_t seed; /* the only randomness that there is */
    divvy_bytes id, protocol; /* of the group; what it agreed on */
    int32_t generation;       /* that the plan is for */
    bool cooperative;
    divvy_bytes config; /* read with divvy_text, divvy_number, divvy_flag */
    divvy_topic *topics; uint32_t topic_count; /* by name */
    uint32_t partitions;                       /* of all topics */
    divvy_subscription *subscriptions; uint32_t subscription_count;
    divvy_member *members; uint32_t member_count; /* by id */
    divvy_bytes *racks; uint32_t rack_count;
    divvy_bytes claims; uint32_t claim_layers; /* read with divvy_owner_before */
    divvy_column *columns; uint32_t column_count;
    int64_t now_ms;   /* the wall clock */
    divvy_bytes memo; /* what the last plan asked to be remembered */
    uint32_t width;   /* bytes of an owner: 2 or 4 */
} divvy_group;

/* Whether a member subscribes to the topic with an index. */
static inline bool divvy_subscribes(const divvy_group *group, uint32_t member, uint32_t topic) {
    const divvy_subscription *set = &group->subscriptions[group->members[member].subscription];
    if (set->bits) return set->bits[topic / 8] >> (topic % 8) & 1;
    uint32_t low = 0, high = set->count; /* the ranges that begin at or before the topic */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->ranges[middle][0] <= topic) low = middle + 1; else high = middle;
    }
    return low && topic < set->ranges[low - 1][1];
}

/* Who had a partition last, as far as anyone still knows: layer 0 is the newest claim. DIVVY_NOBODY, or a member's index. */
static inline int64_t divvy_owner_before(const divvy_group *group, uint32_t layer, uint32_t partition) {
    if (layer >= group->claim_layers || partition >= group->partitions) return DIVVY_NOBODY;
    const uint8_t *at = group->claims.at + ((uint64_t)layer * group->partitions + partition) * group->width;
    uint32_t owner = group->width == 2 ? divvy_u16(at) : divvy_u32(at);
    return owner < group->member_count ? (int64_t)owner : DIVVY_NOBODY;
}

/* A column that the manifest `needs`, by name: the same number of bytes for each partition. */
static inline divvy_bytes divvy_column_of(const divvy_group *group, const char *name) {
    divvy_bytes wanted = divvy_bytes_of(name), none = {NULL, 0};
    for (uint32_t i = 0; i < group->column_count; i++)
        if (divvy_same(group->columns[i].name, wanted)) return group->columns[i].bytes;
    return none;
}

/* Records of a partition that the group has not read; DIVVY_UNKNOWN_LAG where nobody knows. */
static inline uint64_t divvy_lag(const divvy_group *group, uint32_t partition) {
    divvy_bytes column = divvy_column_of(group, "lag");
    return column.at && partition < group->partitions ? divvy_u64(column.at + 8ull * partition) : DIVVY_UNKNOWN_LAG;
}

/* The members in Kafka's order, as indexes: static ones by instance id, then the others by id. Of a group of either shape. */
#define divvy_kafkas_order(group) divvy__kafkas_order((group)->members, sizeof *(group)->members, (group)->member_count)

DIVVY__ONCE uint32_t *divvy__kafkas_order(const void *members, uint32_t size, uint32_t count) {
#define DIVVY__INSTANCE(i) (((const divvy_bytes *)((const uint8_t *)members + (uint64_t)size * (i)))[1])
    uint32_t *order = divvy_new(4ull * count), *merged = divvy_new(4ull * count), len = 0;
    for (uint32_t i = 0; i < count; i++) if (DIVVY__INSTANCE(i).at) order[len++] = i;
    for (uint32_t run = 1; run < len; run *= 2) {
        for (uint32_t low = 0; low < len; low += 2 * run) {
            uint32_t middle = low + run < len ? low + run : len, high = low + 2 * run < len ? low + 2 * run : len;
            for (uint32_t to = low, a = low, b = middle; to < high; to++) {
                bool first = a < middle && (b == high || divvy_order(DIVVY__INSTANCE(order[a]), DIVVY__INSTANCE(order[b])) <= 0);
                merged[to] = first ? order[a++] : order[b++];
            }
        }
        uint32_t *swapped = order;
        order = merged;
        merged = swapped;
    }
    for (uint32_t i = 0; i < count; i++) if (!DIVVY__INSTANCE(i).at) order[len++] = i;
    return order;
#undef DIVVY__INSTANCE
}

#endif
