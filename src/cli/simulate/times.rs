//! The times of the model, as flags.

use clap::Args;

use crate::whatif::limits::MAX_TIME_MS;
use crate::whatif::{Times, script};

/// Where they stand in the help.
const HEADING: &str = "Times of the model";

/// How long things take.
#[derive(Args, Clone, Debug)]
pub struct TimesArgs {
    /// One request and its answer
    #[arg(long, value_name = "TIME", default_value = "5ms", value_parser = script::parse_time, help_heading = HEADING)]
    round_trip: u64,
    /// Between two heartbeats: so much later the last member learns of a rebalance. At a divvy coordinator its own members
    /// are told at once: 0
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = script::parse_time, help_heading = HEADING)]
    heartbeat: u64,
    /// What a member needs to finish what it gives up
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = script::parse_time, help_heading = HEADING)]
    drain: u64,
    /// What the leader needs for a plan
    #[arg(long, value_name = "TIME", default_value = "5ms", value_parser = script::parse_time, help_heading = HEADING)]
    plan: u64,
    /// How long a silent member is waited for
    #[arg(long, value_name = "TIME", default_value = "45s", value_parser = script::parse_time, help_heading = HEADING)]
    session: u64,
    /// How long a restarted process is away
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = script::parse_time, help_heading = HEADING)]
    away: u64,
    /// How long an empty group waits for more members
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = script::parse_time, help_heading = HEADING)]
    first_wait: u64,
    /// Between the end of a step and the next one
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = script::parse_time, help_heading = HEADING)]
    between: u64,
}

impl TimesArgs {
    /// As the model has them.
    pub fn times(&self) -> Times {
        debug_assert!(self.session <= MAX_TIME_MS, "the parser refuses more");
        Times {
            round_trip_ms: self.round_trip,
            heartbeat_ms: self.heartbeat,
            drain_ms: self.drain,
            plan_ms: self.plan,
            session_ms: self.session,
            away_ms: self.away,
            first_wait_ms: self.first_wait,
            between_ms: self.between,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        times: TimesArgs,
    }

    #[test]
    fn what_is_not_said_is_what_the_model_has() {
        assert_eq!(Line::parse_from(["it"]).times.times(), Times::default());
        let said = Line::parse_from(["it", "--heartbeat", "0", "--session", "1m"]).times.times();
        assert_eq!((said.heartbeat_ms, said.session_ms), (0, 60_000));
        assert!(Line::try_parse_from(["it", "--away", "1000d"]).is_err());
    }
}
