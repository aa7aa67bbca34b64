//! Starts a server and ends it.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::admin_port::AdminPort;
use super::clock::Clock;
use super::cluster::Cluster;
use super::config::{Config, LoadHeartbeat};
use super::directory::Directory;
use super::ends::Ends;
use super::handle::{Handle, Inner};
use super::large::Large;
use super::limits::{MAX_BLOCKING_THREADS, STOP_GRACE, SWEEP_INTERVAL};
use super::listener;
use super::memory::Memory;
use super::messages::ToShard;
use super::metrics::Metrics;
use super::modules::Modules;
use super::origins::Stored;
use super::plan_maker::PlanMaker;
use super::pulse::Shared;
use super::quiet::Quiet;
use super::registry::Registry;
use super::reload::Reader;
use super::shard::{Ground, Shard};
use super::shutdown::{self, Ended, Heard, Signals};
use super::spawn::{self, Failure, Loss};
use super::start_error::StartError;
use super::store_writer::{self, Jobs, StoreWriter};
use crate::coordinator::{Coordinator, CoordinatorConfig, HeartbeatWhileLoading, SettingsBook, placement};
use crate::sandbox::{Captures, Sandbox};
use crate::store::{Snapshot, Store, StoreError};
use crate::wire::Text;

/// The runtime that suits a server: with one shard everything lives on one thread, so that a request crosses none.
pub fn runtime(config: &Config) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match shard_count(config) {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.enable_all().max_blocking_threads(MAX_BLOCKING_THREADS).thread_name("divvy").build()
}

fn shard_count(config: &Config) -> usize {
    config.shard_count(std::thread::available_parallelism().map_or(1, usize::from))
}

/// A server that is about to start.
pub struct Builder {
    config: Config,
    admin: Option<fn(Handle) -> axum::Router>,
    store: Option<Box<dyn Store>>,
    sandbox: Option<Sandbox>,
    reader: Option<Reader>,
    presents_as_kafka: bool,
}

/// A running server. Dropping it ends it at once, as a crash would; [`Server::stop`] lets it finish.
pub struct Server {
    handle: Handle,
    addr: SocketAddr,
    admin_addr: Option<SocketAddr>,
    failure: Failure,
    reader: Option<Reader>,
    store: StoreWriter,
    store_closed: Option<oneshot::Receiver<()>>,
    /// Accept, sweep, admin.
    outer: Vec<AbortHandle>,
    shards: Vec<AbortHandle>,
}

impl Server {
    /// Starts a server without an admin port.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::builder(config).start().await
    }

    /// A server that is about to start.
    pub fn builder(config: Config) -> Builder {
        Builder { config, admin: None, store: None, sandbox: None, reader: None, presents_as_kafka: false }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where the admin port is, if there is one.
    pub fn admin_addr(&self) -> Option<SocketAddr> {
        self.admin_addr
    }

    /// The server, to look at.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Runs until SIGTERM or SIGINT, or until it cannot go on; then stops. On SIGHUP it reads its configuration again.
    pub async fn run(self) -> Ended {
        let ended = match Signals::listen() {
            Err(error) => Ended::Failed(format!("the system lets nobody wait for signals: {error}")),
            Ok(mut signals) => loop {
                tokio::select! {
                    heard = signals.next() => match (heard, &self.reader) {
                        (Heard::Reread, Some(reader)) => self.handle.reread(reader).await,
                        _ => break Ended::Stopped,
                    },
                    reason = self.failure.wait() => break Ended::Failed(reason),
                }
            },
        };
        self.stop().await;
        ended
    }

    /// Stops: takes no more requests, stores and answers what is known, closes the store. Takes a bounded time.
    pub async fn stop(mut self) {
        self.outer.drain(..).for_each(|task| task.abort());
        shutdown::drain(&self.handle).await;
        self.shards.drain(..).for_each(|task| task.abort());
        self.handle.plan_maker().finish().await;
        self.handle.topics().stop_following(self.handle.clock().now().wall);
        self.store.stop();
        if let Some(closed) = self.store_closed.take() {
            let _ = tokio::time::timeout(STOP_GRACE, closed).await;
        }
        self.handle.quiet().tell_the_rest();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.outer.iter().chain(&self.shards).for_each(AbortHandle::abort);
        self.handle.begin_stop();
        self.handle.registry().all().iter().for_each(|connection| connection.kill());
        self.store.stop();
    }
}

impl Builder {
    /// What the admin port answers: `divvy::admin::routes`. Without it there is no admin port.
    #[must_use]
    pub fn admin(mut self, routes: fn(Handle) -> axum::Router) -> Self {
        self.admin = Some(routes);
        self
    }

    /// A store other than the one that the configuration names.
    #[must_use]
    pub fn store(mut self, store: Box<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// A sandbox for the coordinator's own modules that others use too.
    #[must_use]
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// How the configuration is read again on SIGHUP. Without it SIGHUP ends the server.
    #[must_use]
    pub fn reader(mut self, reader: Reader) -> Self {
        self.reader = Some(reader);
        self
    }

    /// Leaves divvy's own fields out and ignores those of members: to try what members do elsewhere.
    #[must_use]
    pub fn present_as_kafka(mut self) -> Self {
        self.presents_as_kafka = true;
        self
    }

    /// Starts it. Clients are served from now on; their groups may still be being read.
    pub async fn start(self) -> Result<Server, StartError> {
        self.config.check()?;
        let (listener, addr) = listen("listen", self.config.listen).await?;
        let admin = match (self.admin, self.config.admin) {
            (Some(routes), Some(address)) => Some((routes, listen("admin", address).await?)),
            _ => None,
        };
        let Self { config, store, sandbox, reader, presents_as_kafka, .. } = self;
        let cluster = match &config.kafka {
            Some(kafka) => Some(Cluster::new(kafka, kafka.security.read()?)),
            None => None,
        };
        let failure = Failure::default();
        let clock = Clock::start();
        let (store_writer, jobs) = store_writer::queue();
        let (queues, inboxes): (Vec<_>, Vec<_>) = (0..shard_count(&config)).map(|_| unbounded_channel()).unzip();
        let coordinators = coordinators(&config, queues.len());
        let topics = Directory::new(&config, store_writer.clone());
        let metrics = Metrics::new();
        let modules = Modules::new(sandbox, topics.changes(), metrics.modules().clone());
        let modules = open_modules(modules, &config).await?;
        let captures =
            config.capture_dir.as_deref().map(|dir| Captures::open(dir, config.capture_bounds)).transpose()?;
        let plan_maker = PlanMaker::start(Loss::Server(failure.clone()), captures).map_err(StartError::Thread)?;
        modules.warn_of_missing(&config);
        let handle = Handle::new(Inner {
            coordinators: coordinators.clone(),
            clock,
            advertised: advertised(&config, addr),
            shards: queues,
            topics,
            modules,
            plan_maker,
            config: Mutex::new(Arc::new(config.clone())),
            registry: Registry::default(),
            metrics,
            quiet: Quiet::new(clock),
            memory: Memory::new(),
            large: Large::new(),
            max_request_bytes: config.socket_request_max_bytes,
            presents_as_kafka,
            stopping: AtomicBool::new(false),
            failure: failure.clone(),
            ends: Ends::default(),
        });
        let store_closed = open_store(&config, store, jobs, &handle, &failure).await?;
        let shards = start_shards(coordinators, inboxes, &handle, &store_writer, &failure);
        let loss = Loss::Server(failure.clone());
        let mut outer = vec![
            spawn::task("listener", loss.clone(), listener::run(handle.clone(), listener)),
            spawn::task("sweep", loss.clone(), sweep(handle.clone())),
            spawn::task("ground", loss.clone(), handle.clone().tell_ground()),
        ];
        if let Some(cluster) = cluster {
            outer.push(spawn::task("cluster", loss.clone(), cluster.watch(handle.clone())));
        }
        let admin_addr = admin.map(|(routes, (listener, addr))| {
            outer.push(spawn::task(
                "admin",
                loss.clone(),
                serve_admin(AdminPort::new(listener, clock), routes(handle.clone())),
            ));
            addr
        });
        tracing::info!(%addr, admin = admin_addr.map(tracing::field::display), shards = shards.len(), "divvy serves");
        Ok(Server {
            handle,
            addr,
            admin_addr,
            failure,
            reader,
            store: store_writer,
            store_closed: Some(store_closed),
            outer,
            shards,
        })
    }
}

/// Opens the coordinator's own modules, before any group is read that needs them.
async fn open_modules(modules: Modules, config: &Config) -> Result<Modules, StartError> {
    let (told, opened) = oneshot::channel();
    let config = config.clone();
    spawn::blocking("modules", Loss::One, move || {
        let outcome = modules.open(&config);
        let _ = told.send(outcome.map(|()| modules));
    });
    let lost = |_| StartError::Modules("the modules' folder was not read: this is a bug of divvy".to_owned());
    opened.await.map_err(lost)?.map_err(StartError::Modules)
}

async fn listen(key: &'static str, address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error: std::io::Error| {
        let remedy = match error.kind() {
            std::io::ErrorKind::AddrInUse => "another process has that port: stop it, or name another port",
            std::io::ErrorKind::PermissionDenied => "ports below 1024 are for root: name a higher one",
            _ => "name an address of this machine",
        };
        StartError::Listen { key, address, error, remedy }
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

fn advertised(config: &Config, bound: SocketAddr) -> (Text, i32) {
    match &config.advertised_listener {
        Some(told) => (Text::from(told.host.as_str()), i32::from(told.port)),
        None => (Text::from(bound.ip().to_string()), i32::from(bound.port())),
    }
}

/// Starts the store's thread, which opens the store; gives back who is told when it is closed.
async fn open_store(
    config: &Config,
    store: Option<Box<dyn Store>>,
    jobs: Jobs,
    handle: &Handle,
    failure: &Failure,
) -> Result<oneshot::Receiver<()>, StartError> {
    let (opened, wait_opened) = oneshot::channel();
    let (closed, wait_closed) = oneshot::channel();
    let place = config.data.clone();
    let told = failure.clone();
    let handle = handle.clone();
    let thread = move || {
        let store = match store.map_or_else(|| place.open(), Ok) {
            Ok(store) => store,
            Err(error) => return drop(opened.send(Err(error))),
        };
        let _ = opened.send(Ok(()));
        let loaded = |snapshot| distribute(snapshot, &handle);
        if let Err(error) = store_writer::run(store, jobs, &handle, loaded) {
            told.tell(error.message);
        }
        let _ = closed.send(());
    };
    spawn::thread("store", Loss::Server(failure.clone()), thread).map_err(StartError::Thread)?;
    match wait_opened.await {
        Ok(opened) => opened?,
        Err(_) => {
            return Err(StoreError { message: "the store's thread ended while it opened the store".to_owned() }.into());
        }
    }
    Ok(wait_closed)
}

/// Gives each shard its groups.
fn distribute(snapshot: Snapshot, handle: &Handle) {
    let origins = Stored::new(snapshot.origins, snapshot.origins_until, handle.clock().now().wall);
    handle.topics().load(snapshot.topics, origins);
    let mut by_shard = Vec::new();
    by_shard.resize_with(handle.shards(), Vec::new);
    for (group, records) in snapshot.groups {
        by_shard[placement::shard_of(group.as_str(), handle.shards())].push((group, records));
    }
    for (shard, groups) in by_shard.into_iter().enumerate() {
        handle.tell(shard, ToShard::Loaded(groups));
    }
    handle.topics().open();
}

/// One for each shard; none has read its groups yet.
fn coordinators(config: &Config, shards: usize) -> Vec<Shared> {
    let told = CoordinatorConfig {
        limits: config.limits.clone(),
        load_wait: config.load_wait,
        heartbeat_while_loading: match config.load_heartbeat {
            LoadHeartbeat::Ok => HeartbeatWhileLoading::Ok,
            LoadHeartbeat::NotReady => HeartbeatWhileLoading::NotReady,
        },
        settings: SettingsBook::new(config.groups.iter().cloned()),
    };
    (0..shards).map(|_| Arc::new(Mutex::new(Coordinator::new(told.clone())))).collect()
}

fn start_shards(
    coordinators: Vec<Shared>,
    inboxes: Vec<UnboundedReceiver<ToShard>>,
    handle: &Handle,
    store: &StoreWriter,
    failure: &Failure,
) -> Vec<AbortHandle> {
    let start = |(number, (coordinator, inbox)): (usize, (Shared, _))| {
        let loss = Loss::Server(failure.clone());
        let ground = Ground { number, handle: handle.clone(), store: store.clone(), loss: loss.clone() };
        coordinator.lock().unwrap_or_else(PoisonError::into_inner).set_modules(handle.modules().offers());
        let shard = Shard::new(ground, coordinator);
        spawn::task("shard", loss, shard.run(inbox))
    };
    coordinators.into_iter().zip(inboxes).enumerate().map(start).collect()
}

async fn sweep(handle: Handle) {
    let mut interval = tokio::time::interval(SWEEP_INTERVAL);
    loop {
        interval.tick().await;
        handle.registry().sweep(&handle);
        handle.quiet().tell_left_out();
    }
}

async fn serve_admin(listener: AdminPort, routes: axum::Router) {
    if let Err(error) = axum::serve(listener, routes).await {
        tracing::error!(%error, "the admin port is closed");
    }
}
