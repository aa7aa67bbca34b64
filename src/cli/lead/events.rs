//! What `divvy lead` says, as a line of JSON for scripts and as a sentence for people.

use std::time::Duration;

use serde_json::{Value, json};

use super::Task;
use super::module::{News, Serving};
use crate::assignor::{MemberInput, Spoken};
use crate::cli::member::Said;
use crate::cli::member::events as member;
use crate::cli::output::counted;
use crate::client::{Leading, Note, Planned, Rebalance, Rules};
use crate::lead::{Comparison, Saying, compare};
use crate::membership::lead::ServedBy;

/// What needs no `divvy lead` at a coordinator of divvy's own.
pub const LEAD_BY_COORDINATOR: &str = "`lead = \"coordinator\"` and an `alias` for its clients' name in divvy.toml";

fn said(event: Value, text: impl Into<String>) -> Said {
    Said { event, text: text.into() }
}

/// Where it stands.
pub fn saying(saying: &Saying, group: &str, assignor: &str, session: Duration) -> Said {
    let seconds = |time: &Duration| time.as_secs_f64();
    match saying {
        Saying::Standby { active } => {
            let other =
                if active.is_empty() { "nobody is active yet".to_owned() } else { format!("{active} is active") };
            said(json!({ "event": "standby", "active": active }), format!("stands by: {other}"))
        }
        Saying::Active => said(json!({ "event": "active" }), "is elected: it is the one to lead"),
        Saying::Joins { names, members, comes_back, takes_over } => {
            let listed: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let how = match (comes_back, takes_over) {
                (true, _) => "takes its place again in",
                (_, true) => "removes everybody and joins in front of them:",
                (false, false) => "joins",
            };
            let json = json!({
                "event": "joins", "group": group, "names": names, "members": members,
                "comes_back": comes_back, "takes_over": takes_over,
            });
            let empty = if *members > 0 {
                ""
            } else {
                "; whoever offers none of these is refused by the broker: name what it offers with --as"
            };
            said(json, format!("{how} {group} ({members} members) under {}{empty}", listed.join(", ")))
        }
        Saying::Leads { generation, protocol, kept } => {
            let json = json!({ "event": "leads", "generation": generation, "protocol": protocol, "kept": kept });
            let plan = if *kept { "; the plan goes on as it is" } else { "" };
            said(json, format!("leads {group} with {assignor} under {protocol} (generation {generation}){plan}"))
        }
        Saying::Follows { leader, protocol } => said(
            json!({ "event": "follows", "leader": leader, "protocol": protocol }),
            format!(
                "does not lead {group}: {leader} does, and the clients' own strategy {protocol} assigns as without divvy; \
                 --take-over takes the lead, and so does starting this before any client"
            ),
        ),
        Saying::LostLead { leader, retakes_in } => {
            let json =
                json!({ "event": "lead_lost", "leader": leader, "retakes_in_s": retakes_in.as_ref().map(seconds) });
            let next = match retakes_in {
                Some(wait) => format!("it is taken again in {} s", wait.as_secs()),
                None => "it is not taken again: say --retake for that, or start with --take-over".to_owned(),
            };
            said(json, format!("lost the lead of {group} to {leader}: the clients' own strategy assigns now; {next}"))
        }
        Saying::NoLeader { led } => {
            let lost = if *led { "lost the lead of" } else { "does not lead" };
            said(
                json!({ "event": if *led { "lead_lost" } else { "follows" }, "leader": null, "broker_assigns": true }),
                format!(
                    "{lost} {group}: a client has joined it by the protocol in which the broker assigns (KIP-848), so nobody \
                     leads it and the broker assigns all of its members, until the last such client is gone; clients that are \
                     to be led need `group.protocol=classic`"
                ),
            )
        }
        Saying::TakesOver { attempt, draws } => {
            let luck =
                "; its coordinator is divvy's and draws the leader among those that bring a module, so this may fail";
            let luck = if *draws { luck } else { "" };
            said(
                json!({ "event": "takes_over", "attempt": attempt, "draws": draws }),
                format!("takes the lead of {group}: everybody is removed and joins again behind it{luck}"),
            )
        }
        Saying::GaveUp { leader, retakes_in, drawn } => {
            let json = json!({ "event": "take_over_failed", "drawn": drawn, "leader": leader, "retakes_in_s": retakes_in.as_ref().map(seconds) });
            let next = retakes_in.map(|wait| format!("; tried again in {} s", wait.as_secs())).unwrap_or_default();
            let why = match drawn {
                false => format!("a client was quicker each time, and {leader} leads"),
                true => format!(
                    "its coordinator is divvy's and drew another member that brings a module each time, {leader} at last; \
                     it leads the group itself with {LEAD_BY_COORDINATOR}"
                ),
            };
            said(json, format!("could not take the lead of {group}: {why}{next}"))
        }
        Saying::Confirmed => {
            said(json!({ "event": "plan_confirmed" }), format!("the plan in force is what {assignor} would decide now"))
        }
        Saying::Unreviewed { reason } => said(
            json!({ "event": "plan_kept", "reason": reason }),
            format!("the plan in force stays, and whether {assignor} would decide the same is not known: {reason}"),
        ),
        Saying::CannotLook { reason, again_in } => said(
            json!({ "event": "unreachable", "reason": reason, "again_in_s": seconds(again_in) }),
            format!("{group} cannot be looked at: {reason}; again in {} s", again_in.as_secs()),
        ),
        Saying::Out { reason, again_in } => said(
            json!({ "event": "out", "reason": reason, "again_in_s": seconds(again_in) }),
            format!(
                "is out of {group}: {reason}; the group goes on, under its clients' own strategy once {} s are over; again in {} s",
                session.as_secs(),
                again_in.as_secs()
            ),
        ),
    }
}

/// What its member hears beside.
pub fn note(note: &Note, leading: Option<&Leading>) -> Said {
    match note {
        Note::Planned(plan) => planned(plan, leading),
        other => {
            let text = other.to_string();
            said(member::json(&Rebalance::Note(other.clone()), "consumer"), text)
        }
    }
}

/// What became of the strategy's file.
pub fn module(news: &News, task: &Task) -> Said {
    let digest = |it: &Serving| it.digest.map(|digest| digest.to_string());
    let shown = |it: &Serving| match it.digest {
        Some(digest) => format!("{} (module {})", it.name, digest.short()),
        None => format!("{} (built into divvy)", it.name),
    };
    let json = |event: &str, it: &Serving| {
        let (assignor, file) = (&it.name, it.file.as_ref().map(|it| it.display().to_string()));
        json!({ "event": event, "assignor": assignor, "digest": digest(it), "file": file })
    };
    let goes_on = |it: &Serving| {
        format!(
            "this process goes on with {}, a restart could not: put its file back, or the version that is to come",
            shown(it)
        )
    };
    match news {
        News::Serves(now, None) => said(json("module", now), format!("the module that serves is {}", shown(now))),
        News::Serves(now, Some(before)) => {
            said(json("module", now), format!("{} serves from now on, in place of {}", shown(now), shown(before)))
        }
        News::Gone(it) => {
            let folder = super::shown(&task.folder);
            said(json("module_gone", it), format!("the file of {} is gone from {folder}: {}", it.name, goes_on(it)))
        }
        News::Holds(it, other) => {
            let mut json = json("module_gone", it);
            json["holds"] = other.as_str().into();
            let file = it.file.as_deref().map(super::shown).unwrap_or_default();
            said(json, format!("{file} holds {other} now, and no file {}: {}", it.name, goes_on(it)))
        }
        News::IsBack(it) => said(json("module", it), format!("the file of {} is there again", it.name)),
    }
}

/// A plan that is in force.
fn planned(plan: &Planned, leading: Option<&Leading>) -> Said {
    let comparison = compared(plan, leading);
    let digest = plan.digest.map(|digest| digest.to_string());
    let rows = comparison.rows.iter().map(|row| json!({ "member": row.name, "partitions": row.after.len() }));
    let known = plan.before.is_some();
    let json = json!({
        "event": "planned",
        "generation": plan.generation,
        "protocol": plan.protocol,
        "digest": digest,
        "served_by": plan.served_by.to_string(),
        "partitions": comparison.partitions,
        "moved": known.then_some(comparison.moved),
        "unowned": comparison.unowned.1,
        "near": comparison.near().map(|(_, near)| near),
        "members": rows.collect::<Vec<_>>(),
    });
    let by = match &plan.served_by {
        ServedBy::Chosen => plan.digest.map(|it| format!(" by module {}", it.short())).unwrap_or_default(),
        other => format!(" by {other}"),
    };
    let (_, (least, most)) = comparison.spread();
    let mut text = format!(
        "planned generation {} under {}{by}: {} for {}, {least} to {most} each",
        plan.generation,
        plan.protocol,
        counted(comparison.partitions, "partition"),
        counted(comparison.rows.len(), "member"),
    );
    if known {
        text.push_str(&format!(", {} moved", comparison.moved));
    }
    if comparison.unowned.1 > 0 {
        text.push_str(&format!(", {} wait for their old owners or have none", comparison.unowned.1));
    }
    if let Some((_, near)) = comparison.near() {
        text.push_str(&format!(", {near} near their member"));
    }
    said(json, text)
}

/// The name that people know a member by.
pub fn name(member: &MemberInput) -> String {
    match &member.instance {
        Some(instance) => instance.to_string(),
        None => member.id.to_string(),
    }
}

fn compared(plan: &Planned, leading: Option<&Leading>) -> Comparison {
    let (before, silent) = (plan.before.as_ref().map_or(&[][..], |before| &before[..]), Spoken::default());
    let spoken = leading.map_or(&silent, |leading| &leading.spoken);
    compare(plan.members.iter().map(|it| (name(it), it)), (before, &plan.states), spoken, &plan.topics)
}

/// What takes a while.
pub fn begins(assignor: &str, folder: &str) -> Said {
    said(
        json!({ "event": "begins", "assignor": assignor, "folder": folder }),
        format!("reads the modules of {folder}, {assignor} among them …"),
    )
}

/// That the election's coordinator does not answer.
pub fn election_away(group: &str, reason: &str) -> Said {
    said(
        json!({ "event": "election_away", "reason": reason }),
        format!("the election of the leads of {group} is not reached, and looked for again: {reason}"),
    )
}

/// That nobody elects.
pub fn no_election(module: &str, folder: &str) -> Said {
    said(
        json!({ "event": "no_election", "missing": module }),
        format!(
            "there is no {module}.wasm in {folder}: this lead stands for no election, and a second one of the same group would \
             put it out; put that file of divvy's assignors there for both, or say --alone"
        ),
    )
}

/// That what --fact says is about nobody.
pub fn facts_of_nobody(patterns: &[&str], members: &[String]) -> Said {
    let there = match members {
        [] => "there is no member yet".to_owned(),
        some => format!("there are {} (by instance id, or by client id)", super::shortened(some)),
    };
    said(
        json!({ "event": "facts_of_nobody", "patterns": patterns, "members": members }),
        format!("--fact speaks of {}, which fits no member: {there}", patterns.join(", ")),
    )
}

/// That the file of settings cannot be used.
pub fn settings_refused(reason: &str) -> Said {
    said(json!({ "event": "settings_refused", "reason": reason }), format!("the settings stay as they are: {reason}"))
}

/// That it says something else now.
pub fn settings_changed(rules: &Rules) -> Said {
    let config = rules.config.values().next();
    said(
        json!({ "event": "settings", "config": config }),
        format!("the settings are {} now", config.unwrap_or(&Value::Null)),
    )
}

/// How a lead ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
    /// Whether it has, or may have, a place in the group.
    pub was_in: bool,
    /// Whether it led.
    pub led: bool,
    /// Whether it gave its place up.
    pub handed_back: bool,
    /// Whether a standby may be elected.
    pub has_election: bool,
}

/// How it ends. Who did not lead leaves the group to what served it already.
pub fn ended(Ended { was_in, led, handed_back, has_election }: Ended, session: Duration) -> Said {
    let json = json!({ "event": "ended", "led": led, "handed_back": was_in && handed_back });
    let who = if has_election { "a standby or a restart" } else { "a restart" };
    let kept = format!("its place is kept for {who} for {} s", session.as_secs());
    let text = match (was_in, handed_back, led) {
        (false, ..) => "ended; it was not in the group".to_owned(),
        (true, true, true) => "ended, and left the group: it goes on under its clients' own strategy".to_owned(),
        (true, true, false) => "ended, and left the group, which it did not lead: it goes on as before".to_owned(),
        (true, false, true) => format!("ended; {kept}, then the group goes on under its clients' own strategy"),
        (true, false, false) => format!("ended; it did not lead, and the group goes on as before; {kept}"),
    };
    said(json, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_led_leaves_the_group_to_another_strategy() {
        let text = |led, handed_back| {
            ended(Ended { was_in: true, led, handed_back, has_election: true }, Duration::from_secs(45)).text
        };
        for handed_back in [true, false] {
            assert!(text(true, handed_back).contains("under its clients' own strategy"));
            let text = text(false, handed_back);
            assert!(text.contains("goes on as before") && !text.contains("own strategy"), "{text}");
        }
        assert!(text(false, false).contains("its place is kept for a standby or a restart for 45 s"));
    }

    #[test]
    fn facts_of_nobody_name_those_who_are_there() {
        let text = |members: &[String]| facts_of_nobody(&["big-*"], members).text;
        let told = "--fact speaks of big-*, which fits no member: there are a, b (by instance id, or by client id)";
        assert_eq!(text(&["a".to_owned(), "b".to_owned()]), told);
        assert_eq!(text(&[]), "--fact speaks of big-*, which fits no member: there is no member yet");
    }
}
