//! Many different groups, the same on every machine.

use super::{TestGroup, TestMember};

/// A small generator of numbers (SplitMix64): the same seed, the same numbers.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for one seed.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number from 0 to below `sides`.
    ///
    /// # Panics
    /// When there are no sides.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    /// Brings things into another order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.roll(at as u64 + 1) as usize);
        }
    }
}

/// A small group: up to 6 topics of up to 12 partitions, some with racks, and up to 7 members, some static, some with racks, that all
/// read everything or each something.
pub fn random_group(seed: u64) -> TestGroup {
    const RACKS: [&str; 4] = ["", "r1", "r2", "r3"];
    let mut dice = Dice::new(seed);
    let mut group = TestGroup::new().seed(seed);
    let topics: Vec<String> = (0..dice.roll(7)).map(|number| format!("t{number}")).collect();
    let partitions = dice.roll(13);
    let replicas = 1 + dice.roll(3);
    let racks = dice.once_in(2);
    for topic in &topics {
        let partitions = if dice.once_in(2) { partitions } else { dice.roll(13) };
        let with_racks = racks && !dice.once_in(4);
        let mut replica_racks = |_| (0..replicas).map(|_| RACKS[1 + dice.roll(3) as usize]).collect::<Vec<_>>();
        group = match with_racks {
            true => group.topic_with_racks(topic, (0..partitions).map(&mut replica_racks).collect()),
            false => group.topic(topic, partitions as u32),
        };
    }
    let all_alike = dice.once_in(2);
    for number in 0..dice.roll(8) {
        let mut member = TestMember::new(format!("m{}", (number * 5) % 8));
        member = member.reads(topics.iter().filter(|_| all_alike || dice.once_in(2)));
        if dice.once_in(3) {
            member = member.instance_id(format!("i{}", (number * 3) % 8));
        }
        if racks {
            member = member.rack(RACKS[dice.roll(4) as usize]);
        }
        group = group.member(member);
    }
    group
}
