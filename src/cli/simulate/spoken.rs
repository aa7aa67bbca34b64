//! `--fact`: what the operator says of members, whoever of them is there at the beginning or joins later. A fact that is said
//! of nobody is a mistake: a life without it would look right.

use bytes::Bytes;
use serde_json::Value;

use crate::assignor::{MemberInput, Spoken};
use crate::ids::{InstanceId, MemberId};
use crate::whatif::{Happening, Spec, Step};

/// Facts, and which of them somebody was there for.
pub struct Spokesman {
    all: Spoken,
    each: Vec<Said>,
}

/// One of them.
struct Said {
    /// As it was typed: `big-*:weight=4`.
    text: String,
    spoken: Spoken,
    was_heard: bool,
}

impl Spokesman {
    /// Of these: a pattern of members, a fact's name and its value.
    pub fn new<'a>(facts: impl Iterator<Item = (&'a str, &'a str, &'a Value)>) -> Self {
        let (mut all, mut each) = (Spoken::default(), Vec::new());
        for (member, name, value) in facts {
            let mut spoken = Spoken::default();
            spoken.add(member, name, value.clone());
            all.add(member, name, value.clone());
            each.push(Said { text: format!("{member}:{name}={value}"), spoken, was_heard: false });
        }
        Self { all, each }
    }

    /// What is said, after these members of a running group were there for it.
    pub fn among(&mut self, members: &[MemberInput]) -> &Spoken {
        for said in &mut self.each {
            said.was_heard |= members.iter().any(|member| !said.spoken.facts(member).is_empty());
        }
        &self.all
    }

    /// Says it for members of a life, by their names; what they say themselves comes before it.
    pub fn speak_for<'a>(&mut self, members: impl IntoIterator<Item = &'a mut Spec>) {
        for spec in members {
            let id = MemberId::from(spec.name.as_str());
            let instance = spec.is_static.then(|| InstanceId::from(spec.name.as_str()));
            let member = MemberInput { id, instance, metadata: Bytes::new() };
            for (name, value) in self.among(std::slice::from_ref(&member)).facts(&member) {
                spec.facts.entry(name).or_insert(value);
            }
        }
    }

    /// The same for those who join later.
    pub fn speak_in(&mut self, steps: &mut [Step]) {
        let happenings = steps.iter_mut().flat_map(|step| &mut step.happenings);
        self.speak_for(happenings.filter_map(|happening| match happening {
            Happening::Join(spec) => Some(spec),
            _ => None,
        }));
    }

    /// Whether each was said of somebody; else what is wrong.
    pub fn all_were_heard(&self) -> Result<(), String> {
        match self.each.iter().find(|said| !said.was_heard) {
            None => Ok(()),
            Some(said) => Err(format!(
                "--fact {}: no member of this life has such a name, nor joins later: write NAME or a pattern with `*` \
                 before the colon",
                said.text
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_said_of_members_and_of_who_joins_and_never_of_nobody() {
        let (three, four, x) = (json!(3), json!(4), json!("x"));
        let facts = [("m*", "weight", &three), ("m2", "rack", &x), ("late", "weight", &four)];
        let mut said = Spokesman::new(facts.into_iter());
        let mut members = [Spec::new("m1"), Spec::new("m2").with("weight", 9)];
        said.speak_for(&mut members);
        let expected = [Spec::new("m1").with("weight", 3), Spec::new("m2").with("weight", 9).with("rack", "x")];
        assert_eq!(members, expected);
        assert!(said.all_were_heard().unwrap_err().contains("--fact late:weight=4"));
        let mut steps = [Step { title: "join late".to_owned(), happenings: vec![Happening::Join(Spec::new("late"))] }];
        said.speak_in(&mut steps);
        assert_eq!(steps[0].happenings, [Happening::Join(Spec::new("late").with("weight", 4))]);
        assert_eq!(said.all_were_heard(), Ok(()));
    }
}
