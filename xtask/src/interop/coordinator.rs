//! Unmodified clients in a group that the coordinator leads: they are assigned by its module, through everything that may
//! change under them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Case;
use super::away::Away;
use super::bench::{Bench, GROUP, PARTITIONS, TOPIC};
use super::cast::Cast;
use super::clients::{Runtime, named};
use super::member::{STEP, Seat};
use crate::divvy;
use crate::process::wait_until;
use crate::shell::root;

/// Added to the topic while the group works.
const MORE: usize = 2;

/// The cases.
pub fn cases() -> Vec<Case> {
    let case = |strategy: &'static str| Case {
        name: format!("coordinator/{strategy}"),
        needs: vec![Runtime::Python],
        run: Box::new(move |bench| led(bench, strategy)),
    };
    vec![case("range"), case("cooperative-sticky")]
}

/// Two libraries in one group, under a name that both offer, behind which a module of the coordinator's serves.
fn led(bench: &Bench, strategy: &'static str) -> Result<()> {
    let assignors = tempfile::tempdir().context("no folder for the coordinator's modules")?;
    divvy::drop_module(&root().join("assignors/rack-aware.wasm"), assignors.path(), "rack-aware")?;
    let config = format!(
        "assignors = {:?}\n[[group]]\nmatch = \"*\"\nlead = \"coordinator\"\n\
         alias = [{{ protocol = \"{strategy}\", assignor = \"rack-aware@1\" }}]\n",
        assignors.path()
    );
    Cast::play(bench, &format!("coordinator-{strategy}"), &config, |cast| {
        for name in ["confluent-kafka", "kafka-python"] {
            cast.join(&Seat { name, client: named(name)?, strategy, instance: None })?;
        }
        let settled = cast.settle()?;
        if settled.protocol != strategy || !settled.leader.is_empty() {
            bail!("no member should lead, under {strategy}: {settled:?}");
        }
        let first = led_with(cast)?;
        println!("    led by the coordinator with rack-aware@1: {}", cast.who_owns_what());

        cast.join(&Seat { name: "third", client: named("confluent-kafka")?, strategy, instance: None })?;
        let before = cast.rest()?;
        let took = before.0.generation - settled.generation;
        // Under a cooperative name a partition first leaves its old owner, and in the next generation comes to its new one.
        let least = if strategy == "cooperative-sticky" { 2 } else { 1 };
        if took < least {
            bail!("a third came, and partitions moved within {took} generations");
        }
        println!("    a third came, in {took} generations: {}", cast.who_owns_what());

        cast.restart_and_meet(Away::Killed)?;
        cast.undisturbed(&before)?;
        let before = before.0;
        println!("    the coordinator was killed: generation {} goes on", before.generation);

        replace(&assignors.path().join("rack-aware.wasm"))?;
        wait_until("the other module to serve", STEP, || Ok((led_with(cast)? != first).then_some(())))?;
        let after = cast.settle()?;
        if after.generation <= before.generation {
            bail!("generation {} came after {}", after.generation, before.generation);
        }
        println!("    the module was replaced: generation {}", after.generation);

        grow(cast)?;
        println!("    {MORE} partitions more: {}", cast.who_owns_what());
        cast.leave_all()
    })
}

/// The same strategy in another file: a section more, which no host looks at.
fn replace(file: &Path) -> Result<()> {
    let mut bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    bytes.extend_from_slice(&[0, 2, 1, b'x']);
    let copy = file.with_extension("copy");
    fs::write(&copy, bytes).and_then(|()| fs::rename(&copy, file)).context("the module cannot be replaced")
}

/// The digest of the module by which the coordinator leads.
fn led_with(cast: &Cast<'_>) -> Result<Value> {
    let group = cast.server.describe(GROUP)?;
    if group["leader"] != "divvy" || group["led"]["assignor"] != "rack-aware@1" {
        bail!("the coordinator should lead with rack-aware@1: {} {}", group["leader"], group["led"]);
    }
    Ok(if group["state"] == "Stable" { group["plan_digest"].clone() } else { Value::Null })
}

/// The operator adds partitions to the topic; every one of them finds an owner.
fn grow(cast: &mut Cast<'_>) -> Result<()> {
    let file = cast.folder.join("divvy.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    let all = PARTITIONS + MORE;
    let text = text.replace(&format!("partitions = {PARTITIONS}"), &format!("partitions = {all}"));
    fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    cast.server.hang_up()?;
    wait_until(&format!("{all} partitions of {TOPIC} to be owned"), STEP, || {
        let mut owned = BTreeSet::new();
        let mut count = 0;
        for member in &mut cast.members {
            member.listen()?;
            count += member.owns.len();
            owned.extend(member.owns.iter().copied());
        }
        Ok((owned.len() == all && count == all).then_some(()))
    })
}
