//! What a call costs, counted in instructions instead of time: the same module and request cost the same on every machine and in
//! every run. A second engine, for those who look at a module before it serves; nobody is served by it, since counting slows down.

use std::time::Duration;

use super::call::{Compiled, Ended, Task};
use super::compile;
use super::engine::{self, Pace};
use super::error::{Refusal, SandboxError};
use super::module::Module;
use super::usage::CallStats;
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest};
use crate::ids::Digest;

/// What a call may cost at most: some ten seconds of any machine, a thousand times what the largest groups need.
const MOST_FUEL: u64 = 50_000_000_000;

/// A module whose instructions are counted.
pub struct Metered<'m> {
    module: &'m Module,
    compiled: Compiled,
}

impl<'m> Metered<'m> {
    /// Compiles a module once more, to be counted: by a child process within the bounds of every compiling, where there is one.
    pub fn new(module: &'m Module) -> Result<Self, SandboxError> {
        let engine = engine::alone(Pace::Fuel).map_err(|error| SandboxError::Engine(format!("{error:#}")))?;
        let refused = |why: Refusal| SandboxError::Counting(why.message);
        let code = compile::by_child(module.bytes(), module.limits(), Pace::Fuel, None).map_err(refused)?;
        // What a child of another build made does not fit; this process makes its own then.
        let compiled = match code.and_then(|code| Compiled::new(&engine, &code).ok()) {
            Some(compiled) => compiled,
            None => {
                let code = compile::here(&engine, module.bytes()).map_err(refused)?;
                Compiled::new(&engine, &code).map_err(SandboxError::Engine)?
            }
        };
        Ok(Self { module, compiled })
    }

    /// Calls an export in a fresh instance; the reply, and what it cost. The clock does not end such a call, its fuel does.
    pub fn measure(
        &self,
        export: Export,
        request: &[u8],
        max_output: usize,
    ) -> (Result<Vec<u8>, CallError>, CallStats) {
        let ended = self.compiled.run(&Task {
            export,
            request,
            max_output,
            deadline: Duration::MAX,
            memory_limit: self.module.memory_limit(),
            watch: None,
            fuel: Some(MOST_FUEL),
        });
        match ended {
            Ended::Ran(reply, stats) => (reply, stats),
            Ended::NoInstance(why) => {
                let message = format!("the host has no room for an instance of it ({why}); it is not to blame");
                (Err(CallError::new(FaultKind::Busy, message)), CallStats::default())
            }
        }
    }
}

impl Assignor for Metered<'_> {
    fn manifest(&self) -> &Manifest {
        self.module.manifest()
    }

    fn digest(&self) -> Option<Digest> {
        Some(self.module.digest())
    }

    fn has_check(&self) -> bool {
        self.module.has_check()
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        self.measure(export, request, budget.max_output).0
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sandbox::{Sandbox, SandboxLimits};

    fn module(assign: &str) -> std::sync::Arc<Module> {
        let text = format!(
            r#"(module
            (@custom "divvy.manifest" "{{\"abi\": \"1.0\", \"name\": \"tiny\"}}")
            (memory (export "memory") 1)
            (func (export "divvy_abi_v1"))
            (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
            (func (export "divvy_assign") (param i32 i32) (result i64) {assign}))"#
        );
        Sandbox::new(SandboxLimits::default())
            .unwrap()
            .load(&wat::parse_str(text).unwrap(), Path::new("tiny.wasm"))
            .unwrap()
    }

    #[test]
    fn the_same_call_costs_the_same_and_more_work_costs_more() {
        let short = module("(i64.const 4)");
        let long = module("(drop (i32.add (i32.const 1) (i32.const 2))) (i64.const 4)");
        let cost = |module: &Module, request: &[u8]| {
            let metered = Metered::new(module).unwrap();
            let (reply, stats) = metered.measure(Export::Assign, request, 100);
            assert_eq!(reply.unwrap(), [0; 4]);
            let again = metered.measure(Export::Assign, request, 100).1;
            assert_eq!(stats.fuel, again.fuel);
            stats.fuel.unwrap()
        };
        assert!(cost(&short, b"request") < cost(&long, b"request"));
        assert_eq!(cost(&short, b"a"), cost(&short, b"a longer request"), "writing the request is the host's work");
    }

    #[test]
    fn only_counted_calls_have_fuel_and_both_keep_the_other_limits() {
        let good = module("(i64.const 4)");
        good.call(Export::Assign, b"", Budget { deadline: Duration::from_secs(20), max_output: 100 }).unwrap();
        assert_eq!(good.last_call().and_then(|last| last.fuel), None);
        assert_eq!(Metered::new(&good).unwrap().measure(Export::Assign, b"", 3).0.unwrap_err().kind, FaultKind::Output);
    }
}
