//! One call of ABI 1 in an instance of its own: limits first, then start function, `_initialize`, `divvy_alloc` and the
//! export. Every number that comes out of the guest is checked, and the reply is copied before the instance is dropped.

use std::time::Duration;

use wasmtime::{
    Engine, Extern, Instance, InstancePre, Linker, ModuleExport, Store, TypedFunc, UpdateDeadline, WasmParams,
    WasmResults,
};

use super::clock;
use super::compile::Code;
use super::fault;
use super::guard::{Guard, Watch};
use super::limits::MAX_PANIC_TEXT;
use super::usage::CallStats;
use super::wasi::{self, Wasi};
use crate::assignor::{CallError, Export, FaultKind};
use crate::text::one_line;

/// A module compiled for one engine.
pub(super) struct Compiled {
    engine: Engine,
    pre: InstancePre<Guard>,
    exports: Exports,
}

struct Exports {
    memory: ModuleExport,
    alloc: ModuleExport,
    assign: ModuleExport,
    user_data: Option<ModuleExport>,
    check: Option<ModuleExport>,
    initialize: Option<ModuleExport>,
    panic: Option<ModuleExport>,
}

/// What to call, with what, under which limits.
pub(super) struct Task<'a> {
    pub export: Export,
    pub request: &'a [u8],
    pub max_output: usize,
    pub deadline: Duration,
    pub memory_limit: usize,
    /// Whether its module is retired meanwhile, where it can be.
    pub watch: Option<&'a Watch>,
    /// How many instructions, in an engine that counts them.
    pub fuel: Option<u64>,
}

/// How a call ended.
pub(super) enum Ended {
    /// With a reply or with the guest's fault.
    Ran(Result<Vec<u8>, CallError>, CallStats),
    /// Not begun: the engine had no slot, or no room on the host.
    NoInstance(String),
}

impl Compiled {
    /// Prepares the code of a module that was inspected.
    pub fn new(engine: &Engine, code: &Code) -> Result<Self, String> {
        let module = code.load(engine)?;
        let mut linker = Linker::new(engine);
        if module.imports().len() > 0 {
            wasi::link(&mut linker).map_err(|error| format!("{error:#}"))?;
        }
        let pre = linker.instantiate_pre(&module).map_err(|error| format!("{error:#}"))?;
        let optional = |name: &str| module.get_export_index(name);
        let required = |name: &str| optional(name).ok_or_else(|| format!("it has no export {name}"));
        let exports = Exports {
            memory: required("memory")?,
            alloc: required("divvy_alloc")?,
            assign: required("divvy_assign")?,
            user_data: optional("divvy_user_data"),
            check: optional("divvy_check"),
            initialize: optional("_initialize"),
            panic: optional("divvy_panic"),
        };
        Ok(Self { engine: engine.clone(), pre, exports })
    }

    /// The code once more, for another engine.
    pub fn code(&self) -> Result<Code, String> {
        self.pre.module().serialize().map(Code::Bytes).map_err(|error| format!("{error:#}"))
    }

    /// Whether it has the export; `divvy_assign` always.
    pub fn has(&self, export: Export) -> bool {
        self.export(export).is_some()
    }

    fn export(&self, export: Export) -> Option<&ModuleExport> {
        match export {
            Export::Assign => Some(&self.exports.assign),
            Export::UserData => self.exports.user_data.as_ref(),
            Export::Check => self.exports.check.as_ref(),
        }
    }

    /// Runs one call. Instantiating runs the guest's start function, so the limits are armed before.
    pub fn run(&self, task: &Task<'_>) -> Ended {
        let started = clock::now();
        let guard = Guard::new(task.memory_limit, task.deadline, started, task.watch.cloned(), Wasi::new(task.request));
        let mut store = Store::new(&self.engine, guard);
        store.limiter(|guard| guard);
        store.set_epoch_deadline(1);
        // Ticks may come late on a busy machine; the clock does not.
        store.epoch_deadline_callback(|mut store| match store.data_mut().is_over(clock::now()) {
            false => Ok(UpdateDeadline::Continue(1)),
            true => Ok(UpdateDeadline::Interrupt),
        });
        // Only an engine that counts takes fuel, and there every call has some.
        let fuelled = task.fuel.filter(|fuel| store.set_fuel(*fuel).is_ok());
        let instance = self.pre.instantiate(&mut store);
        let instantiate = started.elapsed();
        let reply = match instance {
            Ok(instance) => {
                Call { store: &mut store, instance, exports: &self.exports }.run(self.export(task.export), task)
            }
            Err(stop) => {
                let guard = store.data();
                let is_guests = stop.downcast_ref::<wasmtime::Trap>().is_some() || guard.wasi.exited.is_some();
                if !is_guests && guard.memory_refused + guard.table_refused == 0 {
                    return Ended::NoInstance(format!("{stop:#}"));
                }
                Err(fault::of(&stop, guard, "its start", None))
            }
        };
        let memory_peak = store.data().memory_peak;
        let fuel = fuelled.and_then(|all| Some(all.saturating_sub(store.get_fuel().ok()?)));
        drop(store);
        Ended::Ran(reply, CallStats { instantiate, took: started.elapsed(), memory_peak, fuel })
    }
}

struct Call<'a> {
    store: &'a mut Store<Guard>,
    instance: Instance,
    exports: &'a Exports,
}

impl Call<'_> {
    fn run(&mut self, export: Option<&ModuleExport>, task: &Task<'_>) -> Result<Vec<u8>, CallError> {
        // A module without the export has nothing to say.
        let Some(export) = export else { return Ok(Vec::new()) };
        let name = match task.export {
            Export::Assign => "divvy_assign",
            Export::UserData => "divvy_user_data",
            Export::Check => "divvy_check",
        };
        if let Some(initialize) = &self.exports.initialize {
            self.call::<(), ()>(initialize, "_initialize", ())?;
        }
        let length = i32::try_from(task.request.len())
            .map_err(|_| CallError::new(FaultKind::Input, "the request is longer than 2 GiB"))?;
        let at = self.call::<i32, i32>(&self.exports.alloc, "divvy_alloc", length)?;
        self.write(at, task.request)?;
        let packed = self.call::<(i32, i32), i64>(export, name, (at, length))?;
        self.read(packed.cast_unsigned(), task.max_output, name)
    }

    fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        export: &ModuleExport,
        name: &str,
        params: P,
    ) -> Result<R, CallError> {
        let function: TypedFunc<P, R> = self
            .instance
            .get_module_export(&mut *self.store, export)
            .and_then(Extern::into_func)
            .and_then(|function| function.typed(&*self.store).ok())
            .ok_or_else(|| CallError::new(FaultKind::Rejected, format!("its export {name} has another type")))?;
        function.call(&mut *self.store, params).map_err(|stop| {
            let said = self.panic_text().or_else(|| self.store.data().wasi.said());
            fault::of(&stop, self.store.data(), name, said)
        })
    }

    fn memory(&mut self) -> Result<&mut [u8], CallError> {
        self.instance
            .get_module_export(&mut *self.store, &self.exports.memory)
            .and_then(Extern::into_memory)
            .map(|memory| memory.data_mut(&mut *self.store))
            .ok_or_else(|| CallError::new(FaultKind::Rejected, "it does not export its memory"))
    }

    /// Writes the request where the guest said, if that is within its memory.
    fn write(&mut self, at: i32, request: &[u8]) -> Result<(), CallError> {
        let length = request.len();
        if at == 0 {
            return Err(CallError::new(
                FaultKind::Memory,
                format!("divvy_alloc has no {length} bytes for the request"),
            ));
        }
        let memory = self.memory()?;
        let size = memory.len();
        match slice(at.cast_unsigned(), length).and_then(|range| memory.get_mut(range)) {
            Some(buffer) => buffer.copy_from_slice(request),
            None => {
                let at = at.cast_unsigned();
                return Err(CallError::new(
                    FaultKind::InvalidReply,
                    format!("divvy_alloc answered {at} for {length} bytes; its memory ends at {size}"),
                ));
            }
        }
        Ok(())
    }

    /// Copies the reply out: address in the upper half, length in the lower, both unsigned.
    fn read(&mut self, packed: u64, most: usize, name: &str) -> Result<Vec<u8>, CallError> {
        let (at, length) = ((packed >> 32) as u32, packed as u32);
        let memory = self.memory()?;
        let size = memory.len();
        let Some(reply) = slice(at, length as usize).and_then(|range| memory.get(range)) else {
            return Err(CallError::new(
                FaultKind::InvalidReply,
                format!("{name} answered {length} bytes at {at}; its memory ends at {size}"),
            ));
        };
        if reply.len() > most {
            return Err(CallError::new(
                FaultKind::Output,
                format!("{name} answered {length} bytes; at most {most} are allowed"),
            ));
        }
        let reply = reply.to_vec();
        Ok(self.store.data().wasi.with_lines(reply))
    }

    /// What the guest left for people before it stopped; read from its memory, no guest code runs.
    fn panic_text(&mut self) -> Option<String> {
        let global = self.instance.get_module_export(&mut *self.store, self.exports.panic.as_ref()?)?.into_global()?;
        let at = usize::try_from(global.get(&mut *self.store).i32()?.cast_unsigned()).ok()?;
        let memory = self.memory().ok()?;
        let (length, text) = memory.get(at..)?.split_first_chunk::<4>()?;
        let length = (u32::from_le_bytes(*length) as usize).min(MAX_PANIC_TEXT).min(text.len());
        let text = one_line(&String::from_utf8_lossy(&text[..length]), MAX_PANIC_TEXT);
        (!text.is_empty()).then_some(text)
    }
}

/// The range, unless its end has no number.
fn slice(at: u32, length: usize) -> Option<std::ops::Range<usize>> {
    let at = usize::try_from(at).ok()?;
    Some(at..at.checked_add(length)?)
}
