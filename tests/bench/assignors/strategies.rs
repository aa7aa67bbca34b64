//! The strategies that are measured: every module of type `consumer` that plans partitions, with a configuration under which it
//! takes any group.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use divvy::sandbox::{Module, Sandbox, SandboxLimits};
use serde_json::{Value, json};

use crate::native;
use crate::world::World;

/// What a strategy has to be told to share out any topics.
fn config(name: &str) -> Value {
    match name {
        "redundant" => json!({ "copies": 2 }),
        "single-writer" => json!({ "scope": "topic" }),
        _ => Value::Null,
    }
}

/// Those that are measured.
pub struct Strategies {
    all: Vec<(&'static str, Arc<Module>, Value)>,
    /// Those that refuse a small ordinary group, being about something else, and why.
    pub refusing: Vec<(&'static str, String)>,
}

impl Strategies {
    /// Those of these names, or all.
    pub fn load(named: &[String]) -> Result<Self> {
        let sandbox = Sandbox::new(SandboxLimits::default())?;
        let all: Vec<&'static str> = native::of_partitions().collect();
        if let Some(unknown) = named.iter().find(|name| !all.contains(&name.as_str())) {
            bail!("there is no strategy {unknown:?}; there are {}", all.join(", "));
        }
        let (mut strategies, mut refusing) = (Vec::new(), Vec::new());
        for name in all.into_iter().filter(|name| named.is_empty() || named.iter().any(|it| it == name)) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors").join(format!("{name}.wasm"));
            let bytes = fs::read(&path).with_context(|| format!("{}: run cargo xtask guests", path.display()))?;
            let module = sandbox.load(&bytes, &path)?;
            let config = config(name);
            let plan = World::even(2, 3, 2).group(&*module, None, &config).plan(&*module);
            match plan {
                Ok(_) => strategies.push((name, module, config)),
                Err(refused) => refusing.push((name, refused.to_string())),
            }
        }
        Ok(Self { all: strategies, refusing })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Arc<Module>, &Value)> {
        self.all.iter().map(|(name, module, config)| (*name, module, config))
    }
}
