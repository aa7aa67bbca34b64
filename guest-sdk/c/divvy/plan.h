/* plan.h: what a strategy answers: who gets what, what is said beside it, or why not. */
#ifndef DIVVY_PLAN_H
#define DIVVY_PLAN_H

#include "group.h"

#define DIVVY__HEAD 11 /* bytes of a reply before the owner maps */
#define DIVVY__TAIL 64 /* room behind them for what usually follows */

/* What is answered. Set `retriable` and `member` before a refusal if they say more; the rest is the functions' own. */
typedef struct {
    uint8_t *reply; uint32_t owners_len;
    uint16_t copies;
    divvy_bytes *states; uint32_t state_count;
    divvy_bytes *told;
    divvy_bytes user_data;
    divvy_bytes memo;
    bool calls_again; uint64_t call_again_ms;
    uint32_t line_count, line_bytes;
    struct { const char *level; divvy_bytes text; } lines[64];
    const char *code; divvy_bytes message;
    bool retriable; int64_t member;
    const divvy_group *group;
} divvy_plan;

/* Gives a partition (by its dense index) to a member; copy 0 is the primary. */
static inline void divvy_give_copy(divvy_plan *plan, uint32_t copy, uint32_t partition, uint32_t member) {
    const divvy_group *group = plan->group;
    if (copy >= plan->copies || partition >= group->partitions) divvy_fail("a partition of another group");
    if (member >= group->member_count) divvy_fail("an index beyond the members");
    uint8_t *at = plan->reply + DIVVY__HEAD + ((uint64_t)copy * group->partitions + partition) * group->width;
    __builtin_memcpy(at, &member, 2);
    if (group->width == 4) __builtin_memcpy(at, &member, 4);
}

static inline void divvy_give(divvy_plan *plan, uint32_t partition, uint32_t member) {
    divvy_give_copy(plan, 0, partition, member);
}

/* Room for several owners of each partition, all nobody. Only for manifests with "copies": "many". */
static inline void divvy_set_copies(divvy_plan *plan, uint16_t copies) {
    uint64_t bytes = (uint64_t)plan->group->partitions * plan->group->width * copies;
    if (copies == 0 || bytes >> 32) divvy_fail("a number of copies that is no plan");
    plan->copies = copies;
    plan->owners_len = (uint32_t)bytes;
    plan->reply = divvy_new(DIVVY__HEAD + bytes + DIVVY__TAIL);
    __builtin_memset(plan->reply + DIVVY__HEAD, 0xff, bytes);
}

/* User data for a member's assignment, read when the strategy returns. */
static inline void divvy_tell(divvy_plan *plan, uint32_t member, divvy_bytes data) {
    if (!plan->group || member >= plan->group->member_count) divvy_fail("an index beyond the members");
    if (!plan->told) plan->told = divvy_new((uint64_t)plan->group->member_count * sizeof *plan->told);
    plan->told[member] = data.at ? data : divvy_bytes_of("");
}

/* Of shape `states`: gives a member its state, read when the strategy returns. Who is given none gets zero bytes. */
static inline void divvy_give_state(divvy_plan *plan, uint32_t member, divvy_bytes state) {
    if (member >= plan->state_count) divvy_fail("an index beyond the members");
    plan->states[member] = state;
}

/* Of DIVVY_USER_DATA: what the member adds to its metadata. */
static inline void divvy_set_user_data(divvy_plan *answer, divvy_bytes data) {
    answer->user_data = data.at ? data : divvy_bytes_of("");
}

/* What to remember for the next call of this group: at most 64 KiB, read when the strategy returns. */
static inline void divvy_remember(divvy_plan *plan, divvy_bytes memo) { plan->memo = memo; }

/* When to make a new plan although nothing changed. */
static inline void divvy_call_again_ms(divvy_plan *plan, uint64_t ms) { plan->calls_again = true; plan->call_again_ms = ms; }

/* A line for the log that explains the plan; level is "debug", "info" or "warn". Kept: 64 lines, 16 KiB. */
static inline void divvy_note(divvy_plan *plan, const char *level, divvy_bytes text) {
    plan->line_bytes += divvy_bytes_of(level).len + text.len;
    if (plan->line_count == 64 || plan->line_bytes > 16 * 1024) return;
    plan->lines[plan->line_count].level = level;
    plan->lines[plan->line_count++].text = text;
}

/* No plan: `return divvy_refuse(plan, "short_code", message)`. Set plan->retriable and plan->member if they say more. */
static inline bool divvy_refuse(divvy_plan *plan, const char *code, divvy_bytes message) {
    plan->code = code;
    plan->message = message;
    return false;
}

static inline divvy_plan *divvy__new_plan(void) {
    divvy_plan *plan = divvy_new(sizeof *plan);
    plan->code = "refused"; /* until the strategy says more */
    plan->member = -1;
    return plan;
}

#endif
