//! Who plays: one coordinator, three members with a rack and a folder of modules each. What they say is printed as it comes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::divvy::{Member, Role, Server, drop_module, modules_of};
use crate::process::{wait_until, watch};
use crate::shell::root;

use super::table;

/// The group; version 3 of the demo's strategy traps in a group of this name and in no other.
pub const GROUP: &str = "search-indexers";
/// What it works on.
pub const TOPIC: &str = "clicks";
/// Its size; see [`rack_of`].
pub const PARTITIONS: i64 = 9;
/// The members, each with its rack.
pub const CAST: [(&str, &str); 3] = [("ana", "eu-1a"), ("ben", "eu-1b"), ("cleo", "eu-1c")];

/// Partition p lies in the rack of member p % 3: like the teeth of a zip, so that range puts most partitions far
/// from their data.
pub fn rack_of(partition: i64) -> &'static str {
    CAST[usize::try_from(partition).unwrap_or_default() % CAST.len()].1
}

/// What takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running story.
pub struct Stage {
    /// The program.
    pub program: PathBuf,
    /// Where versions 2 and 3 lie.
    pub later_versions: PathBuf,
    /// The coordinator.
    pub server: Server,
    /// The members, in the order of [`CAST`].
    pub members: Vec<Member>,
    folder: tempfile::TempDir,
    fault: Option<Value>,
}

impl Stage {
    /// Starts the coordinator; nobody has joined yet.
    pub fn set(program: PathBuf, later_versions: PathBuf) -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("divvy-demo-").tempdir().context("no folder for temporary files")?;
        let server = Server::start(&program, folder.path(), &config())?;
        println!("\ncoordinator: divvy serve on {}, files in {}", server.address(), folder.path().display());
        Ok(Self { program, later_versions, server, members: Vec::new(), folder, fault: None })
    }

    /// The next member joins, with `range` in its folder.
    pub fn enter(&mut self, name: &str, rack: &str) -> Result<()> {
        let folder = self.folder.path();
        drop_module(&root().join("assignors/range.wasm"), &modules_of(folder, name), "range")?;
        let server = self.server.address();
        let role = Role { name, server: &server, group: GROUP, topic: TOPIC, rack: Some(rack) };
        let member = Member::join(&self.program, folder, &role)?;
        self.members.push(member);
        Ok(())
    }

    /// Puts a module into the member's folder, under the strategy's name.
    pub fn give(&mut self, member: usize, module: &Path) -> Result<()> {
        println!("  … {} gets {}", self.members[member].name, file_name(module));
        drop_module(module, &self.members[member].modules, "rack-aware")
    }

    /// Waits, and prints what is said meanwhile.
    pub fn until<T>(&mut self, what: &str, mut look: impl FnMut(&mut Self) -> Result<Option<T>>) -> Result<T> {
        wait_until(what, PATIENCE, || {
            self.listen();
            look(self)
        })
    }

    /// Looks for so long whether something stays as it is.
    pub fn watch(&mut self, time: Duration, mut look: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        watch(time, || {
            self.listen();
            look(self)
        })
    }

    /// Waits until all members work under the protocol in one generation, later than `before`.
    pub fn settle(&mut self, protocol: &str, before: i64) -> Result<i64> {
        let generation = self.until(&format!("the group to settle on {protocol}"), |stage| {
            let settled = stage.settled(&[]);
            let settled = settled.filter(|(chosen, generation)| chosen == protocol && *generation > before);
            Ok(settled.map(|(_, generation)| generation))
        })?;
        println!("\n{}", table::who_owns_what(&self.members, &[]));
        Ok(generation)
    }

    /// The protocol and the generation, when all agree and every partition is owned once; `elsewhere` are partitions of
    /// members that are not ours.
    pub fn settled(&self, elsewhere: &[i64]) -> Option<(String, i64)> {
        let (protocol, generation) = self.members.first()?.works_in()?;
        let agreed = self.members.iter().all(|member| member.works_in() == Some((protocol, generation)));
        let mut owned: Vec<i64> = self.members.iter().flat_map(|member| member.owns(TOPIC)).collect();
        owned.extend(elsewhere);
        owned.sort_unstable();
        (agreed && owned == (0..PARTITIONS).collect::<Vec<_>>()).then(|| (protocol.to_owned(), generation))
    }

    /// Waits until the coordinator knows that the member has the protocol.
    pub fn announced(&mut self, member: usize, protocol: &str) -> Result<()> {
        let name = self.members[member].name.clone();
        self.until(&format!("{name} to announce {protocol}"), |stage| {
            let group = stage.server.describe(GROUP)?;
            let members = group["members"].as_array().context("a group has members")?;
            let ours = members.iter().find(|member| member["client_id"] == name.as_str());
            let modules = ours.and_then(|member| member["modules"].as_array());
            let has_it = modules.is_some_and(|modules| modules.iter().any(|module| module["protocol"] == protocol));
            Ok(has_it.then_some(()))
        })
    }

    /// The generation must be the one that it was.
    pub fn still_in(&mut self, protocol: &str, generation: i64) -> Result<()> {
        self.listen();
        match self.settled(&[]) {
            Some((now, number)) if now == protocol && number == generation => Ok(()),
            other => {
                bail!("the group should still be on {protocol} in generation {generation}, but it is on {other:?}")
            }
        }
    }

    /// The fault that a member has told of, once.
    pub fn take_fault(&mut self) -> Option<Value> {
        self.fault.take()
    }

    /// Where all files of the story lie.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the processes logged, for a story that broke off.
    pub fn logs(&self) -> String {
        let mut text = format!("--- log of divvy serve\n{}\n", self.server.log_tail());
        for member in &self.members {
            text.push_str(&format!("--- log of {}\n{}\n", member.name, member.log_tail()));
        }
        text
    }

    /// Prints all news.
    pub fn listen(&mut self) {
        for member in &mut self.members {
            for event in member.news() {
                println!("  {:<5} {}", member.name, table::sentence(&event));
                if event["event"] == "fault" {
                    self.fault = Some(event);
                }
            }
        }
    }
}

/// `rack-aware-2.wasm` of `target/guests/demo/rack-aware-2.wasm`.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn config() -> String {
    let racks: Vec<String> = (0..PARTITIONS).map(|partition| format!("\"{}\"", rack_of(partition))).collect();
    format!(
        "group.initial.rebalance.delay.ms = 500\n\n[[topic]]\nname = \"{TOPIC}\"\npartitions = {PARTITIONS}\nracks = [{}]\n",
        racks.join(", ")
    )
}
