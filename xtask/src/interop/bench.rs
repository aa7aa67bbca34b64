//! What every case stands on: the program, the clients, servers with a topic.

use std::cell::{OnceCell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::clients::{Programs, Runtime};
use super::server::Coordinator;
use crate::divvy::{self, Server};
use crate::guests::{self, Guests};
use crate::kafka::{Broker, Settings};
use crate::shell::seconds;

/// The group of every case: each has a server of its own.
pub const GROUP: &str = "readers";

/// The topic that it shares.
pub const TOPIC: &str = "orders";

/// Its partitions: shared evenly by 2, 3, 4 and 6 members.
pub const PARTITIONS: usize = 12;

/// Set, the servers' and members' files stay after the run.
const KEEP: &str = "DIVVY_KEEP";

/// What every case stands on.
pub struct Bench {
    /// `divvy`.
    pub program: PathBuf,
    /// The clients' side.
    pub programs: Programs,
    /// Modules that are not among the assignors.
    pub guests: Guests,
    /// Started by the first case that wants it.
    kafka: OnceCell<RefCell<Broker>>,
    folder: tempfile::TempDir,
}

impl Bench {
    /// Builds divvy and its modules, gets the clients.
    pub fn set_up(runtimes: &[Runtime]) -> Result<Self> {
        // What is missing on the machine is said before anything is built.
        let programs = Programs::set_up(runtimes)?;
        let guests = guests::build()?;
        let program = divvy::build()?;
        let mut folder = tempfile::tempdir().context("no folder for temporary files")?;
        // Whoever looks for the reason of something odd wants the logs of what went well, too.
        folder.disable_cleanup(std::env::var_os(KEEP).is_some());
        if std::env::var_os(KEEP).is_some() {
            println!("    logs are kept in {}", folder.path().display());
        }
        Ok(Self { program, programs, guests, kafka: OnceCell::new(), folder })
    }

    /// A server of its own for a case, and the folder of the case's files. `config` goes before the topic in its
    /// configuration.
    pub fn server(&self, case: &str, config: &str) -> Result<(Server, PathBuf)> {
        self.server_of(&self.program, case, config)
    }

    /// The same with another program than divvy's own.
    pub fn server_of(&self, program: &Path, case: &str, config: &str) -> Result<(Server, PathBuf)> {
        let folder = self.folder_of(case)?;
        let config = format!(
            "\"group.initial.rebalance.delay.ms\" = 200\n{config}\n[[topic]]\nname = \"{TOPIC}\"\npartitions = {PARTITIONS}\n"
        );
        Ok((Server::start(program, &folder, &config)?, folder))
    }

    /// The Kafka broker that all cases share.
    pub fn kafka(&self) -> Result<Coordinator<'_>> {
        let broker = match self.kafka.get() {
            Some(broker) => broker,
            None => {
                let broker = Broker::start(&Settings::default())?;
                println!("    the Kafka broker answered after {}", seconds(broker.started_in));
                self.kafka.get_or_init(|| RefCell::new(broker))
            }
        };
        Ok(Coordinator::Kafka(broker, &self.program))
    }

    /// Where a case's files lie.
    pub fn folder_of(&self, case: &str) -> Result<PathBuf> {
        let folder = self.folder.path().join(case.replace('/', "-"));
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(folder)
    }
}
