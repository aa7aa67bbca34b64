//! What holds whatever happens, and a world to see it in.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The world around the machine: which children live, and what the member may work on.
#[derive(Default)]
struct World {
    alive: BTreeSet<(ChildId, Key)>,
    asked_to_end: BTreeSet<ChildId>,
    owned: BTreeSet<Key>,
    revoking: Option<Vec<Key>>,
    left: bool,
}

impl World {
    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            assert!(!self.left, "nothing is done after leaving");
            match action {
                Action::Start(id, order) => {
                    assert!(self.owned.contains(&order.key), "{} is not the member's", order.key);
                    assert!(self.alive.iter().all(|(_, key)| *key != order.key), "two children for {}", order.key);
                    self.alive.insert((id, order.key));
                }
                Action::Drain(id) | Action::Kill(id) => {
                    assert!(self.alive.iter().any(|(alive, _)| *alive == id), "{id} has ended");
                    self.asked_to_end.insert(id);
                }
                Action::HandOver => {
                    let given = self.revoking.take().expect("something was revoked");
                    let working = self.alive.iter().find(|(_, key)| given.contains(key));
                    assert!(working.is_none(), "{working:?} works on what was handed over");
                }
                Action::Leave(_) => {
                    assert!(self.alive.is_empty(), "children are left behind");
                    self.left = true;
                }
                Action::Tell(..) => {}
            }
        }
    }
}

proptest! {
    /// Whatever happens in whatever order: one child for one piece of work, nothing handed over while it is worked on,
    /// no child left behind, and a machine that has something to do says when.
    #[test]
    fn the_laws_hold(steps in prop::collection::vec((0u8..10, any::<u8>(), 0u64..40_000), 1..120), entropy in any::<u64>()) {
        let settings = Settings { ready_within: Some(Duration::from_secs(9)), max_restarts: Some(5), starts_at_once: 2, ..settings() };
        let (mut children, mut world) = (Children::new(settings, entropy), World::default());
        let mut now = Timestamp(0);
        for (what, which, wait) in steps {
            now = now + Duration::from_millis(wait);
            let some: Vec<i32> = (0..6).filter(|bit| which & (1 << bit) != 0).collect();
            let pick = world.alive.iter().nth(usize::from(which) % world.alive.len().max(1)).cloned();
            let event = match (what, pick) {
                (0 | 1, _) if world.revoking.is_none() => {
                    world.owned = some.iter().copied().map(key).collect();
                    each(&some)
                }
                (2 | 3, _) if world.revoking.is_none() => {
                    let keys: Vec<Key> = some.iter().copied().map(key).filter(|it| world.owned.contains(it)).collect();
                    keys.iter().for_each(|key| { world.owned.remove(key); });
                    world.revoking = Some(keys.clone());
                    Event::Revoked(keys)
                }
                (4, _) => {
                    let keys = std::mem::take(&mut world.owned).into_iter().chain(world.revoking.take().into_iter().flatten());
                    Event::Lost(keys.collect())
                }
                (5 | 6, Some((id, key))) => {
                    world.alive.remove(&(id, key));
                    Event::Ended(id, Exit::Code(1))
                }
                (7, Some((id, _))) => Event::Ready(id),
                (8, _) if which < 8 => Event::Stop,
                (9, _) if which == 0 => Event::Out("out".to_owned()),
                _ => Event::Tick,
            };
            let actions = children.handle(event, now);
            let starts = actions.iter().filter(|it| matches!(it, Action::Start(..))).count();
            world.perform(actions);
            let is_woken_for_more = starts == 2;
            prop_assert!(
                is_woken_for_more || children.next_deadline().is_none_or(|at| at > now),
                "it would be woken for nothing"
            );
            if world.left {
                return Ok(());
            }
        }
        // In the end all is given up, and all children end.
        let mut event = Event::Stop;
        for _ in 0..100 {
            world.perform(children.handle(event, now));
            if world.left {
                return Ok(());
            }
            let (id, key) = world.alive.pop_first().expect("only children keep it");
            prop_assert!(world.asked_to_end.contains(&id), "{key} runs on");
            event = Event::Ended(id, Exit::Code(0));
        }
        prop_assert!(false, "it never left");
    }
}
