//! A report in a terminal: for each strategy its steps, and in the end all of them side by side.

use crate::cli::output::{Output, Tone, counted, plain, table};
use crate::whatif::Report;
use crate::whatif::report::{Cost, Played, StepReport, Total};

/// A longer step is cut here; JSON and the page have it whole.
const LONGEST_TITLE: usize = 40;

/// More failures and remarks of one strategy than these are counted.
const MOST_REMARKS: usize = 12;

/// All of it.
pub fn text(report: &Report, output: &Output) -> String {
    let size = report.start;
    let mut parts = vec![format!(
        "{}, {} of {}{}; time without an owner by the model's times (--help)",
        counted(size.members, "member"),
        counted(size.partitions, "partition"),
        counted(size.topics, "topic"),
        report.seed.map(|seed| format!("; random life of seed {seed}")).unwrap_or_default()
    )];
    parts.extend(report.modules.iter().map(|played| of_one(played, output)));
    parts.push(in_all(report));
    parts.push(output.tone(Tone::Faint, &format!("not played: {}", report.left_out.join("; "))));
    parts.join("\n\n")
}

const STEPS: [&str; 12] =
    ["STEP", "WHAT", "REBAL", "MOVED", "STAYED", "NEW", "HAS", "TOPIC", "RACKS", "UNOWNED", "LEFT", "CALLS"];

fn of_one(played: &Played, output: &Output) -> String {
    let kind =
        if played.protocol_type == "consumer" { String::new() } else { format!(", type {}", played.protocol_type) };
    let digest = played.digest.as_ref().and_then(|digest| digest.get(..8)).map(|it| format!(", module {it}"));
    let fallback = played.fallback.as_ref().map(|it| format!(", fall-back {it}")).unwrap_or_default();
    let (name, protocol, mode) = (&played.module, &played.protocol, played.mode);
    let head = format!("{name}: {protocol}{kind}, {mode}{}{fallback}", digest.unwrap_or_default());
    let rows = played.steps.iter().enumerate().map(|(number, step)| row(number, step));
    let mut lines = vec![plain(&head), table(&STEPS, rows)];
    let of_step = |(number, step): (usize, &StepReport)| {
        let all = step.faults.iter().chain(&step.notes);
        all.map(|text| format!("step {number}: {text}")).collect::<Vec<_>>()
    };
    let remarks: Vec<String> =
        played.warnings.iter().cloned().chain(played.steps.iter().enumerate().flat_map(of_step)).collect();
    lines.extend(remarks.iter().take(MOST_REMARKS).map(|text| output.tone(Tone::Bad, &plain(text))));
    if remarks.len() > MOST_REMARKS {
        lines.push(format!("and {} more: --json has all", remarks.len() - MOST_REMARKS));
    }
    lines.join("\n")
}

fn row(number: usize, step: &StepReport) -> Vec<String> {
    let after = &step.after;
    let what = match step.title.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => format!("{}…", &step.title[..end]),
        None => step.title.clone(),
    };
    let has = match &after.active {
        Some(active) => format!("active {active}"),
        None => format!("{}-{}", after.least, after.most),
    };
    vec![
        number.to_string(),
        what,
        step.rebalances.to_string(),
        step.moved.to_string(),
        step.moved_from_present.to_string(),
        step.new.to_string(),
        has,
        after.topic_spread.to_string(),
        count_or_dash(after.rack_mismatches),
        seconds(step.unowned_ms),
        after.unowned.to_string(),
        cost(&step.cost),
    ]
}

const TOTALS: [&str; 9] = ["IN ALL", "HAND-OVER", "REBAL", "MOVED", "STAYED", "UNOWNED", "WORST", "FAILED", "CALLS"];

fn in_all(report: &Report) -> String {
    let row = |played: &Played| {
        let Total { worst_difference, worst_topic_spread, worst_rack_mismatches, .. } = played.total;
        let racks = worst_rack_mismatches.map(|count| format!(", {count} in a wrong rack")).unwrap_or_default();
        vec![
            played.module.clone(),
            played.mode.to_owned(),
            played.total.rebalances.to_string(),
            played.total.moved.to_string(),
            played.total.moved_from_present.to_string(),
            seconds(played.total.unowned_ms),
            format!("{worst_difference} apart, {worst_topic_spread} in a topic{racks}"),
            played.total.faults.to_string(),
            cost(&played.total.cost),
        ]
    };
    let legend = "MOVED partitions came from another member, STAYED of them from one that is still there; HAS is the fewest and \
                  the most of a member, TOPIC the spread within one topic, RACKS partitions in a wrong rack, UNOWNED \
                  partition-seconds without an owner, LEFT partitions without one at the end. IN ALL leaves step 0 out";
    format!("{}\n{legend}", table(&TOTALS, report.modules.iter().map(row)))
}

fn count_or_dash(count: Option<usize>) -> String {
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}

fn seconds(ms: u64) -> String {
    format!("{}.{}", ms / 1_000, ms % 1_000 / 100)
}

fn cost(cost: &Cost) -> String {
    if cost.calls == 0 {
        return "-".to_owned();
    }
    let ms = cost.ms.map(|ms| format!(" {ms:.2} ms")).unwrap_or_default();
    let memory = cost.memory_bytes.map(|bytes| format!(" {} KiB", bytes / 1_024)).unwrap_or_default();
    format!("{}×{ms} {}→{} B{memory}", cost.calls, cost.request_bytes, cost.reply_bytes)
}
