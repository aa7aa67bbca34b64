//! `laws!`: a test for each promise of a strategy.

/// Makes a test of each law, under the law's name: it is tried on many random groups, and the smallest group that breaks it is
/// shown with the Rust that makes it again.
///
/// ```
/// # use divvy_guest::prelude::*;
/// # fn assign(group: &Group, owners: &mut Owners) -> Result<(), Refusal> { Ok(()) }
/// divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), sticky, fixed_point, order_independent, cooperative_safe }
/// ```
///
/// What the laws mean stands at [`Law`](crate::testing::Law): `complete`, `disjoint`, `subscribed`, `balanced(most)`,
/// `balanced_by_topic`, `copartitioned`, `sticky`, `fixed_point`, `order_independent`, `cooperative_safe`, `copies(number)`, `racks`.
///
/// Promises that hold for some groups only, and strategies that need settings or facts, say so before the semicolon: every random
/// group goes through that function first, and so does each smaller one. Done twice it must change nothing more.
///
/// ```
/// # use divvy_guest::prelude::*;
/// # fn assign(group: &Group, owners: &mut Owners) -> Result<(), Refusal> { Ok(()) }
/// divvy_guest::laws! { assign, |group| group.config("copies", 2.0); complete, copies(2), racks }
///
/// mod when_all_read_the_same {
///     use super::assign;
///     divvy_guest::laws! { assign, |group| group.all_read_everything(); balanced(1) }
/// }
/// # fn main() {}
/// ```
///
/// `DIVVY_LAWS_SEED=17` begins with group 17, as a counterexample says; `DIVVY_LAWS_GROUPS=100000` tries more of them.
#[macro_export]
macro_rules! laws {
    ($assign:expr; $($laws:tt)*) => { $crate::laws! { $assign, |group| group; $($laws)* } };
    ($assign:expr, $with:expr; $($law:ident $(($number:expr))?),+ $(,)?) => {
        $(
            #[test]
            fn $law() {
                $crate::testing::hold($assign, $crate::testing::named::$law($($number)?), $with);
            }
        )+
    };
}

/// The same for strategies of shape `states`: `every_member`, `deterministic`, `order_independent`, as
/// [`StateLaw`](crate::testing::StateLaw) says. Before the semicolon may stand what makes a random group one of the strategy's kind.
///
/// ```
/// # use divvy_guest::prelude::*;
/// # fn assign(group: &StateGroup, states: &mut States) -> Result<(), Refusal> { Ok(()) }
/// divvy_guest::state_laws! {
///     assign, |group| group.metadata(|id| format!("{id} can cook"));
///     every_member, deterministic, order_independent
/// }
/// ```
#[macro_export]
macro_rules! state_laws {
    ($assign:expr; $($laws:tt)*) => { $crate::state_laws! { $assign, |group| group; $($laws)* } };
    ($assign:expr, $with:expr; $($law:ident),+ $(,)?) => {
        $(
            #[test]
            fn $law() {
                $crate::testing::hold_states($assign, $crate::testing::named_states::$law(), $with);
            }
        )+
    };
}

/// The laws as `state_laws!` writes them.
pub mod named_states {
    #![allow(missing_docs, reason = "each is the law of its name")]
    use super::super::StateLaw;

    pub const fn every_member() -> StateLaw {
        StateLaw::EveryMember
    }
    pub const fn deterministic() -> StateLaw {
        StateLaw::Deterministic
    }
    pub const fn order_independent() -> StateLaw {
        StateLaw::OrderIndependent
    }
}

/// The laws as `laws!` writes them.
pub mod named {
    #![allow(missing_docs, reason = "each is the law of its name")]
    use super::super::Law;

    pub const fn complete() -> Law {
        Law::Complete
    }
    pub const fn disjoint() -> Law {
        Law::Disjoint
    }
    pub const fn subscribed() -> Law {
        Law::Subscribed
    }
    pub const fn balanced(most: usize) -> Law {
        Law::Balanced(most)
    }
    pub const fn balanced_by_topic() -> Law {
        Law::BalancedByTopic
    }
    pub const fn copartitioned() -> Law {
        Law::Copartitioned
    }
    pub const fn sticky() -> Law {
        Law::Sticky
    }
    pub const fn fixed_point() -> Law {
        Law::FixedPoint
    }
    pub const fn order_independent() -> Law {
        Law::OrderIndependent
    }
    pub const fn cooperative_safe() -> Law {
        Law::CooperativeSafe
    }
    pub const fn copies(copies: usize) -> Law {
        Law::Copies(copies)
    }
    pub const fn racks() -> Law {
        Law::Racks
    }
}
