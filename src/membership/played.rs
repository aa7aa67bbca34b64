//! Members that are only played: what a member of that configuration and that past would say when it joins, and what it would
//! read in its state, by the code that real ones join with. `whatif` lets groups live with them.

use bytes::Bytes;

use super::config::{Config, Purpose};
use super::metadata::{self, Claim, Words};
use super::negotiate::Strategies;
use super::notice::Share;
use super::state::Partitions;
use super::user_data::Asks;
use crate::assignor::CallError;
use crate::ids::{Generation, Mode, Protocol};

/// What a member has behind it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Past {
    /// What it had last, and in which generation.
    pub had: Option<(Generation, Partitions)>,
    /// Its last state as it came.
    pub last_state: Option<Bytes>,
}

/// What it says under a protocol; and how its strategy failed at its own word, which is left out then. A cooperative member
/// says what it goes on with, an eager one has given all up.
pub fn said(
    config: &Config,
    past: &Past,
    (protocol, mode): (&Protocol, Mode),
    strategies: &Strategies,
    now_ms: i64,
) -> (Bytes, Option<CallError>) {
    let claim = past.had.clone().map(|(generation, partitions)| Claim { generation, partitions });
    let held = claim.clone().filter(|_| mode == Mode::Cooperative);
    let words = Words { config, claim: claim.as_ref(), held: held.as_ref(), mode, again: 0 };
    let plain = words.metadata(protocol, None);
    if !config.purpose.is_consumer() {
        return (plain, None);
    }
    let asks = Asks {
        config: config.clone(),
        strategies: strategies.clone(),
        configs: config.rules.config.clone(),
        claim,
        held,
        mode,
        again: 0,
        last_state: past.last_state.clone(),
        now_ms,
    };
    match asks.metadata(protocol) {
        Ok(with_its_word) => (with_its_word.unwrap_or(plain), None),
        Err(error) => (plain, Some(error)),
    }
}

/// What it reads in its state; nothing in one that cannot be read. A worker of type `connect` is told what changes of what it has.
pub fn share(purpose: &Purpose, past: &Past, state: Bytes) -> Option<Share> {
    let had = past.had.clone().map(|(generation, partitions)| Claim { generation, partitions });
    metadata::told(purpose, state, had.as_ref()).ok().map(|told| told.share)
}
