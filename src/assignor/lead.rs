//! What a leader does for one generation: ask the strategy, judge its answer, write the plan.
//!
//! [`lead`] does it all; [`Call`] does it in steps, for those who measure them, record them, or run the strategy elsewhere.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use divvy_guest::abi::Width;
use divvy_guest::abi::host::{Body, Expected, PartitionsPlan, StatesPlan, parse_reply, write_check};

use super::check::{EncodedPlan, check_plan};
use super::claims::Holds;
use super::cooperative::{self, Withheld};
use super::limits::{
    LONGEST_HELD_BACK, MAX_COPIES, MAX_DIAGNOSTICS, MAX_MEMO_BYTES, MAX_MESSAGE_BYTES, MAX_STATES_REPLY_BYTES,
    REPLY_SLACK_BYTES, SHORTEST_CALL_AGAIN, STATE_BYTES_PER_MEMBER,
};
use super::manifest::{Copies, Shape};
use super::owners::Owners;
use super::plan::{Diagnostic, Plan};
use super::view::{Unread, View};
use super::{
    Assignor, Budget, CallError, Export, FaultKind, LeaderInput, Manifest, MemberInput, encode, request, verify,
};
use crate::ids::{MemberId, TopicName};

#[cfg(test)]
mod tests;

/// Makes the plan of one generation.
pub fn lead(assignor: &dyn Assignor, input: &LeaderInput<'_>) -> Result<Plan, CallError> {
    let call = Call::prepare(assignor.manifest(), input)?;
    let reply = assignor.call(Export::Assign, call.request(), call.budget())?;
    let verdict = call.judge(&reply)?;
    call.ask_module_check(assignor, &verdict)?;
    Ok(call.plan(&verdict))
}

/// Asks a module of shape `states` what it thinks of states that it made elsewhere; `input` is what it was asked there.
/// Says whether it had a word: one of another shape, one without a check and one that cannot be called has none.
pub fn check_by_module(
    assignor: &dyn Assignor,
    input: &LeaderInput<'_>,
    states: &[(MemberId, Bytes)],
) -> Result<bool, String> {
    let Ok(call) = Call::prepare(assignor.manifest(), input) else { return Ok(false) };
    let Subject::States(members) = &call.subject else { return Ok(false) };
    let by_id: BTreeMap<&MemberId, &Bytes> = states.iter().map(|(id, state)| (id, state)).collect();
    let states: Vec<&[u8]> = members.iter().map(|it| by_id.get(&it.id).map_or(&[][..], |state| state)).collect();
    match call.ask_check(assignor, &states) {
        Ok(has_word) => Ok(has_word),
        Err(error) if error.kind == FaultKind::InvalidAssignment => {
            Err(format!("its module's own check objects: {}", error.message))
        }
        Err(_) => Ok(false),
    }
}

/// One call of a strategy.
pub struct Call<'a> {
    manifest: &'a Manifest,
    input: &'a LeaderInput<'a>,
    request: Vec<u8>,
    /// Who may still be running what, where the request's claims said it.
    holds: Option<Holds>,
    subject: Subject<'a>,
}

enum Subject<'a> {
    Partitions(View<'a>),
    /// Members by id.
    States(Vec<&'a MemberInput>),
}

/// A strategy's answer that keeps the rules.
pub struct Verdict<'r> {
    answer: Answer<'r>,
    diagnostics: Vec<Diagnostic>,
}

enum Answer<'r> {
    Partitions(PartitionsPlan<'r>, Owners, Withheld),
    States(StatesPlan<'r>),
}

impl<'a> Call<'a> {
    /// Decodes what the members say and writes the request.
    pub fn prepare(manifest: &'a Manifest, input: &'a LeaderInput<'a>) -> Result<Self, CallError> {
        let (request, holds, subject) = match manifest.shape {
            Shape::Partitions => {
                let view = view_of(input)?;
                let (request, holds) = request::partitions(manifest, input, &view)?;
                (request, holds, Subject::Partitions(view))
            }
            Shape::States => {
                let mut members: Vec<_> = input.members.iter().collect();
                members.sort_by(|a, b| a.id.cmp(&b.id));
                members.dedup_by(|later, earlier| later.id == earlier.id);
                (request::states(input, &members), None, Subject::States(members))
            }
        };
        Ok(Self { manifest, input, request, holds, subject })
    }

    /// What the strategy is asked.
    pub fn request(&self) -> &[u8] {
        &self.request
    }

    /// What it may use.
    pub fn budget(&self) -> Budget {
        let max_output = match &self.subject {
            Subject::Partitions(view) => {
                let copies = match self.manifest.copies {
                    Copies::One => 1,
                    Copies::Many => usize::from(MAX_COPIES),
                };
                Width::of(view.members.len()).bytes() * view.partitions * copies + REPLY_SLACK_BYTES
            }
            Subject::States(members) => {
                (members.len() * STATE_BYTES_PER_MEMBER).min(MAX_STATES_REPLY_BYTES) + REPLY_SLACK_BYTES
            }
        };
        Budget { deadline: self.input.budget_ms, max_output }
    }

    /// Reads the reply and holds it against the rules.
    pub fn judge<'r>(&self, reply: &'r [u8]) -> Result<Verdict<'r>, CallError> {
        let expected = match &self.subject {
            Subject::Partitions(view) => {
                Expected::Partitions { members: view.members.len(), partitions: view.partitions }
            }
            Subject::States(members) => Expected::States { members: members.len() },
        };
        let reply = parse_reply(reply, expected).map_err(|malformed| {
            CallError::new(FaultKind::InvalidReply, format!("the reply is malformed: {malformed}"))
        })?;
        let answer = match reply.body {
            Body::Refused { code, message, member, .. } => return Err(self.refused(code, message, member)),
            Body::Partitions(plan) => self.judge_partitions(plan)?,
            Body::States(plan) => self.judge_states(plan)?,
            Body::UserData(_) | Body::Checked => {
                return Err(CallError::new(FaultKind::InvalidReply, "the reply answers another question"));
            }
        };
        let lines = reply.diag.into_iter().take(MAX_DIAGNOSTICS);
        let diagnostics = lines.map(|(level, text)| Diagnostic { level: level.into(), text: text.into() }).collect();
        Ok(Verdict { answer, diagnostics })
    }

    fn judge_partitions<'r>(&self, plan: PartitionsPlan<'r>) -> Result<Answer<'r>, CallError> {
        check_memo(plan.memo)?;
        let most = if self.manifest.copies == Copies::Many { MAX_COPIES } else { 1 };
        if plan.copies > most {
            let text = format!("the plan has {} copies of each partition; its manifest allows {most}", plan.copies);
            return Err(CallError::new(FaultKind::InvalidAssignment, text));
        }
        let Subject::Partitions(view) = &self.subject else {
            return Err(CallError::new(FaultKind::InvalidReply, "the reply answers another question"));
        };
        let mut owners = Owners::read(plan.owners, Width::of(view.members.len()), view.partitions, plan.copies);
        let broken = |broken| CallError::new(FaultKind::InvalidAssignment, broken);
        verify::owners(view, &owners, self.manifest.complete).map_err(broken)?;
        let withheld = match &self.holds {
            Some(holds) => cooperative::withhold(view, &mut owners, holds),
            None => cooperative::hand_over(view, &mut owners, self.input.mode),
        };
        let withheld = withheld.map_err(broken)?;
        Ok(Answer::Partitions(plan, owners, withheld))
    }

    /// States of a type that is known here keep the same rules.
    fn judge_states<'r>(&self, plan: StatesPlan<'r>) -> Result<Answer<'r>, CallError> {
        check_memo(plan.memo)?;
        if let Subject::States(members) = &self.subject {
            let metadata: Vec<_> = members.iter().map(|member| (member.id.clone(), member.metadata.clone())).collect();
            let states = self.states(members, &plan.states);
            check_plan(&EncodedPlan {
                protocol_type: self.input.protocol_type,
                members: &metadata,
                states: &states,
                topics: &self.topics(),
                copies: self.copies(),
                complete: self.complete(),
                mode: self.input.mode,
            })
            .map_err(|broken| CallError::new(FaultKind::InvalidAssignment, broken))?;
        }
        Ok(Answer::States(plan))
    }

    /// A module of shape `states` may bring a check of its own.
    pub(super) fn ask_module_check(&self, assignor: &dyn Assignor, verdict: &Verdict<'_>) -> Result<(), CallError> {
        let Answer::States(plan) = &verdict.answer else { return Ok(()) };
        self.ask_check(assignor, &plan.states).map(drop)
    }

    /// Whether there is such a check; an error if it objects to these states, or fails.
    fn ask_check(&self, assignor: &dyn Assignor, states: &[&[u8]]) -> Result<bool, CallError> {
        if !assignor.has_check() {
            return Ok(false);
        }
        let mut request = Vec::new();
        write_check(&self.request, states, &mut request);
        let reply = assignor.call(Export::Check, &request, self.budget())?;
        // No bytes are no reply (ABI 1, Faults), and no consent.
        match parse_reply(&reply, Expected::Check).map(|reply| reply.body) {
            Ok(Body::Refused { code, message, member, .. }) => {
                Err(CallError { kind: FaultKind::InvalidAssignment, ..self.refused(code, message, member) })
            }
            Ok(_) => Ok(true),
            Err(malformed) => {
                let text = format!("the reply of its check is malformed: {malformed}");
                Err(CallError::new(FaultKind::InvalidReply, text))
            }
        }
    }

    /// Writes the plan.
    pub fn plan(&self, verdict: &Verdict<'_>) -> Plan {
        let mut held_back = Withheld::default();
        let (states, memo, call_again_ms, copies) = match (&self.subject, &verdict.answer) {
            (Subject::Partitions(view), Answer::Partitions(plan, owners, withheld)) => {
                held_back = *withheld;
                let user_data = plan.user_data.as_deref().unwrap_or(&[]);
                let states = encode::assignments(view, owners, user_data);
                let states = encode::with_history(view, states, self.input);
                let states = view.members.iter().map(|member| member.id.clone()).zip(states).collect();
                (states, plan.memo, plan.call_again_ms, plan.copies)
            }
            (Subject::States(members), Answer::States(plan)) => {
                (self.states(members, &plan.states), plan.memo, plan.call_again_ms, self.copies())
            }
            // `judge` answers in the shape that was asked for.
            _ => (Vec::new(), None, None, 1),
        };
        let mut diagnostics = verdict.diagnostics.clone();
        if let Subject::Partitions(view) = &self.subject {
            diagnostics.splice(0..0, view.diagnostics.iter().cloned().chain(held_back.diagnostic()));
            diagnostics.truncate(MAX_DIAGNOSTICS);
        }
        let asked = call_again_ms.map(|ms| Duration::from_millis(ms).max(SHORTEST_CALL_AGAIN));
        let held_back = match held_back {
            Withheld { needs_call: true, .. } => Some(SHORTEST_CALL_AGAIN),
            Withheld { places, .. } => (places > 0).then_some(LONGEST_HELD_BACK),
        };
        Plan {
            states,
            memo: memo.map(Bytes::copy_from_slice),
            call_again: held_back.into_iter().chain(asked).min(),
            copies,
            complete: self.complete(),
            mode: self.input.mode,
            topics: self.topics(),
            asked_ms: self.input.context.is_none().then_some(self.input.now_ms),
            diagnostics,
        }
    }

    /// How many copies the plan of a strategy that does not say so may have.
    fn copies(&self) -> u16 {
        if self.manifest.copies == Copies::Many { MAX_COPIES } else { 1 }
    }

    /// With copies that nobody counted there is no telling whether a plan is whole.
    fn complete(&self) -> bool {
        let counted = self.manifest.shape == Shape::Partitions || self.manifest.copies == Copies::One;
        self.manifest.complete && counted
    }

    fn topics(&self) -> Vec<(TopicName, u32)> {
        match &self.subject {
            Subject::Partitions(view) => topics_of(view),
            // Which of them an opaque plan is about is not known here.
            Subject::States(_) => {
                self.input.topics.0.iter().map(|(name, topic)| (name.clone(), topic.partitions)).collect()
            }
        }
    }

    fn states(&self, members: &[&MemberInput], states: &[&[u8]]) -> Vec<(MemberId, Bytes)> {
        members.iter().zip(states).map(|(member, state)| (member.id.clone(), Bytes::copy_from_slice(state))).collect()
    }

    fn refused(&self, code: &str, message: &str, member: Option<u32>) -> CallError {
        let id = member.and_then(|index| match &self.subject {
            Subject::Partitions(view) => view.members.get(index as usize).map(|member| member.id),
            Subject::States(members) => members.get(index as usize).map(|member| &member.id),
        });
        let mut text = cut(message).to_owned();
        if let Some(id) = id {
            text.push_str(&format!(" (member {:?})", id.as_str()));
        }
        CallError { kind: FaultKind::GuestError, code: Some(cut(code).to_owned()), message: text }
    }
}

/// The view of a group whose members subscribe to topics.
pub(super) fn view_of<'a>(input: &'a LeaderInput<'a>) -> Result<View<'a>, CallError> {
    let table: Vec<(&str, u32)> = input
        .topics
        .0
        .iter()
        .filter(|(_, topic)| topic.partitions > 0)
        .map(|(name, topic)| (name.as_str(), topic.partitions))
        .collect();
    let members = input.members.iter().map(|member| Unread {
        id: &member.id,
        instance: member.instance.as_ref(),
        metadata: &member.metadata,
    });
    View::new(members, &table)
}

pub(super) fn topics_of(view: &View<'_>) -> Vec<(TopicName, u32)> {
    view.topics.iter().map(|topic| (TopicName::from(topic.name), topic.partitions)).collect()
}

fn check_memo(memo: Option<&[u8]>) -> Result<(), CallError> {
    match memo {
        Some(memo) if memo.len() > MAX_MEMO_BYTES => {
            let text = format!("the memo has {} bytes; at most {MAX_MEMO_BYTES} are kept", memo.len());
            Err(CallError::new(FaultKind::InvalidReply, text))
        }
        _ => Ok(()),
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MESSAGE_BYTES)]
}
