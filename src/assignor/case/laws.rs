//! Laws of cases and of random groups: what an author promises of every plan, tried on whatever runs the strategy.

use std::time::Duration;

use divvy_guest::testing::{Entry, Law, NoPlan, StateLaw, TestGroup, TestMember, TestPlan, TestStates, TestStatesPlan};
use serde_json::{Map, Value};

use super::Case;
use super::given::Given;
use super::ground::Ground;
use super::read::optional;
use crate::assignor::manifest::{Copies, Mode};
use crate::assignor::{Assignor, Budget, Export, Manifest};

/// The keys of a file and of a case.
pub(super) const LAWS: &str = "laws";
pub(super) const GROUPS: &str = "groups";

/// The keys of the latter.
pub(super) const GROUP_KEYS: [&str; 4] = ["alike", "config", "facts", "may_refuse"];

/// What one call of a small group may use.
const BUDGET: Budget = Budget { deadline: Duration::from_secs(1), max_output: 16 << 20 };

const A_LIST: &str = r#"a list of laws, such as ["balanced(1)", "sticky"]"#;

/// On which random groups the laws of a file are tried.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Groups {
    /// Whether all members read all topics.
    pub alike: bool,
    /// The strategy's settings.
    pub config: Vec<(String, Entry)>,
    /// Facts, each with the values that members may have; none for a member that does not tell it.
    pub facts: Vec<(String, Vec<Option<Entry>>)>,
    /// Codes of refusals that are right answers: a strategy need not be able to plan every group.
    pub may_refuse: Vec<String>,
}

impl Groups {
    /// A random group of states as one of these.
    pub fn shape_states(&self, group: TestStates) -> TestStates {
        self.config.iter().fold(group, |group, (name, value)| group.config(name, value.clone()))
    }

    /// A random group as one of these.
    pub fn shape(&self, group: TestGroup) -> TestGroup {
        let mut group = if self.alike { group.all_read_everything() } else { group };
        for (name, values) in &self.facts {
            let value = |id: &str| values.get(turn(id, name).checked_rem(values.len())?)?.clone();
            group = match values.iter().cloned().collect::<Option<Vec<Entry>>>() {
                // Everybody tells it, in smaller groups too.
                Some(all) if !all.is_empty() => group.facts(name, |id| all[turn(id, name) % all.len()].clone()),
                _ => group.some_facts(name, value),
            };
        }
        self.config.iter().fold(group, |group, (name, value)| group.config(name, value.clone()))
    }

    pub(super) fn read(file: &Map<String, Value>) -> Result<Self, String> {
        const EXAMPLE: &str =
            r#"an object, such as {"alike": true, "config": {"strict": true}, "facts": {"spare": [true, null]}}"#;
        let object = |value: &Value| value.as_object().cloned();
        let Some(groups) = optional(file, GROUPS, EXAMPLE, object)? else { return Ok(Self::default()) };
        super::read::known_keys(&groups, &GROUP_KEYS, "\"groups\"")?;
        let config = optional(&groups, "config", "an object, as under [[group]] config", object)?.unwrap_or_default();
        Ok(Self {
            alike: optional(&groups, "alike", "true or false", Value::as_bool)?.unwrap_or_default(),
            config: entries(config.iter()),
            facts: optional(&groups, "facts", r#"lists of values, such as {"spare": [true, null]}"#, facts)?
                .unwrap_or_default(),
            may_refuse: optional(
                &groups,
                "may_refuse",
                r#"a list of codes, such as ["no_full_reader"]"#,
                list_of_texts,
            )?
            .unwrap_or_default(),
        })
    }
}

fn list_of_texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|code| code.as_str().map(str::to_owned)).collect()
}

fn facts(value: &Value) -> Option<Vec<(String, Vec<Option<Entry>>)>> {
    let of = |(name, values): (&String, &Value)| Some((name.clone(), values.as_array()?.iter().map(entry).collect()));
    value.as_object()?.iter().map(of).collect()
}

/// Which of a fact's values a member has: always the same, so that it stays when the group is made smaller.
fn turn(id: &str, fact: &str) -> usize {
    id.bytes().chain(fact.bytes()).fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
}

/// The laws of a case: those of partitions.
pub(super) fn laws(object: &Map<String, Value>) -> Result<Vec<Law>, String> {
    let names = texts(object)?;
    names.iter().map(|name| Law::parse(name).ok_or_else(|| unknown(name, &law_names()))).collect()
}

/// The laws of a file, each one that there is; which of them can be asked says the strategy's shape.
pub(super) fn names(file: &Map<String, Value>) -> Result<Vec<String>, String> {
    let names = texts(file)?;
    let is_known = |name: &&String| Law::parse(name).is_some() || StateLaw::parse(name).is_some();
    match names.iter().find(|name| !is_known(name)) {
        None => Ok(names),
        Some(name) => {
            let of_states = StateLaw::ALL.iter().map(|law| law.name().to_owned());
            let of_states: Vec<String> = of_states.filter(|name| Law::parse(name).is_none()).collect();
            Err(unknown(name, &[law_names(), of_states].concat()))
        }
    }
}

fn texts(object: &Map<String, Value>) -> Result<Vec<String>, String> {
    Ok(optional(object, LAWS, A_LIST, list_of_texts)?.unwrap_or_default())
}

fn law_names() -> Vec<String> {
    Law::ALL.iter().map(Law::to_string).collect()
}

fn unknown(name: &str, names: &[String]) -> String {
    format!("there is no law {name:?}: there are {}", names.join(", "))
}

/// What the host demands of every plan of such a strategy.
pub fn demanded(manifest: &Manifest) -> Vec<Law> {
    let complete = manifest.complete.then_some(Law::Complete);
    complete.into_iter().chain([Law::Disjoint, Law::Subscribed]).collect()
}

/// A group as the host asks a strategy with that manifest: its mode, its copies.
pub fn as_asked(manifest: &Manifest, group: TestGroup) -> TestGroup {
    let group = match manifest.mode_under(&manifest.protocol(), None) {
        Mode::Cooperative => group.cooperative(),
        Mode::Eager => group,
    };
    match manifest.copies {
        Copies::Many => group.copies(),
        Copies::One => group,
    }
}

/// Has a strategy plan a group, wherever it runs.
pub fn plan(assignor: &dyn Assignor, group: &TestGroup) -> Result<TestPlan, NoPlan> {
    let reply = assignor.call(Export::Assign, &group.request(), BUDGET);
    group.read(&reply.map_err(|fault| NoPlan::Failed(fault.to_string()))?)
}

/// The same for states.
pub fn plan_states(assignor: &dyn Assignor, group: &TestStates) -> Result<TestStatesPlan, NoPlan> {
    let reply = assignor.call(Export::Assign, &group.request(), BUDGET);
    group.read(&reply.map_err(|fault| NoPlan::Failed(fault.to_string()))?)
}

impl Case {
    /// Holds a strategy against the case's own laws.
    pub(super) fn check_laws(&self, assignor: &dyn Assignor) -> Result<(), String> {
        let group = as_asked(assignor.manifest(), test_group(&self.ground, &self.given, &self.config));
        let planner = |group: &TestGroup| plan(assignor, group);
        self.laws.iter().try_for_each(|law| law.check(&group, &planner).map_err(|broken| format!("law {broken}")))
    }
}

/// The group of a case as the laws look at it. Claims of an older generation than the newest are of what was given up since.
fn test_group(ground: &Ground, given: &Given, config: &Value) -> TestGroup {
    let newest = ground.newest_generation();
    let mut group = TestGroup::new().generation(newest.saturating_add(1).max(1));
    for (name, topic) in &ground.topics {
        group = match &topic.racks {
            Some(racks) => group.topic_with_racks(name, racks.clone()),
            None => group.topic(name, topic.partitions),
        };
    }
    for of in &ground.members {
        let mut member = TestMember::new(&of.id).reads(&of.topics).rack(of.rack().unwrap_or_default());
        if let Some(instance_id) = &of.instance_id {
            member = member.instance_id(instance_id);
        }
        for (topic, numbers) in of.owned.iter().filter(|_| of.generation == newest) {
            member = member.owned(topic, numbers.iter().filter_map(|number| u32::try_from(*number).ok()));
        }
        let facts = given.facts.get(&of.id).into_iter().flatten();
        let weight = of.weight.iter().map(|weight| ("weight".to_owned(), weight.clone()));
        let facts = facts.map(|(name, value)| (name.clone(), value.clone())).chain(weight);
        for (name, value) in entries(facts.collect::<Vec<_>>().iter().map(|(name, value)| (name, value))) {
            member = member.fact(&name, value);
        }
        group = group.member(member);
    }
    for (name, value) in entries(config.as_object().into_iter().flatten()) {
        group = group.config(&name, value);
    }
    match &given.memo {
        Some(memo) => group.memo(memo.to_vec()),
        None => group,
    }
}

fn entries<'v>(values: impl Iterator<Item = (&'v String, &'v Value)>) -> Vec<(String, Entry)> {
    values.filter_map(|(name, value)| Some((name.clone(), entry(value)?))).collect()
}

/// None for null: a setting that is not set.
fn entry(value: &Value) -> Option<Entry> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => Entry::Flag(*flag),
        Value::Number(number) => Entry::Number(number.as_f64()?),
        Value::String(text) => Entry::Text(text.clone()),
        Value::Array(list) => Entry::List(list.iter().filter_map(entry).collect()),
        Value::Object(map) => Entry::Map(entries(map.iter())),
    })
}
