//! Who coordinates a group under test: a `divvy serve` of its own, or the Kafka broker that many cases share.

use std::cell::RefCell;
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::tools::Tools;
use crate::divvy::{self, Server};
use crate::java;
use crate::kafka::{Broker, Certificates, Generation, Listener};

/// A coordinator, as the cases need it.
pub enum Coordinator<'a> {
    /// divvy.
    Divvy(Box<Server>),
    /// Apache Kafka, asked with the `divvy` of that path.
    Kafka(&'a RefCell<Broker>, &'a Path),
}

impl Coordinator<'_> {
    /// Where it speaks Kafka's protocol.
    pub fn address(&self) -> String {
        match self {
            Self::Divvy(server) => server.address(),
            Self::Kafka(broker, _) => broker.borrow().address(),
        }
    }

    /// Where another listener of the broker is.
    pub fn at(&self, listener: Listener) -> Result<String> {
        match self {
            Self::Divvy(_) => bail!("divvy has one listener"),
            Self::Kafka(broker, _) => Ok(broker.borrow().at(listener)),
        }
    }

    /// What the broker's clients need to trust it, and to be trusted.
    pub fn certificates(&self) -> Result<Certificates> {
        match self {
            Self::Divvy(_) => bail!("divvy shows no certificate"),
            Self::Kafka(broker, _) => Ok(broker.borrow().certificates.clone()),
        }
    }

    /// What `divvy groups describe` says; of a group on Kafka also what its broker has stored and does not tell.
    pub fn describe(&self, group: &str) -> Result<Value> {
        let (broker, program) = match self {
            Self::Divvy(server) => return server.describe(group),
            Self::Kafka(broker, program) => (broker, program),
        };
        let mut told = divvy::ask(program, &["groups", "describe", group, "--server", &self.address()])?;
        if let Some(Generation { number, protocol, leader }) = broker.borrow().generations(group)?.pop() {
            told["generation"] = json!(number);
            told["protocol"] = json!(protocol);
            told["leader"] = json!(leader);
        }
        Ok(told)
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) -> Result<()> {
        match self {
            Self::Divvy(server) => server.kill(),
            Self::Kafka(broker, _) => broker.borrow_mut().kill(),
        }
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&mut self) -> Result<()> {
        match self {
            Self::Divvy(server) => server.stop(),
            Self::Kafka(broker, _) => broker.borrow_mut().stop(),
        }
    }

    /// Starts it again: same address, same files.
    pub fn restart(&mut self) -> Result<()> {
        match self {
            Self::Divvy(server) => server.restart(),
            Self::Kafka(broker, _) => broker.borrow_mut().restart(),
        }
    }

    /// Makes divvy read its configuration again.
    pub fn hang_up(&self) -> Result<()> {
        match self {
            Self::Divvy(server) => server.hang_up(),
            Self::Kafka(..) => bail!("Kafka reads no configuration again"),
        }
    }

    /// Kafka's own tools, told where it is.
    pub fn tools(&self) -> Result<Tools> {
        let classpath = match self {
            Self::Divvy(_) => java::jars("admin")?,
            Self::Kafka(broker, _) => broker.borrow().classpath().to_owned(),
        };
        Ok(Tools { classpath, server: self.address() })
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        match self {
            Self::Divvy(server) => server.log_tail(),
            Self::Kafka(broker, _) => broker.borrow().log_tail(),
        }
    }
}
