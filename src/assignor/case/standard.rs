//! Groups of a standard size, by which strategies are compared: fresh, after one more has joined, after one has left.

use std::collections::BTreeMap;

use super::ground::{CaseMember, CaseTopic, Ground, owners};
use super::{Case, Shares, expectation, shares};
use crate::assignor::Assignor;

/// Racks in which members and replicas are, two of each partition.
const RACKS: usize = 3;

/// A member that has had nothing yet.
const NO_GENERATION: i32 = -1;

impl Case {
    /// A group whose members all read all topics, in three racks.
    pub fn standard(members: usize, topics: usize, partitions: u32) -> Case {
        let rack = |number: usize| format!("rack-{}", number % RACKS);
        let names: Vec<String> = (0..topics).map(|number| format!("topic-{number:04}")).collect();
        let racks: Vec<_> = (0..partitions as usize).map(|number| vec![rack(number), rack(number + 1)]).collect();
        let topic = CaseTopic { partitions, racks: Some(racks), ..CaseTopic::default() };
        let member = |number: usize| CaseMember {
            id: format!("member-{number:05}"),
            rack: Some(rack(number)),
            topics: names.clone(),
            generation: NO_GENERATION,
            ..CaseMember::default()
        };
        Case {
            ground: Ground {
                topics: names.iter().map(|name| (name.clone(), topic.clone())).collect(),
                members: (0..members).map(member).collect(),
            },
            ..Case::default()
        }
    }

    /// The group when everybody has taken over what they got.
    pub fn after(&self, shares: &Shares) -> Case {
        Case { ground: self.ground.after(shares), ..self.clone() }
    }

    /// The group without its last member.
    pub fn without_last(&self) -> Case {
        let mut case = self.clone();
        case.ground.members.pop();
        case
    }

    /// The group with the last member of another, which has nothing yet.
    pub fn with_last_of(&self, other: &Case) -> Case {
        let mut case = self.clone();
        let newcomer = other.ground.members.last().cloned();
        case.ground.members.extend(newcomer.map(|member| CaseMember {
            owned: BTreeMap::new(),
            generation: NO_GENERATION,
            ..member
        }));
        case
    }

    /// Who has what when nothing is withheld any more.
    pub fn settled(&self, assignor: &dyn Assignor) -> Result<Shares, String> {
        let plan = |ground: &Ground| {
            let plan = self.lead_on(ground, assignor).map_err(|fault| fault.with_code())?;
            shares(&plan)
        };
        let first = plan(&self.ground)?;
        expectation::converge(&self.ground, first, expectation::MOST_ROUNDS, plan)
    }

    /// Partitions that somebody else gets although their owner is still there.
    pub fn moves(&self, shares: &Shares) -> usize {
        let now = owners(shares);
        let last = self.ground.last_owners();
        last.iter().filter(|(at, id)| !now.get(*at).is_some_and(|owners| owners.contains(id))).count()
    }

    /// How many partitions the largest share has above the smallest.
    pub fn spread(&self, shares: &Shares) -> usize {
        let size = |id: &str| shares.get(id).map_or(0, |topics| topics.values().map(Vec::len).sum::<usize>());
        let sizes = || self.ground.members.iter().map(|member| size(&member.id));
        sizes().max().unwrap_or(0) - sizes().min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::native_range;

    #[test]
    fn one_joins_and_leaves_again() {
        let three = Case::standard(3, 2, 6);
        let shares = three.settled(native_range()).unwrap();
        assert_eq!((three.moves(&shares), three.spread(&shares)), (0, 0), "fresh");
        let left = three.after(&shares).without_last();
        let shares_left = left.settled(native_range()).unwrap();
        assert_eq!((left.moves(&shares_left), left.spread(&shares_left)), (2, 0), "partition 2 of each topic goes on");
        let joined = left.after(&shares_left).with_last_of(&three);
        let shares_joined = joined.settled(native_range()).unwrap();
        assert_eq!((joined.moves(&shares_joined), joined.members()), (6, 3));
    }
}
