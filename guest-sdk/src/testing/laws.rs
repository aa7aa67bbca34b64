//! Laws that most strategies promise, of one plan at a time, for tests of your own making: each panics with the topic, partition
//! and member that break it. [`laws!`](crate::laws) tries them on many random groups.

pub use super::law::rack_mismatches;
use super::{Law, TestGroup, TestPlan};

/// Complete, disjoint and subscribed: what the host demands of every plan with `complete: true`.
pub fn whole(group: &TestGroup, plan: &TestPlan) {
    complete(group, plan);
    disjoint(plan);
    subscribed(group, plan);
}

/// [`Law::Complete`]
pub fn complete(group: &TestGroup, plan: &TestPlan) {
    assert(Law::Complete, group, plan);
}

/// [`Law::Disjoint`]
pub fn disjoint(plan: &TestPlan) {
    assert(Law::Disjoint, &TestGroup::new(), plan);
}

/// [`Law::Subscribed`]
pub fn subscribed(group: &TestGroup, plan: &TestPlan) {
    assert(Law::Subscribed, group, plan);
}

/// No member has more than `most` partitions above another. Only for members that read the same topics; [`Law::Balanced`] is for
/// all.
pub fn balanced(plan: &TestPlan, most: usize) {
    let sizes = || plan.members.keys().map(|member| plan.size(member));
    let (least, greatest) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    assert!(greatest - least <= most, "members have {least} to {greatest} partitions");
}

/// [`Law::BalancedByTopic`]
pub fn balanced_by_topic(group: &TestGroup, plan: &TestPlan) {
    assert(Law::BalancedByTopic, group, plan);
}

/// [`Law::Copartitioned`]
pub fn copartitioned(group: &TestGroup, plan: &TestPlan) {
    assert(Law::Copartitioned, group, plan);
}

/// [`Law::Sticky`]
pub fn sticky(group: &TestGroup, plan: &TestPlan) {
    assert(Law::Sticky, group, plan);
}

/// [`Law::Copies`]
pub fn copies(group: &TestGroup, plan: &TestPlan, copies: usize) {
    assert(Law::Copies(copies), group, plan);
}

/// [`Law::Racks`]
pub fn racks(group: &TestGroup, plan: &TestPlan) {
    assert(Law::Racks, group, plan);
}

fn assert(law: Law, group: &TestGroup, plan: &TestPlan) {
    if let Err(broken) = law.judge(group, plan) {
        panic!("{broken}");
    }
}
