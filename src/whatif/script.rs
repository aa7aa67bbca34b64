//! A life as a small text: one step a line.
//!
//! ```text
//! # Who is there; without these lines the command line says it, or a live group.
//! topic clicks partitions=12 racks=a,b,c
//! members 3 prefix=w racks=a,b,c
//! life
//! leave w3
//! partitions clicks 18
//! crash w1 ; join w4 rack=a weight=2      # at once
//! rolling-restart away=20s
//! ```

use std::collections::BTreeSet;

use serde_json::Value;

use super::cast::Cast;
use super::life::{Happening, Reads, Start, Step, crew};
use super::limits::{MAX_MEMBERS, MAX_STEPS};
use crate::embedded::user_data::Facts;
use crate::ids::TopicName;
use crate::topics::Topic;

mod line;
#[cfg(test)]
mod tests;

pub use line::parse_time;
use line::{Said, lags, reads, value};

/// What a line may say, for `--help`.
pub const GRAMMAR: &str = "\
Who is there (up to the line `life`; leave it out where --members or --from-group say it):
  topic NAME partitions=N [racks=A,B,C] [replicas=N]   replicas of partitions lie in the racks in turn
  members N [prefix=P] [racks=A,B,C] [OPTIONS]         P1 P2 …, in the racks in turn
  member NAME [OPTIONS]
Then one step a line; `;` between what happens at once:
  join NAME [OPTIONS]              leave NAME …            crash NAME … [back=TIME]
  back NAME …                      restart NAME … [away=TIME]
  rolling-restart [away=TIME]      lose-rack RACK          return-rack RACK
  topic NAME partitions=N …        drop-topic NAME         partitions TOPIC N
  facts NAME KEY=VALUE …           subscribe NAME TOPIC,… (or *)
  wait TIME                        lag TOPIC N,N,?         (how far behind: told with the next plan)
OPTIONS: rack=R, topics=T,…, static (a lasting name), any other KEY=VALUE is a fact (`weight=2`; null takes it back).
TIME: 500ms, 20s, 2m, or milliseconds. `#` begins a comment.";

/// A mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// The line, from 1; 0 if it is about the whole.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Reads a script. `start` is what the command line says; a script that says it, too, is refused.
pub fn read(text: &str, start: Option<Start>) -> Result<(Start, Vec<Step>), ScriptError> {
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.split('#').next().unwrap_or_default().trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let life = lines.iter().position(|(_, line)| *line == "life");
    let (declared, steps) = match life {
        Some(at) => (&lines[..at], &lines[at + 1..]),
        None => (&[][..], &lines[..]),
    };
    let mut lines_of_members = Vec::new();
    let start = match (declared, start) {
        ([], Some(start)) => start,
        ([(line, _), ..], Some(_)) => {
            let message = "this says who is there, and the command line does, too: strike one of both".to_owned();
            return Err(ScriptError { line: *line, message });
        }
        ([], None) => {
            let message = "nobody says who is there: begin with `topic` and `members` and then a line `life`, or use \
                           --members and --topics, or --from-group"
                .to_owned();
            return Err(ScriptError { line: 0, message });
        }
        (declared, None) => {
            let (start, lines) = declare(declared)?;
            lines_of_members = lines;
            start
        }
    };
    let mut cast = Cast::of_topics(&start.topics).map_err(|message| ScriptError { line: 0, message })?;
    for (at, spec) in start.members.iter().enumerate() {
        let line = lines_of_members.get(at).copied().unwrap_or(0);
        cast.apply(&Happening::Join(spec.clone())).map_err(|message| ScriptError { line, message })?;
    }
    if steps.len() > MAX_STEPS {
        let line = steps[MAX_STEPS].0;
        return Err(ScriptError { line, message: format!("{} steps: at most {MAX_STEPS} are played", steps.len()) });
    }
    let step = |(line, text): &(usize, &str)| {
        let wrong = |message| ScriptError { line: *line, message };
        let mut happenings = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            happenings.extend(happening(part).map_err(wrong)?);
        }
        happenings.iter().try_for_each(|it| cast.apply(it)).map_err(wrong)?;
        Ok(Step { title: (*text).to_owned(), happenings })
    };
    let steps = steps.iter().map(step).collect::<Result<_, _>>()?;
    Ok((start, steps))
}

/// Who is there, and for each member the line that says so.
fn declare(lines: &[(usize, &str)]) -> Result<(Start, Vec<usize>), ScriptError> {
    let (mut start, mut lines_of_members) = (Start::default(), Vec::new());
    let mut names = BTreeSet::new();
    for (line, text) in lines {
        let wrong = |message| ScriptError { line: *line, message };
        let mut said = Said::of(text);
        match said.verb {
            "topic" => {
                let (name, topic) = said.topic().map_err(wrong)?;
                if start.topics.0.contains_key(&name) {
                    return Err(wrong(format!("topic {name} is declared twice: strike one of the lines")));
                }
                start.topics.0.insert(name, topic);
            }
            "member" => {
                let name = said.one("member NAME").map_err(wrong)?;
                start.members.push(said.spec(name).map_err(wrong)?);
            }
            "members" => {
                let count = said.number("members N", MAX_MEMBERS as u64).map_err(wrong)? as usize;
                let prefix = said.take("prefix").unwrap_or("m").to_owned();
                let racks = said.racks();
                let model = said.spec(String::new()).map_err(wrong)?;
                start.members.extend(crew(&prefix, count, &racks, &model));
            }
            other => {
                let text = format!(
                    "`{other}` says nothing of who is there: write `topic`, `member` or `members`, and steps after the line `life`"
                );
                return Err(wrong(text));
            }
        }
        said.end().map_err(wrong)?;
        let added = &start.members[lines_of_members.len()..];
        if let Some(twice) = added.iter().find(|spec| !names.insert(spec.name.clone())) {
            return Err(wrong(format!("member {} is declared twice: strike one, or name one differently", twice.name)));
        }
        lines_of_members.resize(start.members.len(), *line);
    }
    Ok((start, lines_of_members))
}

fn happening(text: &str) -> Result<Vec<Happening>, String> {
    let mut said = Said::of(text);
    let happenings = match said.verb {
        "join" => {
            let name = said.one("join NAME")?;
            vec![Happening::Join(said.spec(name)?)]
        }
        "leave" => said.each("leave NAME …", Happening::Leave)?,
        "back" => said.each("back NAME …", Happening::Back)?,
        "crash" => {
            let back = said.time("back")?;
            said.each("crash NAME …", |name| Happening::Crash(name, back))?
        }
        "restart" => {
            let away = said.time("away")?;
            said.each("restart NAME …", |name| Happening::Restart(name, away))?
        }
        "rolling-restart" => vec![Happening::RollingRestart(said.time("away")?)],
        "lose-rack" => vec![Happening::LoseRack(said.one("lose-rack RACK")?)],
        "return-rack" => vec![Happening::ReturnRack(said.one("return-rack RACK")?)],
        "partitions" => {
            let name = TopicName::from(said.one("partitions TOPIC N")?);
            vec![Happening::Partitions(name, said.number("partitions TOPIC N", u64::from(u32::MAX))? as u32)]
        }
        "topic" => {
            let (name, topic) = said.topic()?;
            vec![Happening::NewTopic(name, topic)]
        }
        "drop-topic" => vec![Happening::DropTopic(said.one("drop-topic NAME")?.into())],
        "facts" => {
            let name = said.one("facts NAME KEY=VALUE …")?;
            let facts: Facts = said.keys.drain(..).map(|(key, text)| (key.to_owned(), value(text))).collect();
            if facts.is_empty() {
                return Err("no fact is named: write `facts NAME KEY=VALUE`, such as `facts w1 weight=2`".to_owned());
            }
            vec![Happening::Facts(name, facts)]
        }
        "subscribe" => {
            let name = said.one("subscribe NAME TOPIC,…")?;
            vec![Happening::Subscribe(name, reads(&said.one("subscribe NAME TOPIC,…")?))]
        }
        "lag" => {
            let name = TopicName::from(said.one("lag TOPIC N,N,?")?);
            vec![Happening::Lag(name, lags(&said.one("lag TOPIC N,N,?")?)?)]
        }
        "wait" => vec![Happening::Wait(parse_time(&said.one("wait TIME")?)?)],
        "member" | "members" | "life" => {
            return Err(format!(
                "`{}` belongs before the line `life`, which stands once; `join NAME` is a step",
                said.verb
            ));
        }
        other => return Err(format!("`{other}` is no step{}", nearest(other))),
    };
    said.end()?;
    Ok(happenings)
}

const VERBS: [&str; 15] = [
    "join",
    "leave",
    "crash",
    "back",
    "restart",
    "rolling-restart",
    "lose-rack",
    "return-rack",
    "topic",
    "drop-topic",
    "partitions",
    "facts",
    "subscribe",
    "lag",
    "wait",
];

fn nearest(word: &str) -> String {
    // At most every third letter is wrong, and capitals do not count.
    let word = word.to_lowercase();
    let scored = VERBS.iter().map(|verb| (strsim::damerau_levenshtein(&word, verb), *verb));
    match scored.min().filter(|(distance, verb)| *distance <= verb.len().div_ceil(3)) {
        Some((_, near)) => format!(": did you mean `{near}`? (one of {})", VERBS.join(", ")),
        None => format!(": write one of {}", VERBS.join(", ")),
    }
}

/// What happens, as a script says it.
pub(super) fn words(happening: &Happening) -> String {
    let away = |key: &str, ms: &Option<u64>| ms.map(|ms| format!(" {key}={ms}ms")).unwrap_or_default();
    match happening {
        Happening::Join(spec) => {
            let lasting = if spec.is_static { " static" } else { "" };
            let reads = match &spec.reads {
                Reads::All => String::new(),
                reads => format!(" topics={}", reads_words(reads)),
            };
            format!("join {}{lasting}{reads}{}", spec.name, facts_words(&spec.facts))
        }
        Happening::Leave(name) => format!("leave {name}"),
        Happening::Crash(name, back) => format!("crash {name}{}", away("back", back)),
        Happening::Back(name) => format!("back {name}"),
        Happening::Restart(name, ms) => format!("restart {name}{}", away("away", ms)),
        Happening::RollingRestart(ms) => format!("rolling-restart{}", away("away", ms)),
        Happening::Partitions(name, count) => format!("partitions {name} {count}"),
        Happening::NewTopic(name, topic) => {
            format!("topic {name} partitions={}{}", topic.partitions, racks_words(topic))
        }
        Happening::DropTopic(name) => format!("drop-topic {name}"),
        Happening::LoseRack(rack) => format!("lose-rack {rack}"),
        Happening::ReturnRack(rack) => format!("return-rack {rack}"),
        Happening::Facts(name, said) => format!("facts {name}{}", facts_words(said)),
        Happening::Subscribe(name, reads) => format!("subscribe {name} {}", reads_words(reads)),
        Happening::Lag(name, lags) => {
            let each = |lag: &Option<u64>| lag.map_or_else(|| "?".to_owned(), |lag| lag.to_string());
            format!("lag {name} {}", lags.iter().map(each).collect::<Vec<_>>().join(","))
        }
        Happening::Wait(ms) => format!("wait {ms}ms"),
    }
}

fn reads_words(reads: &Reads) -> String {
    match reads {
        Reads::All => "*".to_owned(),
        Reads::These(topics) => topics.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(","),
    }
}

/// The racks in turn, where each partition is in one.
fn racks_words(topic: &Topic) -> String {
    let firsts: Vec<&str> = topic.racks.iter().filter_map(|racks| racks.first().map(String::as_str)).collect();
    let turn = firsts.iter().skip(1).position(|rack| Some(rack) == firsts.first()).map_or(firsts.len(), |at| at + 1);
    if firsts.is_empty() { String::new() } else { format!(" racks={}", firsts[..turn].join(",")) }
}

/// A text stands as it is, unless it would be read as something else.
fn facts_words(facts: &Facts) -> String {
    let bare = |text: &str| !text.is_empty() && value(text) == text && !text.contains([' ', ';', '#']);
    let word = |value: &Value| match value {
        Value::String(text) if bare(text) => text.clone(),
        value => value.to_string(),
    };
    facts.iter().map(|(key, value)| format!(" {key}={}", word(value))).collect()
}
