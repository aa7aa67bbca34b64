//! Settings at runtime: on SIGHUP the configuration is read again. Sections of groups, limits of groups, topics that were
//! added, and who may serve take effect; a file with a mistake changes nothing at all.

use std::sync::Arc;

use super::Handle;
use super::config::{Config, ConfigError};
use super::messages::ToShard;
use super::spawn::{self, Loss};
use crate::coordinator::SettingsBook;
use crate::sandbox::Trust;

/// Reads the configuration anew, command line included.
pub type Reader = Arc<dyn Fn() -> Result<Config, ConfigError> + Send + Sync>;

impl Handle {
    /// Takes a new configuration as far as a running server can: whole, or not at all. Gives back the keys that hold only
    /// after a restart.
    pub async fn reconfigure(&self, config: Config) -> Result<Vec<&'static str>, String> {
        config.check().map_err(|error| error.to_string())?;
        let opening = config.clone();
        self.beside(move |handle| handle.modules().open(&opening)).await??;
        self.topics().reconfigure(&config.topics).await.map_err(|error| error.to_string())?;
        let trust = config.trust.clone();
        self.beside(move |handle| handle.modules().trust_anew(&trust)).await?;
        let book = SettingsBook::new(config.groups.iter().cloned());
        for shard in 0..self.shards() {
            self.tell(shard, ToShard::Reconfigured(Box::new((config.limits.clone(), book.clone()))));
        }
        for lost in no_longer_asked(&self.config().trust, &config.trust) {
            tracing::warn!("{lost}");
        }
        self.modules().warn_of_missing(&config);
        Ok(self.replace_config(config))
    }

    /// Does with the modules what blocks.
    async fn beside<T: Send + 'static>(&self, work: impl FnOnce(&Self) -> T + Send + 'static) -> Result<T, String> {
        let handle = self.clone();
        let (told, done) = tokio::sync::oneshot::channel();
        spawn::blocking("modules", Loss::One, move || {
            let _ = told.send(work(&handle));
        });
        done.await.map_err(|_| "the modules' folder was not read: this is a bug of divvy".to_owned())
    }

    /// On SIGHUP: reads, takes, and tells the log.
    pub(crate) async fn reread(&self, read: &Reader) {
        let outcome = match read() {
            Ok(config) => self.reconfigure(config).await,
            Err(error) => Err(error.to_string()),
        };
        match outcome {
            Ok(later) if later.is_empty() => tracing::info!("the configuration was read again"),
            Ok(later) => {
                tracing::warn!("the configuration was read again; after a restart only: {}", later.join(", "));
            }
            Err(error) => tracing::error!("the configuration stays as it was: {error}"),
        }
    }
}

/// What was asked of modules and is not any more. It may be meant, and it may be a line that was lost.
fn no_longer_asked(old: &Trust, new: &Trust) -> Vec<&'static str> {
    let keys = "module.trusted_keys is empty now: modules serve that nobody has signed; name the keys again if that is not \
                meant";
    let allowed =
        "module.allowed is empty now: modules of any digest serve; name the digests again if that is not meant";
    let lost = [
        (!old.keys.is_empty() && new.keys.is_empty(), keys),
        (!old.allowed.is_empty() && new.allowed.is_empty(), allowed),
    ];
    lost.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, told)| told).collect()
}

/// What runs after `new` was taken: of the keys that only a restart changes the old values.
pub(super) fn running(old: Config, new: Config) -> Config {
    let trust = Trust { keys: new.trust.keys, allowed: new.trust.allowed, ..old.trust };
    let usual_assignors = new.usual_assignors;
    Config { limits: new.limits, topics: new.topics, groups: new.groups, usual_assignors, trust, ..old }
}

/// The keys that differ from what runs and that a running server cannot change.
pub(super) fn only_after_a_restart(old: &Config, new: &Config) -> Vec<&'static str> {
    let differs = [
        ("listen", old.listen != new.listen),
        ("admin", old.admin != new.admin),
        ("advertised.listener", old.advertised_listener != new.advertised_listener),
        ("insecure", old.insecure != new.insecure),
        ("data", old.data != new.data),
        ("socket.request.max.bytes", old.socket_request_max_bytes != new.socket_request_max_bytes),
        ("load.wait.ms", old.load_wait != new.load_wait),
        ("load.heartbeat", old.load_heartbeat != new.load_heartbeat),
        ("topics.auto.create", old.topics_auto_create != new.topics_auto_create),
        ("kafka.…", old.kafka != new.kafka),
        ("shards", old.shards != new.shards),
        ("log.format", old.log_format != new.log_format),
        ("log.filter", old.log_filter != new.log_filter),
        ("assignors", old.assignors != new.assignors),
        ("module.cache", old.module_cache != new.module_cache),
        ("module.wasi_shim", old.trust.wasi_shim != new.trust.wasi_shim),
        ("module.max_call_ms", old.trust.ceilings.call_ms != new.trust.ceilings.call_ms),
        ("module.max_memory_mib", old.trust.ceilings.memory_mib != new.trust.ceilings.memory_mib),
        ("capture.…", (&old.capture_dir, old.capture_bounds) != (&new.capture_dir, new.capture_bounds)),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
}
