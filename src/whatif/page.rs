//! A report as one page for a browser: charts with a line for each strategy, and beside each the numbers that it shows. It
//! needs nothing but itself: no script, no font, no picture from elsewhere. It follows the reader's choice of light or dark,
//! and lines differ by dash and mark, too, so that nobody has to tell colours apart.

use std::fmt::Write;

use super::report::{Played, Report, StepReport};

mod chart;
#[cfg(test)]
mod tests;

use chart::Line;

const STYLE: &str = include_str!("page/style.css");

/// What a chart shows of a step; none where it is not known.
type Measure = fn(&StepReport) -> Option<f64>;

/// The charts: title, what it says, the number.
const CHARTS: [(&str, &str, Measure); 7] = [
    ("Partitions moved", "Partitions that came to a member while another had them last.", |step| {
        Some(step.moved as f64)
    }),
    (
        "Time without an owner",
        "Partition-seconds in which nobody ran a partition that somebody reads, by the times of the model.",
        |step| Some(step.unowned_ms as f64 / 1_000.0),
    ),
    (
        "Balance",
        "How many partitions the member with the most has more than the one with the least, after the step.",
        |step| Some((step.after.most - step.after.least) as f64),
    ),
    (
        "Spread within a topic",
        "The most that two readers of one topic differ by in what they have of it, after the step.",
        |step| Some(step.after.topic_spread as f64),
    ),
    (
        "Partitions in a wrong rack",
        "Partitions whose owner is in none of the racks of their replicas, after the step.",
        |step| step.after.rack_mismatches.map(|count| count as f64),
    ),
    ("Rebalances", "Generations that the step took.", |step| Some(step.rebalances as f64)),
    ("Time of the calls", "Milliseconds that the strategy ran, in its sandbox on this machine.", |step| step.cost.ms),
];

/// The page.
pub fn html(report: &Report, title: &str) -> String {
    let mut to = String::new();
    // To a string nothing fails.
    let _ = write(&mut to, report, title);
    to
}

fn write(to: &mut String, report: &Report, title: &str) -> std::fmt::Result {
    let title = escape(title);
    writeln!(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />")?;
    writeln!(to, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />")?;
    writeln!(to, "<meta name=\"color-scheme\" content=\"light dark\" />\n<title>{title}</title>")?;
    writeln!(to, "<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>")?;
    introduction(to, report)?;
    totals(to, report)?;
    for (index, (name, says, measure)) in CHARTS.iter().enumerate() {
        chart(to, report, (index, name, says), *measure)?;
    }
    steps(to, report)?;
    told(to, report)?;
    model(to, report)?;
    writeln!(to, "</main>\n</body>\n</html>")
}

fn introduction(to: &mut String, report: &Report) -> std::fmt::Result {
    let size = report.start;
    let steps = report.modules.first().map_or(0, |played| played.steps.len().saturating_sub(1));
    let from = report.from_group.as_ref().map(|group| format!(" It begins as group {} was.", escape(group)));
    let seed = report.seed.map(|seed| format!(" The life is a random one of seed {seed}.")).unwrap_or_default();
    let members = counted(size.members as u64, "member");
    let (partitions, topics) = (counted(size.partitions, "partition"), counted(size.topics as u64, "topic"));
    let steps = counted(steps as u64, "step");
    writeln!(
        to,
        "<p>One life of a group, played once with each strategy: {members} and {partitions} of {topics} at the \
         beginning, then {steps}.{}{seed} Step 0 is the beginning; totals do not count it.</p>",
        from.unwrap_or_default()
    )
}

fn totals(to: &mut String, report: &Report) -> std::fmt::Result {
    let heads =
        ["Strategy", "Hand-over", "Rebalances", "Moved", "…from who stayed", "Partition-seconds without an owner"];
    let more =
        ["Worst difference", "Worst in a topic", "Worst in a wrong rack", "Calls", "ms", "Bytes asked", "Failures"];
    writeln!(
        to,
        "<section aria-labelledby=\"totals\">\n<h2 id=\"totals\">In all</h2>\n\
         <div class=\"wide\" role=\"region\" aria-label=\"In all: the numbers\" tabindex=\"0\">\n<table>\n<thead><tr>"
    )?;
    heads.iter().chain(&more).try_for_each(|head| writeln!(to, "<th scope=\"col\">{head}</th>"))?;
    writeln!(to, "</tr></thead>\n<tbody>")?;
    for (index, played) in report.modules.iter().enumerate() {
        let total = &played.total;
        let cells = [
            played.mode.to_owned(),
            total.rebalances.to_string(),
            total.moved.to_string(),
            total.moved_from_present.to_string(),
            number(total.unowned_ms as f64 / 1_000.0),
            total.worst_difference.to_string(),
            total.worst_topic_spread.to_string(),
            total.worst_rack_mismatches.map_or_else(|| "–".to_owned(), |count| count.to_string()),
            total.cost.calls.to_string(),
            total.cost.ms.map_or_else(|| "–".to_owned(), number),
            total.cost.request_bytes.to_string(),
            total.faults.to_string(),
        ];
        writeln!(to, "<tr><th scope=\"row\">{}{}</th>", chart::key(index), name_of(&played.module))?;
        cells.iter().try_for_each(|cell| writeln!(to, "<td>{cell}</td>"))?;
        writeln!(to, "</tr>")?;
    }
    writeln!(to, "</tbody>\n</table>\n</div>\n</section>")
}

/// A chart and its table; nothing where nothing is known.
fn chart(
    to: &mut String,
    report: &Report,
    (index, name, says): (usize, &str, &str),
    measure: Measure,
) -> std::fmt::Result {
    let lines: Vec<Line<'_>> = report
        .modules
        .iter()
        .map(|played| Line { name: &played.module, values: played.steps.iter().map(measure).collect() })
        .collect();
    if lines.iter().flat_map(|line| &line.values).all(Option::is_none) {
        return Ok(());
    }
    let id = format!("chart-{index}");
    writeln!(
        to,
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{name}</h2>\n<p>{says}</p>\n<div class=\"beside\">\n<figure>"
    )?;
    let titles: Vec<&str> = titles(report).collect();
    chart::svg(to, (&id, name, says), &lines, &titles)?;
    writeln!(to, "<figcaption>")?;
    for (at, line) in lines.iter().enumerate() {
        writeln!(to, "<span class=\"key\">{}<span>{}</span></span>", chart::key(at), escape(line.name))?;
    }
    writeln!(
        to,
        "</figcaption>\n</figure>\n<div class=\"numbers\" role=\"region\" aria-label=\"{name}: the numbers\" tabindex=\"0\">\n<table>\n<caption>{name}, by step</caption>\n<thead><tr>"
    )?;
    writeln!(to, "<th scope=\"col\">Step</th>")?;
    for (at, line) in lines.iter().enumerate() {
        writeln!(to, "<th scope=\"col\">{}{}</th>", chart::key(at), name_of(line.name))?;
    }
    writeln!(to, "</tr></thead>\n<tbody>")?;
    for (step, title) in titles.iter().enumerate() {
        write!(to, "<tr><th scope=\"row\" title=\"{}\">{step}</th>", escape(title))?;
        for line in &lines {
            let value = line.values.get(step).copied().flatten();
            write!(to, "<td>{}</td>", value.map_or_else(|| "–".to_owned(), number))?;
        }
        writeln!(to, "</tr>")?;
    }
    writeln!(to, "</tbody>\n</table>\n</div>\n</div>\n</section>")
}

/// A name in a table.
fn name_of(name: &str) -> String {
    let name = escape(name);
    format!("<span class=\"name\" title=\"{name}\">{name}</span>")
}

fn titles(report: &Report) -> impl Iterator<Item = &str> {
    report.modules.first().into_iter().flat_map(|played| played.steps.iter().map(|step| step.title.as_str()))
}

fn steps(to: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(to, "<section aria-labelledby=\"steps\">\n<h2 id=\"steps\">The steps</h2>\n<ol start=\"0\">")?;
    titles(report).try_for_each(|title| writeln!(to, "<li><code>{}</code></li>", escape(title)))?;
    writeln!(to, "</ol>\n</section>")
}

/// What the strategies failed at and said.
fn told(to: &mut String, report: &Report) -> std::fmt::Result {
    let of_step = |played: &Played, at: usize, step: &StepReport| -> Vec<String> {
        let all = step.faults.iter().chain(&step.notes);
        all.map(|text| format!("{}, step {at}: {text}", played.module)).collect()
    };
    let mut texts: Vec<String> = Vec::new();
    for played in &report.modules {
        texts.extend(played.warnings.iter().map(|text| format!("{}: {text}", played.module)));
        texts.extend(played.steps.iter().enumerate().flat_map(|(at, step)| of_step(played, at, step)));
    }
    if texts.is_empty() {
        return Ok(());
    }
    writeln!(to, "<section aria-labelledby=\"told\">\n<h2 id=\"told\">Failures and remarks</h2>\n<ul>")?;
    texts.iter().try_for_each(|text| writeln!(to, "<li>{}</li>", escape(text)))?;
    writeln!(to, "</ul>\n</section>")
}

fn model(to: &mut String, report: &Report) -> std::fmt::Result {
    let times = report.times;
    writeln!(to, "<section aria-labelledby=\"model\">\n<h2 id=\"model\">The model</h2>\n<dl>")?;
    for (name, ms) in [
        ("a request and its answer", times.round_trip_ms),
        ("between two heartbeats of a member", times.heartbeat_ms),
        ("to finish what is given up", times.drain_ms),
        ("for a plan", times.plan_ms),
        ("until a silent member is given up", times.session_ms),
        ("away in a restart", times.away_ms),
        ("an empty group waits for members", times.first_wait_ms),
    ] {
        writeln!(to, "<div><dt>{name}</dt><dd>{ms} ms</dd></div>")?;
    }
    writeln!(to, "</dl>\n<p>Not played:</p>\n<ul>")?;
    report.left_out.iter().try_for_each(|text| writeln!(to, "<li>{}</li>", escape(text)))?;
    writeln!(to, "</ul>\n</section>")
}

/// `1 topic`, `2 topics`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// At most three digits after the point, and none that say nothing.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Fit for HTML, in text and in attributes. Characters that no document may have are shown as what stands for them.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
