//! A group under test: a server, its members, and what must be true of them when they have settled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::bench::{Bench, GROUP, PARTITIONS, TOPIC};
use super::clients::{Runtime, WhenLost};
use super::member::{Member, Place, STEP, Seat};
use super::server::Coordinator;
use crate::divvy::{self, Server};
use crate::process::{Process, wait_until};
use crate::shell::root;

/// A server and the members of its group.
pub struct Cast<'a> {
    /// The coordinator.
    pub server: Coordinator<'a>,
    /// The group, and the topic that it shares.
    pub group: String,
    /// See [`Self::group`].
    pub topic: String,
    /// Where logs lie.
    pub folder: PathBuf,
    /// Those who are in the group, in the order of their coming.
    pub members: Vec<Member>,
    /// Those who have left in good order.
    pub gone: Vec<Member>,
    /// How long the coordinator was away, if it was.
    pub away: Option<Duration>,
    bench: &'a Bench,
    commits: i64,
}

/// A settled group as the coordinator describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// The generation.
    pub generation: i64,
    /// The protocol of it.
    pub protocol: String,
    /// The client id of its leader; empty when it is none of the members.
    pub leader: String,
}

impl<'a> Cast<'a> {
    /// Runs a story on a server of its own; shows all logs when it goes wrong.
    pub fn play(bench: &'a Bench, case: &str, config: &str, story: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        Self::play_on(bench, bench.server(case, config)?, story)
    }

    /// The same on a server that is there.
    pub fn play_on(
        bench: &'a Bench,
        (server, folder): (Server, PathBuf),
        story: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let server = Coordinator::Divvy(Box::new(server));
        let (group, topic) = (GROUP.to_owned(), TOPIC.to_owned());
        let mut cast = Self::new(bench, server, folder, [group, topic]);
        story(&mut cast).inspect_err(|_| cast.show_logs())
    }

    /// The same on the Kafka broker, with a group and a topic of the case's own.
    pub fn play_on_kafka(bench: &'a Bench, case: &str, story: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (server, folder) = (bench.kafka()?, bench.folder_of(case)?);
        let (group, topic) = (format!("{GROUP}-{case}"), format!("{TOPIC}-{case}"));
        let mut cast = Self::new(bench, server, folder, [group, topic]);
        cast.make_topic(&cast.topic, PARTITIONS)?;
        story(&mut cast).inspect_err(|_| cast.show_logs())
    }

    fn new(bench: &'a Bench, server: Coordinator<'a>, folder: PathBuf, [group, topic]: [String; 2]) -> Self {
        let (members, gone) = (Vec::new(), Vec::new());
        Self { server, group, topic, folder, members, gone, away: None, bench, commits: 0 }
    }

    /// `divvy`.
    pub fn program(&self) -> &Path {
        &self.bench.program
    }

    /// Makes a topic.
    pub fn make_topic(&self, topic: &str, partitions: usize) -> Result<()> {
        self.topics(["create", topic, "--partitions", &partitions.to_string()])
    }

    /// Gives a topic more partitions, up to so many.
    pub fn grow_topic(&self, topic: &str, partitions: usize) -> Result<()> {
        self.topics(["add-partitions", topic, "--to", &partitions.to_string()])
    }

    fn topics(&self, words: [&str; 4]) -> Result<()> {
        let server = self.server.address();
        let words = [&["topics"], &words[..], &["--server", &server]].concat();
        divvy::ask(&self.bench.program, &words).map(drop)
    }

    /// A `divvy join` beside the members: told what to join by words of its own, with these modules.
    pub fn divvy_join(&self, name: &str, modules: &[&str], words: &[&str]) -> Result<divvy::Member> {
        self.divvy_join_at(name, &self.server.address(), modules, words)
    }

    /// The same at another listener of the coordinator's.
    pub fn divvy_join_at(&self, name: &str, server: &str, modules: &[&str], words: &[&str]) -> Result<divvy::Member> {
        for module in modules {
            let file = root().join(format!("assignors/{module}.wasm"));
            divvy::drop_module(&file, &divvy::modules_of(&self.folder, name), module)?;
        }
        let seat = divvy::Seat { name, server, group: &self.group };
        divvy::Member::join_with(&self.bench.program, &self.folder, &seat, words)
    }

    /// A member more.
    pub fn join(&mut self, seat: &Seat<'_>) -> Result<()> {
        let server = self.server.address();
        let place = Place { server: &server, group: &self.group, topic: &self.topic, folder: &self.folder };
        let member = Member::start(self.bench, &place, seat)?;
        self.members.push(member);
        Ok(())
    }

    /// A member of divvy's with modules of its own, from that folder.
    pub fn join_with_modules(&mut self, seat: &Seat<'_>, modules: &Path) -> Result<()> {
        let server = self.server.address();
        let place = Place { server: &server, group: &self.group, topic: &self.topic, folder: &self.folder };
        let mut command = self.bench.programs.member(seat.client);
        command.env("DIVVY_ASSIGNORS", modules);
        self.members.push(Member::start_with(command, &place, seat)?);
        Ok(())
    }

    /// The same in a rack, and with topics beside the group's: what it says that it owns is of the group's.
    pub fn join_in(&mut self, seat: &Seat<'_>, rack: Option<&str>, topics: &[&str]) -> Result<()> {
        let (server, topic) = (self.server.address(), [&[self.topic.as_str()], topics].concat().join(","));
        let place = Place { server: &server, group: &self.group, topic: &topic, folder: &self.folder };
        let mut command = self.bench.programs.member(seat.client);
        command.envs(rack.map(|rack| ("RACK", rack)));
        self.members.push(Member::start_with(command, &place, seat)?);
        Ok(())
    }

    /// A worker made of divvy's own library, whose work is not partitions of topics, with these modules.
    pub fn worker(&self, kind: &str, name: &str, context: &str, modules: &Path) -> Result<Process> {
        let mut command = Command::new(&self.bench.programs.divvy);
        command.args(["worker", kind, &self.server.address(), &self.group, name, context]);
        command.env("DIVVY_ASSIGNORS", modules);
        Process::start(name, &command, &self.folder.join(format!("{name}.log")))
    }

    /// A `divvy serve` of the case's own, beside the coordinator.
    pub fn divvy_beside(&self, config: &str, words: &[&str]) -> Result<Server> {
        let folder = self.folder.join("beside");
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Server::start_with(&self.bench.program, &folder, config, words)
    }

    /// A module of the repository's that is not among the assignors.
    pub fn demo_module(&self, name: &str) -> PathBuf {
        self.bench.guests.demo.join(format!("{name}.wasm"))
    }

    /// A script for Python with the clients at hand, told where the coordinator is; its arguments follow.
    pub fn script(&self, script: &str) -> Command {
        let mut command = self.bench.programs.script(Runtime::Python, &root().join(script));
        command.arg(self.server.address());
        command
    }

    /// Waits until the coordinator has a stable generation of exactly these members, each owns what the coordinator
    /// says, and every partition is owned exactly once.
    pub fn settle(&mut self) -> Result<Settled> {
        let mut last = String::new();
        let settled = wait_until("the group to settle", STEP, || {
            for member in &mut self.members {
                member.listen()?;
            }
            let group = self.describe()?;
            Ok(match self.judge(&group) {
                Ok(settled) => Some(settled),
                Err(why) => {
                    last = why;
                    None
                }
            })
        });
        settled.with_context(|| format!("the group did not settle: {last}"))
    }

    /// Waits until the coordinator rebalances, or already has.
    pub fn rebalancing(&mut self) -> Result<()> {
        wait_until("a rebalance", STEP, || {
            let group = self.describe()?;
            let came = group["members"].as_array().is_some_and(|members| members.len() == self.members.len());
            Ok((group["state"] != "Stable" || came).then_some(()))
        })
    }

    /// Waits as [`Self::settle`] does, and until every member has come to rest. One that was given the same partitions
    /// again may seem to have them before its library has told it: when it has committed in the new generation and
    /// been asked once more, it has been told.
    pub fn rest(&mut self) -> Result<(Settled, Vec<i64>)> {
        // An absence that is over says nothing of whom to count.
        self.away = None;
        self.settle()?;
        self.commit_each()?;
        let settled = self.settle()?;
        Ok((settled, self.assignments()))
    }

    /// The members still have what they had when they rested, and nobody was assigned anything since.
    pub fn undisturbed(&mut self, (before, counted): &(Settled, Vec<i64>)) -> Result<()> {
        let now = self.settle()?;
        if now != *before {
            bail!("there should have been no rebalance: before {before:?}, now {now:?}");
        }
        let now = self.assignments();
        if now != *counted {
            bail!("nobody should have been assigned anything: {counted:?} became {now:?} ({})", self.who_owns_what());
        }
        Ok(())
    }

    /// How often each member was assigned something; 0 of those that cannot be asked, or join again by themselves.
    pub fn assignments(&self) -> Vec<i64> {
        let waits = |member: &Member| matches!(self.when_lost(member), WhenLost::Waits | WhenLost::LeaderRejoins);
        let counted = |member: &Member| member.client.commits && waits(member);
        self.members.iter().map(|member| if counted(member) { member.assignments } else { 0 }).collect()
    }

    /// The member of that name.
    pub fn member(&mut self, name: &str) -> Result<&mut Member> {
        let found = self.members.iter_mut().find(|member| member.name == name);
        found.with_context(|| format!("there is no member {name}"))
    }

    /// The member of that name leaves in good order; the others stay.
    pub fn leave(&mut self, name: &str) -> Result<()> {
        let mut member = self.part(name)?;
        let left = member.leave();
        self.gone.push(member);
        left
    }

    /// All leave in good order, who came last first.
    pub fn leave_all(&mut self) -> Result<()> {
        while let Some(name) = self.members.last().map(|member| member.name.clone()) {
            self.leave(&name)?;
        }
        Ok(())
    }

    /// The member of that name is no longer asked; its process goes on.
    pub fn part(&mut self, name: &str) -> Result<Member> {
        let place = self.members.iter().position(|member| member.name == name);
        Ok(self.members.remove(place.with_context(|| format!("there is no member {name}"))?))
    }

    /// The member of that name ends as by `kill -9`; the others stay.
    pub fn kill(&mut self, name: &str) -> Result<()> {
        self.member(name)?.kill()?;
        self.members.retain(|member| member.name != name);
        Ok(())
    }

    /// Every member that can commits to the first partition of its own, further than anybody before, and reads it back.
    pub fn commit_each(&mut self) -> Result<()> {
        self.commits += 1;
        for member in self.members.iter_mut().filter(|member| member.client.commits) {
            member.commit_and_fetch_first(self.commits)?;
        }
        Ok(())
    }

    /// A member reads what was committed last to partition 0: its owner always commits to it.
    pub fn fetch(&mut self, name: &str) -> Result<()> {
        let last = self.commits;
        self.member(name)?.fetch(0, last)
    }

    /// `a [0, 1], b [2, 3]`.
    pub fn who_owns_what(&self) -> String {
        let owned = self.members.iter().map(|member| format!("{} {:?}", member.name, Vec::from_iter(&member.owns)));
        owned.collect::<Vec<_>>().join(", ")
    }

    /// Why the group rebalanced last; Kafka does not tell.
    pub fn last_trigger(&self) -> Result<Option<String>> {
        Ok(self.describe()?["last_trigger"].as_str().map(str::to_owned))
    }

    fn describe(&self) -> Result<Value> {
        // A group that nobody has joined yet is not there.
        Ok(self.server.describe(&self.group).unwrap_or(Value::Null))
    }

    fn judge(&self, group: &Value) -> Result<Settled, String> {
        let listed = group["members"].as_array().map(Vec::as_slice).unwrap_or_default();
        let found = |name: &str| listed.iter().find(|member| member["client_id"] == name);
        if group["state"] != "Stable" || listed.len() != self.members.len() {
            let names: Vec<&Value> = listed.iter().map(|member| &member["client_id"]).collect();
            return Err(format!("it is {} with the members {names:?}; {}", group["state"], self.who_owns_what()));
        }
        let mut all = BTreeSet::new();
        for member in &self.members {
            let told = found(&member.name).ok_or_else(|| format!("{} is no member", member.name))?;
            let given = told["state"][&self.topic].as_array().map(Vec::as_slice).unwrap_or_default();
            let given: BTreeSet<i64> = given.iter().filter_map(Value::as_i64).collect();
            if given != member.owns {
                return Err(format!("{} was given {given:?} and says it owns {:?}", member.name, member.owns));
            }
            if let Some(twice) = given.iter().find(|partition| !all.insert(**partition)) {
                return Err(format!("partition {twice} is owned twice: {}", self.who_owns_what()));
            }
        }
        if all.len() != PARTITIONS {
            return Err(format!("only {all:?} are owned: {}", self.who_owns_what()));
        }
        let leader = listed.iter().find(|member| member["id"] == group["leader"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Settled {
            generation: group["generation"].as_i64().unwrap_or_default(),
            protocol: text(&group["protocol"]),
            leader: leader.map(|leader| text(&leader["client_id"])).unwrap_or_default(),
        })
    }

    fn show_logs(&self) {
        for member in self.members.iter().chain(&self.gone) {
            eprintln!("--- log of {}\n{}", member.name, member.log_tail());
        }
        eprintln!("--- log of the coordinator\n{}\n---", self.server.log_tail());
    }
}
