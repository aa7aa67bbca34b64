//! `divvy lead --plan-only`: shows what would be, and nobody in the group notices.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{BIG, Cast, Client, by_weight, evenly, join_all, leave_all, modules, owned};
use crate::divvy;
use crate::interop::bench::PARTITIONS;

/// Moves, balance, racks and the picture, of a group that goes on as it is.
pub fn shows(cast: &mut Cast<'_>, clients: &[&'static Client], strategy: &str) -> Result<()> {
    join_all(cast, clients, strategy)?;
    owned(cast, "the clients' own shares", evenly)?;
    let before = cast.server.describe(&cast.group)?["generation"].clone();

    let picture = cast.folder.join("plan.svg").display().to_string();
    let plan = ask(cast, &["--picture", &picture])?;
    println!("    {} of {} partitions would move, balance {}", plan["moved"], plan["partitions"], plan["balance"]);
    judge(cast, &plan, strategy).with_context(|| plan.to_string())?;
    let drawn = fs::read_to_string(&picture).context("the picture")?;
    ensure!(drawn.starts_with("<svg") && cast.members.iter().all(|it| drawn.contains(&it.name)), "no picture: {drawn}");

    owned(cast, "the same shares", evenly)?;
    // Whatever anybody is told comes with a generation; what clients still report of the last one says nothing.
    let now = cast.server.describe(&cast.group)?["generation"].clone();
    ensure!(now == before, "generation {before} became {now}");
    println!("    nobody noticed: still generation {now}");
    leave_all(cast)
}

fn ask(cast: &Cast<'_>, words: &[&str]) -> Result<Value> {
    let wishes =
        ["--assignor", "weighted", "--fact", "big:weight=2", "--fact", "big:rack=west", "--fact", "*:rack=east"];
    let (server, folder) = (cast.server.address(), modules(cast, &wishes)?.display().to_string());
    let task = ["lead", "--brokers", &server, "--group", &cast.group, "--assignors", &folder, "--plan-only"];
    divvy::ask(cast.program(), &[&task[..], &wishes, words].concat())
}

/// The broker stands in the west, and so does the big one alone.
fn judge(cast: &Cast<'_>, plan: &Value, strategy: &str) -> Result<()> {
    let members = plan["members"].as_array().context("a plan has members")?;
    ensure!(members.len() == cast.members.len(), "it is about those who are there");
    let mut after = BTreeMap::new();
    for member in &cast.members {
        let row = members.iter().find(|row| row["member"] == member.name.as_str());
        let row = row.with_context(|| format!("{} is in the group", member.name))?;
        let has: Vec<i64> = member.owns.iter().copied().collect();
        ensure!(row["before"] == json!({ &cast.topic: has }), "{} has {has:?}, and not {}", member.name, row["before"]);
        let gets = row["after"][&cast.topic].as_array().map_or(0, Vec::len);
        after.insert(member.name.as_str(), gets);
        let (rack, near) = if member.name == BIG { ("west", [has.len(), gets]) } else { ("east", [0, 0]) };
        ensure!(row["rack"] == rack, "{} stands in the {rack}", member.name);
        ensure!(row["near"] == json!({ "before": near[0], "after": near[1] }), "{}: {}", member.name, row["near"]);
    }
    ensure!(by_weight(&after), "it should be as by weight: {after:?}");
    let own = PARTITIONS / members.len();
    // Each of the others gives up what the big one gets, and nothing moves beside that.
    let (big, small) = (after[BIG], PARTITIONS / (members.len() + 1));
    ensure!(plan["moved"] == big - own, "{} should move", big - own);
    let spread = |of: &str| [plan["balance"][of]["least"].as_u64(), plan["balance"][of]["most"].as_u64()];
    let expected = |least: usize, most: usize| [least, most].map(|count| u64::try_from(count).ok());
    ensure!(spread("before") == expected(own, own) && spread("after") == expected(small, big), "the balance");
    ensure!(plan["near"] == json!({ "before": own, "after": big }), "what is near");
    let wanted = [("protocol", json!(strategy)), ("assignor", json!("weighted@1")), ("partitions", json!(PARTITIONS))];
    match wanted.iter().find(|(key, value)| plan[*key] != *value) {
        Some((key, value)) => bail!("{key} should be {value}"),
        None => Ok(()),
    }
}
