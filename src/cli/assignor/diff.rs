//! `divvy assignor diff`: another module is asked what was captured, and its plans are held against those that were made.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use clap::Args;
use divvy_guest::abi::names;
use serde_json::{Value, json};

use super::captured::{self, Asked, Strategies};
use crate::assignor::capture::{Capture, had};
use crate::assignor::{Assignor, CallError, LeaderInput, Plan, Spoken, lead};
use crate::cli::comparison;
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, Tone, plain, table};
use crate::ids::{MemberId, Mode};
use crate::lead::Comparison;
use crate::lead::compare::{StateRow, compare, compare_states};
use crate::membership::config::CONSUMER;

/// What one plan may take here: nobody waits for it, and the machine may be slower than the one that was recorded.
const BUDGET: Duration = Duration::from_secs(60);

/// `--against`: the plan that the generation got.
const RECORDED: &str = "recorded";

/// A state is shown as far as it fits into a table.
const SHOWN_CHARACTERS: usize = 60;

/// A capture is one rebalance, and under a cooperative name a move takes two.
const GIVEN_UP_FIRST: &str =
    "under a cooperative name what moves is given up first: until the next rebalance it has no owner";

const EXIT_CODES: &str = "\
Exit codes:
  0  compared, whatever differs
  1  a module gave no plan for a capture: the others are compared
  2  usage: a file is no capture, or damaged, or cannot be read, or the modules serve another kind of group; or states were to be drawn
  4  not found: no such file, or no folder that was named has any captures
What cannot be compared is said, and the others are; the code is of the worst: 1, then 2, then 4.";

/// Ask another module what was captured, and compare the plans
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES, override_usage = "divvy assignor diff <CAPTURE>... <NEW.wasm> [OPTIONS]")]
pub struct Diff {
    /// Captures, or folders of them; then the module to ask
    #[arg(required = true, num_args = 2.., value_names = ["CAPTURE", "NEW.wasm"])]
    files: Vec<PathBuf>,
    /// What to compare with: the recorded plan, or that of another module
    #[arg(long, value_name = "OLD.wasm|recorded", default_value = RECORDED)]
    against: PathBuf,
    /// Draw it, of partitions: members × partitions, what moves in colour; of several captures a file each, numbered
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// The new module's settings [default: the recorded ones, if it has the recorded module's name]
    #[arg(long, value_name = "JSON", value_parser = settings)]
    config: Option<Value>,
}

fn settings(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("write a map, such as '{\"copies\": 2}'".to_owned()),
        Err(error) => Err(format!("{error}: write JSON, such as '{{\"copies\": 2}}'")),
    }
}

/// The two that are compared.
struct Sides {
    /// None for the recorded plan.
    old: Option<Asked>,
    new: Asked,
}

/// One capture, compared.
struct Compared {
    /// Partitions.
    plan: Option<Comparison>,
    /// Of another kind of group.
    states: Vec<StateRow>,
    /// How many partitions each plan takes from somebody who said that it had them.
    moves: Option<(usize, usize)>,
    /// What the new strategy has to say.
    warnings: Vec<String>,
}

impl Diff {
    /// Prints what differs, a capture at a time, and the sum of it.
    pub fn run(self, output: &Output) -> Result<()> {
        // There are two at least.
        let (module, captures) = self.files.split_last().ok_or_else(|| Failure::of(Kind::Usage, "name a module"))?;
        let (files, mut errors) = captured::files_of(captures, &json!({}), output)?;
        if files.is_empty() {
            return Failure::ended(&errors, output);
        }
        let mut strategies = Strategies::new()?;
        let new = strategies.load(module)?;
        let shares = &new.strategy().manifest().protocol_type;
        if self.svg.is_some() && shares != CONSUMER {
            let text = format!("groups of type {shares} have states, and only partitions are drawn: leave --svg out");
            return Err(Failure::of(Kind::Usage, text));
        }
        let old = match self.against == Path::new(RECORDED) {
            true => None,
            false => Some(strategies.load(&self.against)?),
        };
        let sides = Sides { old, new };
        let mut sum = Sum::default();
        for (number, path) in (1..).zip(&files) {
            // A file that is damaged is no reason to leave out the others.
            let read = captured::read(path).and_then(|capture| sides.fit(&capture, path).map(|()| capture));
            let capture = match read {
                Ok(capture) => capture,
                Err(error) => {
                    errors.push(captured::skipped(path, &error, &json!({}), output)?);
                    continue;
                }
            };
            match sides.compare(&capture, self.config.as_ref()) {
                Ok(compared) => {
                    let drawn = self.draw(&sides, &capture, &compared, (number, files.len()))?;
                    sum.add(&compared);
                    tell(path, &capture, &sides, &compared, drawn.as_deref(), output)?;
                }
                Err(error) => {
                    let error = Failure::of_strategy(path.display(), error);
                    let why = format!("{error:#}");
                    // Why is said at the end.
                    let shown = path.display().to_string();
                    let said = || format!("{}  {}", output.tone(Tone::Bad, "NO PLAN"), plain(&shown));
                    output.print(&json!({ "capture": crate::text::path(path), "why": why }), said)?;
                    errors.push(error);
                }
            }
        }
        if files.len() > 1 {
            output.print(&json!({ "total": sum.document() }), || sum.text())?;
        }
        Failure::ended(&errors, output)
    }

    fn draw(
        &self,
        sides: &Sides,
        capture: &Capture,
        compared: &Compared,
        of: (usize, usize),
    ) -> Result<Option<PathBuf>> {
        let (Some(path), Some(plan)) = (&self.svg, &compared.plan) else { return Ok(None) };
        let path = numbered(path, of);
        let asked = &capture.asked;
        let [old, new] = [sides.old_name(capture), name_of(&sides.new)];
        let title = format!("{} generation {}: {new} against {old}", asked.group, asked.generation);
        comparison::draw(plan, &title, &path)?;
        Ok(Some(path))
    }
}

/// `plan.svg` of the third of several captures is `plan-3.svg`.
fn numbered(path: &Path, (number, count): (usize, usize)) -> PathBuf {
    if count == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let suffix = path.extension().map_or_else(String::new, |it| format!(".{}", it.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{suffix}"))
}

fn name_of(asked: &Asked) -> String {
    let strategy = asked.strategy();
    let digest = strategy.digest().map(|it| format!(" ({})", it.short())).unwrap_or_default();
    format!("{}{digest}", strategy.manifest().protocol())
}

impl Sides {
    fn old_name(&self, capture: &Capture) -> String {
        match &self.old {
            Some(old) => name_of(old),
            None if capture.fault.is_some() => format!("the recorded plan (by {})", capture.served.by),
            None => format!("the recorded plan of {}", capture.module),
        }
    }

    /// Whether both serve this kind of group.
    fn fit(&self, capture: &Capture, path: &Path) -> Result<()> {
        for side in self.old.iter().chain([&self.new]) {
            let (serves, is) = (&side.strategy().manifest().protocol_type, &capture.asked.protocol_type);
            if *serves != is.as_str() {
                let (name, shown) = (name_of(side), path.display());
                let text =
                    format!("{name} serves groups of type {serves:?}, and {shown} is of one of type {:?}", is.as_str());
                return Err(Failure::of(Kind::Usage, text));
            }
        }
        Ok(())
    }

    fn compare(&self, capture: &Capture, config: Option<&Value>) -> Result<Compared, CallError> {
        let after = ask(&self.new, capture, config)?;
        let before = match &self.old {
            Some(old) => ask(old, capture, None)?.states,
            None => capture.served.states.clone(),
        };
        let asked = &capture.asked;
        let mut warnings: Vec<String> = after.warnings().map(str::to_owned).collect();
        let lacks = |need: &&String| *need != names::REPLICA_RACKS && !asked.columns.iter().any(|it| it.name == **need);
        warnings.extend(self.new.strategy().manifest().needs.iter().filter(lacks).map(|need| {
            format!("it reads {need}, which was not recorded: it counts as unknown of every partition here")
        }));
        if asked.protocol_type != CONSUMER {
            let states = compare_states(&asked.protocol_type, &before, &after.states);
            return Ok(Compared { plan: None, states, moves: None, warnings });
        }
        let against = |before: &[(MemberId, Bytes)], after: &[(MemberId, Bytes)]| {
            let members = asked.members.iter().map(|member| (member.id.to_string(), member));
            compare(members, (before, after), &Spoken::default(), &asked.topics)
        };
        let had = had(&asked.input());
        let moves = (!had.is_empty()).then(|| (against(&had, &before).moved, against(&had, &after.states).moved));
        Ok(Compared { plan: Some(against(&before, &after.states)), states: Vec::new(), moves, warnings })
    }
}

/// The settings of one strategy mean nothing to another.
fn ask(side: &Asked, capture: &Capture, config: Option<&Value>) -> Result<Plan, CallError> {
    let strategy: &dyn Assignor = side.strategy();
    let recorded = Some(&capture.asked.config).filter(|_| strategy.manifest().name == capture.module.name);
    let config = config.or(recorded).unwrap_or(&Value::Null);
    lead(strategy, &LeaderInput { config, budget_ms: BUDGET, ..capture.asked.input() })
}

fn tell(
    path: &Path,
    capture: &Capture,
    sides: &Sides,
    compared: &Compared,
    drawn: Option<&Path>,
    output: &Output,
) -> Result<()> {
    let asked = &capture.asked;
    let [old, new] = [sides.old_name(capture), name_of(&sides.new)];
    let mut document = match &compared.plan {
        Some(plan) => comparison::document(plan),
        None => json!({ "states": compared.states.iter().map(state).collect::<Vec<_>>() }),
    };
    if let Value::Object(document) = &mut document {
        for (key, value) in [
            ("capture", json!(crate::text::path(path))),
            ("group", json!(asked.group)),
            ("generation", json!(asked.generation)),
            ("protocol", json!(asked.protocol)),
            ("protocol_type", json!(asked.protocol_type)),
            ("old", json!(old)),
            ("new", json!(new)),
            ("takes_from_members", json!(compared.moves.map(|(old, new)| json!({ "before": old, "after": new })))),
            ("warnings", json!(compared.warnings)),
            ("picture", json!(drawn.map(crate::text::path))),
        ] {
            document.insert(key.to_owned(), value);
        }
    }
    output.print(&document, || {
        let head = format!("{}: {} generation {}, {new} against {old}", path.display(), asked.group, asked.generation);
        let mut parts = vec![plain(&head)];
        match &compared.plan {
            Some(plan) => {
                parts.extend(partitions(plan, compared.moves));
                if asked.mode == Mode::Cooperative && plan.unowned != (0, 0) {
                    parts.push(GIVEN_UP_FIRST.to_owned());
                }
            }
            None => parts.push(states(&compared.states)),
        }
        parts.extend(compared.warnings.iter().map(|it| output.tone(Tone::Bad, &plain(&format!("it warns: {it}")))));
        parts.extend(drawn.map(|path| plain(&format!("drawn in {}", path.display()))));
        parts.join("\n") + "\n"
    })
}

fn partitions(plan: &Comparison, moves: Option<(usize, usize)>) -> Vec<String> {
    let mut parts = vec![comparison::members(plan, ["OLD", "NEW"])];
    if plan.sizes.len() > 1 {
        parts.push(comparison::topics(plan));
    }
    if plan.changes_nothing() {
        parts.push("both plans are the same".to_owned());
        return parts;
    }
    parts.push(comparison::between(plan));
    parts.extend(moves.map(|(old, new)| {
        format!("from members that had them the old plan takes {old} partitions, the new one {new}")
    }));
    parts
}

fn state(row: &StateRow) -> Value {
    json!({
        "member": row.member,
        "equal": row.is_equal,
        "bytes": { "before": row.bytes.0, "after": row.bytes.1 },
        "before": row.shown.0,
        "after": row.shown.1,
    })
}

fn states(rows: &[StateRow]) -> String {
    let cut = |value: &Value| {
        let text = value.to_string();
        match text.chars().count() > SHOWN_CHARACTERS {
            true => text.chars().take(SHOWN_CHARACTERS - 1).chain(['…']).collect(),
            false => text,
        }
    };
    let line = |row: &StateRow| {
        let same = if row.is_equal { "yes" } else { "no" };
        let bytes = format!("{} → {}", row.bytes.0, row.bytes.1);
        vec![row.member.to_string(), same.to_owned(), bytes, cut(&row.shown.0), cut(&row.shown.1)]
    };
    let equal = rows.iter().filter(|row| row.is_equal).count();
    let table = table(&["MEMBER", "SAME", "BYTES", "OLD", "NEW"], rows.iter().map(line));
    format!("{table}\nof {} members {equal} get the same state", rows.len())
}

/// All captures together.
#[derive(Default)]
struct Sum {
    captures: usize,
    same: usize,
    moved: usize,
    takes: (usize, usize),
    /// The widest spread of a plan.
    widest: (usize, usize),
    deviation: (f64, f64),
}

impl Sum {
    fn add(&mut self, compared: &Compared) {
        self.captures += 1;
        let Some(plan) = &compared.plan else {
            self.same += usize::from(compared.states.iter().all(|row| row.is_equal));
            return;
        };
        self.same += usize::from(plan.changes_nothing());
        self.moved += plan.moved;
        let (old, new) = compared.moves.unwrap_or_default();
        self.takes = (self.takes.0 + old, self.takes.1 + new);
        let (before, after) = plan.balance();
        self.widest = (self.widest.0.max(before.most - before.least), self.widest.1.max(after.most - after.least));
        self.deviation = (self.deviation.0.max(before.deviation), self.deviation.1.max(after.deviation));
    }

    fn document(&self) -> Value {
        json!({
            "captures": self.captures,
            "same": self.same,
            "moved": self.moved,
            "takes_from_members": { "before": self.takes.0, "after": self.takes.1 },
            "widest_spread": { "before": self.widest.0, "after": self.widest.1 },
            "largest_deviation": { "before": self.deviation.0, "after": self.deviation.1 },
        })
    }

    fn text(&self) -> String {
        format!(
            "of {} captures {} have the same plan; {} partitions go elsewhere; from members that had them the old plans take {}, \
             the new ones {}; the widest spread is {} of the old, {} of the new",
            self.captures, self.same, self.moved, self.takes.0, self.takes.1, self.widest.0, self.widest.1
        )
    }
}
