//! What was measured, beside what was promised.

use serde_json::json;

/// Where the figures go: aligned text, or a JSON object a line.
pub struct Report {
    is_json: bool,
    scenario: String,
    /// The figures that something was promised of: the scenario, and the line as it is shown.
    promised: Vec<(String, String)>,
    missed: usize,
}

/// What was promised.
#[derive(Clone, Copy)]
pub enum Bar {
    /// Nothing: the figure explains another one.
    None,
    /// At most.
    Most(f64),
    /// At least.
    Least(f64),
}

impl Report {
    pub fn new(is_json: bool) -> Self {
        Self { is_json, scenario: String::new(), promised: Vec::new(), missed: 0 }
    }

    /// Begins a scenario.
    pub fn scenario(&mut self, name: &str, about: &str) {
        self.scenario = name.to_owned();
        if !self.is_json {
            println!("\n{name}: {about}");
        }
    }

    /// One figure.
    pub fn figure(&mut self, what: &str, value: f64, unit: &str, bar: Bar) {
        let (word, limit, holds) = match bar {
            Bar::None => ("", None, None),
            Bar::Most(most) => ("at most", Some(most), Some(value <= most)),
            Bar::Least(least) => ("at least", Some(least), Some(value >= least)),
        };
        self.missed += usize::from(holds == Some(false));
        if self.is_json {
            let line = json!({
                "scenario": self.scenario, "figure": what, "value": value, "unit": unit,
                "bar": limit.map(|limit| json!({ word: limit })), "holds": holds,
            });
            return println!("{line}");
        }
        let verdict = match holds {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let bar = limit.map(|limit| format!("{word} {}", shown(limit))).unwrap_or_default();
        let line = format!("  {what:<64} {:>9} {unit:<8} {bar:<18} {verdict}", shown(value));
        println!("{}", line.trim_end());
        if holds.is_some() {
            self.promised.push((self.scenario.clone(), line));
        }
    }

    /// At the end: every bar beside what was measured, in one place.
    pub fn bars(&self) {
        if self.is_json || self.promised.is_empty() {
            return;
        }
        println!("\nbars: {} of {} met", self.promised.len() - self.missed, self.promised.len());
        let widest = self.promised.iter().map(|(scenario, _)| scenario.len()).max().unwrap_or(0);
        for (scenario, line) in &self.promised {
            println!("  {scenario:<widest$}{}", line.trim_end());
        }
    }

    /// A figure without a bar.
    pub fn note(&mut self, what: &str, value: f64, unit: &str) {
        self.figure(what, value, unit, Bar::None);
    }

    /// The noise of the machine: above a tenth, distrust latencies and rates.
    pub fn noise(&mut self, others: &[f64]) {
        self.note("others on the machine", 100.0 * median(others), "%");
    }
}

fn shown(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// The middle one.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The middle one of the ratios of figures that were taken in pairs, one right after the other: what the machine did
/// meanwhile falls out.
pub fn ratio(of: &[f64], to: &[f64]) -> f64 {
    median(&of.iter().zip(to).map(|(of, to)| of / to).collect::<Vec<_>>())
}
