/* request.h: from the bytes of a request to a divvy_group, in which nothing has to be checked again. */
#ifndef DIVVY_REQUEST_H
#define DIVVY_REQUEST_H

#include "group.h"
#include "reader.h"

static inline void divvy__read_head(divvy_reader *from, divvy_group *group) {
    divvy_read_unsigned(from, "the minor version");
    group->seed = divvy_read_unsigned(from, "the seed");
    uint32_t tail = divvy_read_fields(from, 4, "a group of 4 items");
    group->id = divvy_read_text(from, "the group's id");
    int64_t generation = divvy_read_signed(from, "the generation");
    if (generation != (int32_t)generation) divvy__no(from, "a generation");
    group->generation = (int32_t)generation;
    group->protocol = divvy_read_text(from, "the protocol");
    divvy_bytes mode = divvy_read_text(from, "the mode");
    group->cooperative = divvy_same(mode, divvy_bytes_of("cooperative"));
    if (!group->cooperative && !divvy_same(mode, divvy_bytes_of("eager"))) divvy__no(from, "the mode eager or cooperative");
    divvy_skip(from, tail);
    group->config = divvy_read_values(from, "the configuration");
}

static inline void divvy__read_topics(divvy_reader *from, divvy_group *group) {
    uint32_t count = divvy_read_array(from, "topics"), base = 0;
    group->topics = divvy_new((uint64_t)count * sizeof *group->topics);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_topic *topic = &group->topics[i];
        uint32_t tail = divvy_read_fields(from, 3, "a topic of 3 items");
        topic->name = divvy_read_text(from, "a topic's name");
        topic->partitions = divvy_read_u32(from, "a partition count");
        topic->base = base;
        divvy_read_unsigned(from, "a topic's flags");
        divvy_skip(from, tail);
        if (topic->partitions > (1u << 24) - base) divvy__no(from, "at most 16,777,216 partitions");
        else base += topic->partitions;
        if (i && divvy_order(topic[-1].name, topic->name) >= 0) divvy__no(from, "topics in ascending order of their names");
    }
    group->topic_count = count;
    group->partitions = base;
}

static inline void divvy__read_subscription(divvy_reader *from, divvy_group *group, divvy_subscription *to) {
    divvy_reader look = *from;
    divvy_bytes bits = divvy_read_binary(&look, "a bit set");
    if (!look.bad) {
        *from = look;
        to->bits = bits.at;
        if (bits.len != ((uint64_t)group->topic_count + 7) / 8) divvy__no(from, "a bit set with a bit for each topic");
        return;
    }
    uint32_t past = 0;
    to->count = divvy_read_array(from, "ranges of topics or a bit set");
    to->ranges = divvy_new((uint64_t)to->count * sizeof *to->ranges);
    for (uint32_t i = 0; i < to->count && !from->bad; i++) {
        uint32_t tail = divvy_read_fields(from, 2, "a range of topics");
        uint32_t start = divvy_read_u32(from, "a range's start"), len = divvy_read_u32(from, "a range's length");
        divvy_skip(from, tail);
        if (start < past || (uint64_t)start + len > group->topic_count) divvy__no(from, "ascending ranges within the topics");
        past = start + len;
        to->ranges[i][0] = start;
        to->ranges[i][1] = past;
    }
}

static inline void divvy__read_members(divvy_reader *from, divvy_group *group) {
    uint32_t count = divvy_read_array(from, "members");
    group->members = divvy_new((uint64_t)count * sizeof *group->members);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_member *member = &group->members[i];
        uint32_t tail = divvy_read_fields(from, 7, "a member of 7 items");
        member->id = divvy_read_text(from, "a member's id");
        member->instance_id = divvy__optional(from, DIVVY__STR, "an instance id or nil");
        member->client_id = divvy_read_text(from, "a client id");
        member->rack = divvy_read_nil(from) ? -1 : (int64_t)divvy_read_u32(from, "a rack's index or nil");
        member->subscription = divvy_read_u32(from, "a subscription's index");
        member->user_data = divvy__optional(from, DIVVY__BIN, "user data or nil");
        member->facts = divvy_read_values(from, "facts");
        divvy_skip(from, tail);
        if (i && divvy_order(member[-1].id, member->id) >= 0) divvy__no(from, "members in ascending order of their ids");
    }
    group->member_count = count;
    group->width = count <= 65534 ? 2 : 4;
}

static inline void divvy__read_columns(divvy_reader *from, divvy_group *group) {
    uint32_t count = divvy_read_map(from, "columns");
    uint64_t partitions = group->partitions;
    group->columns = divvy_new((uint64_t)count * sizeof *group->columns);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        divvy_column *column = &group->columns[i];
        column->name = divvy_read_text(from, "a column's name");
        column->bytes = divvy_read_binary(from, "a column");
        uint64_t step = divvy_same(column->name, divvy_bytes_of("replica_racks")) ? 2 * partitions : partitions;
        if (step ? column->bytes.len % step != 0 : column->bytes.len != 0)
            divvy__no(from, "columns with the same number of bytes for each partition");
        if (divvy_same(column->name, divvy_bytes_of("lag")) && column->bytes.len != 8 * partitions)
            divvy__no(from, "a column of lags with eight bytes for each partition");
    }
    group->column_count = count;
}

static inline void divvy__read_group(divvy_reader *from, divvy_group *group) {
    uint32_t tail = divvy_read_fields(from, 12, "a request of 12 items");
    divvy__read_head(from, group);
    divvy__read_topics(from, group);
    group->subscription_count = divvy_read_array(from, "subscriptions");
    group->subscriptions = divvy_new((uint64_t)group->subscription_count * sizeof *group->subscriptions);
    for (uint32_t i = 0; i < group->subscription_count && !from->bad; i++)
        divvy__read_subscription(from, group, &group->subscriptions[i]);
    divvy__read_members(from, group);
    group->rack_count = divvy_read_array(from, "racks");
    group->racks = divvy_new((uint64_t)group->rack_count * sizeof *group->racks);
    for (uint32_t i = 0; i < group->rack_count; i++) group->racks[i] = divvy_read_text(from, "a rack's name");
    for (uint32_t i = 0; i < group->member_count && !from->bad; i++)
        if (group->members[i].subscription >= group->subscription_count || group->members[i].rack >= group->rack_count)
            divvy__no(from, "subscription and rack indexes of members within their tables");
    group->claims = divvy_read_binary(from, "claims");
    uint64_t layer = (uint64_t)group->partitions * group->width;
    if (layer ? group->claims.len % layer != 0 || group->claims.len > 8 * layer : group->claims.len != 0)
        divvy__no(from, "claims of at most 8 whole owner maps");
    group->claim_layers = layer ? (uint32_t)(group->claims.len / layer) : 0;
    divvy__read_columns(from, group);
    group->now_ms = divvy_read_signed(from, "the wall clock");
    group->memo = divvy__optional(from, DIVVY__BIN, "a memo or nil");
    divvy__read_end(from, tail);
}

#endif
