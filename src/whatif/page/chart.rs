//! One chart: steps from left to right, a line for each strategy.

use std::fmt::{Result, Write};

use super::{escape, number};

/// The picture in units; it is shown as wide as there is room.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 280.0;

/// Room for the numbers of the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 38.0;

/// Lines across.
const RULES: usize = 4;

/// More numbers than this do not fit below.
const MOST_LABELS: usize = 24;

/// So many of them stay on a narrow screen, where letters are twice as large for the picture.
const LABELS_ON_NARROW: usize = 9;

/// With more steps than this there are no marks on the lines: they would be one band.
const MOST_MARKS: usize = 60;

/// How lines differ beside their colour.
const DASHES: [&str; 8] = ["none", "7 4", "2 3", "10 3 2 3", "14 4", "4 4", "1 4", "8 2 2 2 2 2"];

/// A line.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// By step.
    pub(super) values: Vec<Option<f64>>,
}

/// Draws it. The title and the description are what somebody hears who does not see it; the numbers stand beside it.
pub(super) fn svg(
    to: &mut String,
    (id, title, says): (&str, &str, &str),
    lines: &[Line<'_>],
    steps: &[&str],
) -> Result {
    let values = || lines.iter().flat_map(|line| line.values.iter().flatten());
    let top =
        ceiling(values().fold(0.0_f64, |most, value| most.max(*value)), values().all(|value| value.fract() == 0.0));
    writeln!(
        to,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-title {id}-says\">\n\
         <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-says\">{says} The table beside has the numbers.</desc>"
    )?;
    for rule in 0..=RULES {
        let value = top * rule as f64 / RULES as f64;
        let y = y(value, top);
        let end = WIDTH - RIGHT;
        writeln!(to, "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{end}\" y2=\"{y:.1}\" />")?;
        writeln!(
            to,
            "<text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\" dominant-baseline=\"central\">{}</text>",
            LEFT - 8.0,
            short(value)
        )?;
    }
    let every = round(steps.len().div_ceil(MOST_LABELS));
    let apart = steps.len().div_ceil(every).div_ceil(LABELS_ON_NARROW).max(1);
    for (place, step) in (0..steps.len()).step_by(every).enumerate() {
        let x = x(step, steps.len());
        let class = if place % apart == 0 { "" } else { " class=\"odd\"" };
        let y = HEIGHT - BOTTOM + 12.0;
        writeln!(
            to,
            "<text{class} x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\" dominant-baseline=\"hanging\">{step}</text>"
        )?;
    }
    for (at, line) in lines.iter().enumerate() {
        draw(to, (at, line), top, steps)?;
    }
    writeln!(to, "</svg>")
}

fn draw(to: &mut String, (at, line): (usize, &Line<'_>), top: f64, steps: &[&str]) -> Result {
    let style = at % DASHES.len();
    let points: Vec<(usize, f64)> =
        line.values.iter().enumerate().filter_map(|(step, value)| Some((step, (*value)?))).collect();
    let path: Vec<String> =
        points.iter().map(|(step, value)| format!("{:.1},{:.1}", x(*step, steps.len()), y(*value, top))).collect();
    let dash = DASHES[style];
    writeln!(to, "<polyline class=\"line s{style}\" stroke-dasharray=\"{dash}\" points=\"{}\" />", path.join(" "))?;
    if steps.len() > MOST_MARKS {
        return Ok(());
    }
    for (step, value) in points {
        let title = steps.get(step).copied().unwrap_or_default();
        let said = format!("{}, step {step} ({title}): {}", line.name, number(value));
        writeln!(
            to,
            "<path class=\"mark f{style}\" d=\"{}\"><title>{}</title></path>",
            mark(style, x(step, steps.len()), y(value, top)),
            escape(&said)
        )?;
    }
    Ok(())
}

/// A short piece of a line, for legends.
pub(super) fn key(at: usize) -> String {
    let style = at % DASHES.len();
    format!(
        "<svg class=\"swatch\" viewBox=\"0 0 34 12\" aria-hidden=\"true\"><polyline class=\"line s{style}\" \
         stroke-dasharray=\"{}\" points=\"0,6 34,6\" /><path class=\"mark f{style}\" d=\"{}\" /></svg>",
        DASHES[style],
        mark(style, 17.0, 6.0)
    )
}

/// A circle, a square, triangles, a diamond, a bar …: each line its own.
fn mark(style: usize, x: f64, y: f64) -> String {
    let shape: &[(f64, f64)] = match style {
        0 => return format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - 4.0),
        1 => &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
        2 => &[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)],
        3 => &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)],
        4 => &[(0.0, 5.0), (5.0, -4.0), (-5.0, -4.0)],
        5 => &[(-5.0, -2.0), (5.0, -2.0), (5.0, 2.0), (-5.0, 2.0)],
        6 => &[(-2.0, -5.0), (2.0, -5.0), (2.0, 5.0), (-2.0, 5.0)],
        _ => &[(-5.0, 0.0), (4.0, -5.0), (4.0, 5.0)],
    };
    let points: Vec<String> = shape.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx, y + dy)).collect();
    format!("M{}z", points.join("L"))
}

/// A round number at or above: so many steps from one label to the next.
pub(super) fn round(least: usize) -> usize {
    let fits = |power: usize| [1, 2, 5].map(|digit| digit * power).into_iter().find(|round| *round >= least);
    (0..6).find_map(|power| fits(10_usize.pow(power))).unwrap_or(least)
}

/// A number of an axis, which has room for five characters: 12k for twelve thousand.
pub(super) fn short(value: f64) -> String {
    match value {
        1e9.. => format!("{}G", number(value / 1e9)),
        1e6.. => format!("{}M", number(value / 1e6)),
        1e4.. => format!("{}k", number(value / 1e3)),
        _ => number(value),
    }
}

fn x(step: usize, steps: usize) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * step as f64 / steps.saturating_sub(1).max(1) as f64
}

fn y(value: f64, top: f64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top
}

/// A round number at or above, so that the rules are at numbers that people read; whole ones where the values are whole.
pub(super) fn ceiling(most: f64, all_whole: bool) -> f64 {
    const QUARTERED: [f64; 9] = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0];
    if most <= 0.0 || (all_whole && most <= RULES as f64) {
        return RULES as f64;
    }
    let power = 10_f64.powf(most.log10().floor());
    let fits = |top: &f64| *top >= most && (!all_whole || (top / RULES as f64).fract() == 0.0);
    // The quarters of ten are no whole numbers; those of twelve are.
    let next = if all_whole && power < 10.0 { 12.0 } else { 10.0 };
    QUARTERED.iter().map(|step| step * power).find(fits).unwrap_or(next * power)
}
