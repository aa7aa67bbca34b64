/* What a strategy sees and says: readers of topics, owners before, Kafka's order, copies, limits of lines, and how it fails. */
#include "check.h"

#define CONFIG 0x80

/* A request of two topics (a: 2 partitions, b: 1) and members m and n; m reads both by bits, n reads b by a range. */
static divvy_bytes request(void) {
    return B(0x9c, 0, 7, 0x94, 0xa1, 'g', 1, 0xa5, 'r', 'a', 'n', 'g', 'e', 0xa5, 'e', 'a', 'g', 'e', 'r', CONFIG,
             0x92, 0x93, 0xa1, 'a', 2, 0, 0x93, 0xa1, 'b', 1, 0,
             0x92, 0xc4, 1, 3, 0x91, 0x92, 1, 1,
             0x92, 0x97, 0xa1, 'm', 0xc0, 0xa0, 0xc0, 0, 0xc0, 0x80, 0x97, 0xa1, 'n', 0xa1, 'i', 0xa0, 0, 1, 0xc4, 0, 0x80,
             0x91, 0xa1, 'r',
             0xc4, 12, 1, 0, 9, 0, 0xff, 0xff, 0, 0, 0, 0, 1, 0, /* two layers */
             0x81, 0xa3, 'l', 'a', 'g', 0xc4, 24, 5, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0, 0, 0, 0,
             0x2a, 0xc0);
}

static bool looks(const divvy_group *group, divvy_plan *plan) {
    (void)plan;
    CHECK_NUMBER(group->partitions, 3, "all partitions");
    CHECK_NUMBER(group->topics[1].base, 2, "where b begins");
    CHECK(divvy_subscribes(group, 0, 0) && divvy_subscribes(group, 0, 1) && !divvy_subscribes(group, 1, 0) && divvy_subscribes(group, 1, 1));
    static const int64_t before[2][4] = {{1, DIVVY_NOBODY, DIVVY_NOBODY, DIVVY_NOBODY}, {0, 0, 1, DIVVY_NOBODY}};
    for (uint32_t layer = 0; layer < 3; layer++)
        for (uint32_t p = 0; p < 4; p++)
            CHECK_NUMBER(divvy_owner_before(group, layer, p), layer < 2 ? before[layer][p] : DIVVY_NOBODY, "who had it");
    CHECK_NUMBER(divvy_lag(group, 0), 5, "lag");
    CHECK_NUMBER(divvy_lag(group, 1), DIVVY_UNKNOWN_LAG, "lag");
    CHECK_NUMBER(divvy_lag(group, 2), 256, "lag");
    CHECK_NUMBER(divvy_lag(group, 3), DIVVY_UNKNOWN_LAG, "lag of nothing");
    CHECK(!divvy_column_of(group, "weight").at);
    CHECK(group->members[0].rack == -1 && group->members[1].rack == 0);
    CHECK(!group->members[0].user_data.at && group->members[1].user_data.at && !group->members[1].user_data.len);
    const uint32_t *order = divvy_kafkas_order(group);
    CHECK(order[0] == 1 && order[1] == 0);
    return true;
}

static void the_group_is_what_the_request_says(void) {
    divvy_bytes reply = divvy_answer(request(), looks);
    CHECK_BYTES(reply, B(0x93, 0, 0x95, 0xcd, 0, 1, 0xc6, 0, 0, 0, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc0, 0xc0, 0xc0, 0x90), "nobody has anything");
}

static bool gives_copies(const divvy_group *group, divvy_plan *plan) {
    (void)group;
    divvy_set_copies(plan, 2);
    divvy_give(plan, 0, 1);
    divvy_give_copy(plan, 1, 2, 0);
    divvy_tell(plan, 1, divvy_bytes_of("hi"));
    divvy_remember(plan, divvy_bytes_of("m"));
    divvy_call_again_ms(plan, 300);
    divvy_note(plan, "warn", divvy_bytes_of("\xff"));
    return true;
}

static void everything_that_can_be_said(void) {
    CHECK_BYTES(divvy_answer(request(), gives_copies),
                B(0x93, 0, 0x95, 0xcd, 0, 2, 0xc6, 0, 0, 0, 12, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0,
                  0x92, 0xc0, 0xc4, 2, 'h', 'i', 0xc4, 1, 'm', 0xcd, 1, 0x2c, 0x91, 0x92, 0xa4, 'w', 'a', 'r', 'n', 0xa1, '?'), "a full plan");
}

static bool says_no(const divvy_group *group, divvy_plan *plan) { (void)group; (void)plan; return false; }

static void a_refusal_without_a_reason_has_a_code(void) {
    CHECK_BYTES(divvy_answer(request(), says_no), B(0x93, 1, 0x94, 0xa7, 'r', 'e', 'f', 'u', 's', 'e', 'd', 0xa0, 0xc2, 0xc0, 0x90), "refused");
}

static void lines_are_kept_up_to_their_limits(void) {
    divvy_plan *plan = divvy__new_plan();
    for (int i = 0; i < 70; i++) divvy_note(plan, "info", divvy_bytes_of("x"));
    CHECK_NUMBER(plan->line_count, 64, "lines");
    plan = divvy__new_plan();
    divvy_bytes half = {divvy_new(8188), 8188};
    divvy_note(plan, "info", half);
    divvy_note(plan, "info", half);
    CHECK_NUMBER(plan->line_count, 2, "16 KiB are kept");
    divvy_note(plan, "info", divvy_bytes_of(""));
    CHECK_NUMBER(plan->line_count, 2, "a byte more is not");
}

static bool says_all_that_is_kept(const divvy_group *group, divvy_plan *plan) {
    for (int i = 0; i < 64; i++) divvy_note(plan, "info", (divvy_bytes){divvy_new(252), 252});
    for (uint32_t m = 0; m < group->member_count; m++) divvy_tell(plan, m, (divvy_bytes){divvy_new(70000), 70000});
    divvy_remember(plan, (divvy_bytes){divvy_new(65536), 65536});
    divvy_call_again_ms(plan, UINT64_MAX);
    return true;
}

static void the_fullest_reply_has_room(void) {
    divvy_bytes reply = divvy_answer(request(), says_all_that_is_kept);
    divvy_reader from = divvy__reader(reply);
    divvy_skip(&from, 1);
    CHECK(!from.bad && from.at == from.end);
    CHECK_NUMBER(reply.len, 11 + 6 + 1 + 2 * 70005 + 65541 + 9 + 3 + 64 * (1 + 5 + 2 + 252), "every byte of it");
}

static bool plans(const divvy_group *group, divvy_plan *plan) { (void)plan; return group->partitions == 1u << 24; }

/* A topic of so many partitions, and nobody. */
static divvy_bytes of_size(uint32_t partitions) {
    return B(0x9c, 0, 7, 0x94, 0xa1, 'g', 1, 0xa5, 'r', 'a', 'n', 'g', 'e', 0xa5, 'e', 'a', 'g', 'e', 'r', CONFIG, 0x91, 0x93, 0xa1, 'a', 0xce,
             (uint8_t)(partitions >> 24), (uint8_t)(partitions >> 16), (uint8_t)(partitions >> 8), (uint8_t)partitions, 0,
             0x90, 0x90, 0x90, 0xc4, 0, CONFIG, 0x2a, 0xc0);
}

static void the_largest_group_is_planned_and_no_larger_one(void) {
    CHECK_NUMBER(divvy_answer(of_size(1u << 24), plans).len, 11 + (2u << 24) + 4, "owners of 2 bytes");
    CHECK(check_is_bad_request(divvy_answer(of_size((1u << 24) + 1), plans)));
    CHECK(check_is_bad_request(divvy_answer(of_size(UINT32_MAX), plans)));
}

static void kafkas_order_is_stable_whatever_the_size(void) {
    for (uint32_t count = 0; count < 40; count++) {
        divvy_state_member *members = divvy_new((count + 1) * sizeof *members);
        for (uint32_t i = 0; i < count; i++)
            if (i % 3) members[i].instance_id = divvy_join_number("", (i * 7) % 5);
        const uint32_t *order = divvy__kafkas_order(members, sizeof *members, count);
        for (uint32_t i = 1; i < count; i++) {
            divvy_bytes a = members[order[i - 1]].instance_id, b = members[order[i]].instance_id;
            bool in_order = a.at && b.at ? divvy_order(a, b) < 0 || (divvy_order(a, b) == 0 && order[i - 1] < order[i])
                                         : (a.at || !b.at) && (a.at || order[i - 1] < order[i]);
            CHECK(in_order);
        }
    }
}

static void bytes_and_numbers(void) {
    CHECK(divvy_order(divvy_bytes_of("a"), divvy_bytes_of("b")) < 0 && divvy_order(divvy_bytes_of("b"), divvy_bytes_of("a")) > 0);
    CHECK(divvy_order(divvy_bytes_of("a"), divvy_bytes_of("ab")) < 0 && divvy_order(divvy_bytes_of(""), divvy_bytes_of("")) == 0);
    CHECK(divvy_order(divvy_bytes_of("\x7f"), divvy_bytes_of("\x80")) < 0);
    CHECK_BYTES(divvy_join_number("n ", 0), divvy_bytes_of("n 0"), "0");
    CHECK_BYTES(divvy_join_number("", UINT64_MAX), divvy_bytes_of("18446744073709551615"), "the largest");
    CHECK_BYTES(divvy_join(divvy_bytes_of("a"), (divvy_bytes){NULL, 0}), divvy_bytes_of("a"), "with nothing");
    CHECK(!divvy_try_new(1ull << 32));
    CHECK(sizeof(size_t) > 4 || !divvy_try_new(UINT32_MAX));
    CHECK((uintptr_t)divvy_new(1) % 16 == 0 && *(uint8_t *)divvy_new(1) == 0);
}

static bool gives_too_much(const divvy_group *group, divvy_plan *plan) { divvy_give(plan, group->partitions, 0); return true; }
static bool gives_to_nobody(const divvy_group *group, divvy_plan *plan) { divvy_give(plan, 0, group->member_count); return true; }
static bool tells_nobody(const divvy_group *group, divvy_plan *plan) { divvy_tell(plan, group->member_count, group->id); return true; }
static bool no_copies(const divvy_group *group, divvy_plan *plan) { (void)group; divvy_set_copies(plan, 0); return true; }
static void too_much(void) { divvy_answer(request(), gives_too_much); }
static void to_nobody(void) { divvy_answer(request(), gives_to_nobody); }
static void tell_nobody(void) { divvy_answer(request(), tells_nobody); }
static void without_copies(void) { divvy_answer(request(), no_copies); }
static void no_memory(void) { divvy_new(1ull << 32); }

static void what_cannot_be_ends_the_call(void) {
    CHECK_FAILS(too_much, "a partition of another group");
    CHECK_FAILS(to_nobody, "an index beyond the members");
    CHECK_FAILS(tell_nobody, "an index beyond the members");
    CHECK_FAILS(without_copies, "a number of copies that is no plan");
    CHECK_FAILS(no_memory, "out of memory");
}

int main(void) {
    RUN(the_group_is_what_the_request_says);
    RUN(everything_that_can_be_said);
    RUN(a_refusal_without_a_reason_has_a_code);
    RUN(lines_are_kept_up_to_their_limits);
    RUN(the_fullest_reply_has_room);
    RUN(the_largest_group_is_planned_and_no_larger_one);
    RUN(kafkas_order_is_stable_whatever_the_size);
    RUN(bytes_and_numbers);
    RUN(what_cannot_be_ends_the_call);
    return check_done("plan");
}
