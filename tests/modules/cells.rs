//! A sample of the grid of Kafka's newest benchmark of assignors, for every strategy: each cell gets a plan that keeps the rules,
//! and one where nothing happened gets the plan that it had. How long it takes is for `cargo xtask bench assignors --grid`.

use divvy::assignor::{EncodedPlan, check_plan};
use divvy_guest::testing::Dice;

use crate::grid::{AXES, Cell};
use crate::strategies::Strategies;

/// So many cells, other ones with another seed.
const CELLS: u64 = 60;
const SEED: u64 = 23_491;

/// Cells in which the members name more topics than this are for one strategy, in turn: most of the time of such a one is not the
/// strategy's.
const MANY_NAMES: u64 = 1_000_000;

/// What no group of the grid is for.
const ABOUT_SOMETHING_ELSE: [&str; 2] = ["composite", "copartition"];

#[test]
fn sixty_cells_of_the_grid_get_plans_from_every_strategy() {
    let strategies = Strategies::load(&[]).unwrap();
    let refusing = strategies.refusing.iter().filter(|(name, _)| !ABOUT_SOMETHING_ELSE.contains(name));
    assert_eq!(refusing.collect::<Vec<_>>(), Vec::<&(&str, String)>::new());
    let mut dice = Dice::new(SEED);
    for number in 0..CELLS as usize {
        let cell = Cell::at(dice.roll(Cell::count() as u64) as usize);
        let [members, topics]: [u64; 2] = [0, 1].map(|axis| AXES[axis][cell.0[axis]].parse().unwrap());
        let all = strategies.iter().count();
        let turn = if members * topics > MANY_NAMES { (number % all, 1) } else { (0, all) };
        for (name, module, config) in strategies.iter().skip(turn.0).take(turn.1) {
            let at = || format!("{name}, {cell}");
            let (group, last) = cell.group(&**module, config).unwrap_or_else(|error| panic!("{}: {error}", at()));
            let plan = group.plan(&**module).unwrap_or_else(|error| panic!("{}: {error}", at()));
            let members: Vec<_> = group.members.iter().map(|it| (it.id.clone(), it.metadata.clone())).collect();
            let encoded = EncodedPlan {
                protocol_type: group.input().protocol_type,
                members: &members,
                states: &plan.states,
                topics: &plan.topics,
                copies: plan.copies,
                complete: plan.complete,
                mode: plan.mode,
            };
            assert_eq!(check_plan(&encoded), Ok(()), "{}", at());
            if cell.is_stable() {
                assert!(
                    last.is_some_and(|last| last.states == plan.states),
                    "{}: nothing happened, yet it moves",
                    at()
                );
            }
        }
    }
}

#[test]
fn every_cell_has_the_topics_and_partitions_that_it_says() {
    for cell in Cell::all().step_by(17) {
        let world = cell.world(5, false);
        let said: [u64; 2] = [1, 2].map(|axis| AXES[axis][cell.0[axis]].parse().unwrap());
        assert_eq!([world.topics.len() as u64, world.partitions()], said, "{cell}");
        assert!(world.topics.is_sorted_by(|a, b| a + 1 >= *b) && world.topics.iter().all(|count| *count > 0), "{cell}");
    }
}
