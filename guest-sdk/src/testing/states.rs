//! Tests of strategies of shape `states`.

use std::collections::BTreeMap;

use super::entry::Entries;
use super::{Entry, NoPlan, Refused, quiet};
use crate::abi::host::{self, Body, Expected, StateMember, StatesRequest};
use crate::run::{self, AssignStates, CheckStates};

/// A group whose members get bytes of the application's own.
#[derive(Clone, Debug, Default)]
pub struct TestStates {
    pub(super) members: BTreeMap<String, (Option<String>, Vec<u8>)>,
    pub(super) generation: i32,
    protocol: Option<String>,
    pub(super) config: Entries,
    pub(super) now_ms: i64,
    pub(super) context: Option<Vec<u8>>,
    pub(super) memo: Option<Vec<u8>>,
    /// In which order settings are said.
    shuffle: u64,
}

/// What each member gets.
#[derive(Clone, PartialEq, Debug)]
pub struct TestStatesPlan {
    /// The states by member.
    pub states: BTreeMap<String, Vec<u8>>,
    /// What to remember.
    pub memo: Option<Vec<u8>>,
    /// When to make a new plan although nothing changed.
    pub call_again_ms: Option<u64>,
}

impl TestStates {
    /// An empty group in its first generation.
    pub fn new() -> Self {
        TestStates { generation: 1, ..TestStates::default() }
    }

    /// Adds a member.
    pub fn member(mut self, id: &str, metadata: impl Into<Vec<u8>>) -> Self {
        self.members.insert(id.to_owned(), (None, metadata.into()));
        self
    }

    /// Adds a static member.
    pub fn static_member(mut self, id: &str, instance_id: &str, metadata: impl Into<Vec<u8>>) -> Self {
        self.members.insert(id.to_owned(), (Some(instance_id.to_owned()), metadata.into()));
        self
    }

    /// Removes a member.
    pub fn without_member(mut self, id: &str) -> Self {
        self.members.remove(id);
        self
    }

    /// Sets the generation.
    pub fn generation(mut self, generation: i32) -> Self {
        self.generation = generation;
        self
    }

    /// Sets the protocol that the group agreed on.
    pub fn protocol(mut self, protocol: &str) -> Self {
        self.protocol = Some(protocol.to_owned());
        self
    }

    /// Sets a value of the configuration.
    pub fn config(mut self, name: &str, value: impl Into<Entry>) -> Self {
        self.config.set(name, value.into());
        self
    }

    /// The same group with its settings in another order; one seed, one order, 0 that in which they were said.
    pub fn shuffled(mut self, seed: u64) -> Self {
        self.shuffle = seed;
        self
    }

    /// Sets what every member sent when it joined, by its id.
    pub fn metadata<M: Into<Vec<u8>>>(mut self, of: impl Fn(&str) -> M) -> Self {
        self.members.iter_mut().for_each(|(id, (_, metadata))| *metadata = of(id).into());
        self
    }

    /// Sets the wall clock.
    pub fn now_ms(mut self, now_ms: i64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// Sets the application's context.
    pub fn context(mut self, context: impl Into<Vec<u8>>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Sets what the last plan asked to be remembered.
    pub fn memo(mut self, memo: Option<Vec<u8>>) -> Self {
        self.memo = memo;
        self
    }

    /// Calls the strategy.
    ///
    /// # Panics
    /// When the strategy does, or when its reply is no reply.
    pub fn plan(&self, assign: AssignStates) -> Result<TestStatesPlan, Refused> {
        self.read(&run::states(assign, &self.request())).map_err(NoPlan::refused)
    }

    /// Calls the strategy; a panic of its is an error like any other.
    pub fn try_plan(&self, assign: AssignStates) -> Result<TestStatesPlan, NoPlan> {
        let request = self.request();
        let reply = quiet::caught(|| run::states(assign, &request));
        self.read(&reply.map_err(|text| NoPlan::Failed(format!("it panicked: {text}")))?)
    }

    /// Reads the reply to this group's [request](TestStates::request), whoever made it.
    pub fn read(&self, reply: &[u8]) -> Result<TestStatesPlan, NoPlan> {
        let reply = host::parse_reply(reply, Expected::States { members: self.members.len() });
        match reply.map_err(|malformed| NoPlan::Failed(format!("the reply: {malformed}")))?.body {
            Body::States(body) => Ok(TestStatesPlan {
                states: self.members.keys().cloned().zip(body.states.iter().map(|state| state.to_vec())).collect(),
                memo: body.memo.map(<[u8]>::to_vec),
                call_again_ms: body.call_again_ms,
            }),
            other => Err(NoPlan::of(other)),
        }
    }

    /// Calls the strategy's own check of a plan.
    ///
    /// # Panics
    /// When the check does, or when its reply is no reply.
    pub fn check(&self, judge: CheckStates, plan: &TestStatesPlan) -> Result<(), Refused> {
        let states: Vec<&[u8]> = plan.states.values().map(Vec::as_slice).collect();
        let mut bytes = Vec::new();
        host::write_check(&self.request(), &states, &mut bytes);
        match parse(&run::check(judge, &bytes), Expected::Check) {
            Body::Checked => Ok(()),
            other => Err(NoPlan::of(other).refused()),
        }
    }

    /// The bytes that a host would send.
    pub fn request(&self) -> Vec<u8> {
        let members = self.members.iter();
        let members: Vec<StateMember<'_>> = members
            .map(|(id, (instance_id, metadata))| StateMember { id, instance_id: instance_id.as_deref(), metadata })
            .collect();
        let mut bytes = Vec::new();
        let config = self.config.said(self.shuffle);
        let protocol = self.protocol.as_deref().unwrap_or("test");
        let head = host::Head {
            group: "test",
            protocol,
            generation: self.generation,
            config: &config,
            ..host::Head::default()
        };
        StatesRequest {
            head,
            context: self.context.as_deref(),
            members: &members,
            now_ms: self.now_ms,
            memo: self.memo.as_deref(),
        }
        .write(&mut bytes);
        bytes
    }
}

fn parse(reply: &[u8], expected: Expected) -> Body<'_> {
    host::parse_reply(reply, expected).unwrap_or_else(|malformed| panic!("the reply: {malformed}")).body
}
