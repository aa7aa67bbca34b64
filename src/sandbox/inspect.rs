//! Reads a module before it is compiled: bounds, imports, manifest, rules of WebAssembly, exports.
//!
//! The order is that of usefulness: what is refused first is what its author has to change first.

use wasmparser::types::{EntityType, TypesRef};
use wasmparser::{Encoding, FuncType, FunctionBody, Parser, Payload, ValType, Validator, WasmFeatures};

use super::error::{LoadErrorKind, Refusal};
use super::limits::{MAX_DATA_SEGMENTS, MAX_ITEMS, MAX_LOCALS, MAX_TABLE_ELEMENTS, SandboxLimits};
use super::{manifest, wasi};
use crate::assignor::Manifest;
use crate::text::one_line;

/// What toolchains use unasked and every machine computes alike. The engine's own switches agree with it.
const FEATURES: WasmFeatures = WasmFeatures::WASM2
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::TAIL_CALL)
    .difference(WasmFeatures::GC_TYPES);

/// The names of imports that a refusal lists.
const NAMED_IMPORTS: usize = 8;
/// A page of memory.
const PAGE_BYTES: u64 = 64 << 10;

/// What a module says before it runs.
#[derive(Debug)]
pub(super) struct Contents {
    pub manifest: Manifest,
    /// The memory that it starts with, in bytes.
    pub memory_bytes: u64,
    /// Whether it imports functions of WASI, which it was allowed to.
    pub imports_wasi: bool,
}

/// What it says, within the limits.
pub(super) fn read(bytes: &[u8], limits: &SandboxLimits) -> Result<Contents, Refusal> {
    header(bytes)?;
    let walk = Walk::over(bytes, limits)?;
    let manifest = manifest::read(&walk.manifests)?;
    if !walk.wasi.is_empty() && !limits.allows_wasi(&manifest.name) {
        return Err(needs_wasi(&walk.wasi, &manifest.name));
    }
    Ok(Contents { manifest, memory_bytes: walk.memory_bytes, imports_wasi: !walk.wasi.is_empty() })
}

/// The rules of WebAssembly and the exports of the ABI. What was compiled once has passed it.
pub(super) fn validate(bytes: &[u8]) -> Result<(), Refusal> {
    let types = Validator::new_with_features(FEATURES).validate_all(bytes).map_err(invalid)?;
    exports(types.as_ref())
}

/// What a module says of itself, without a look at the rest of it; none if that cannot be read.
pub(super) fn manifest(bytes: &[u8], limits: &SandboxLimits) -> Option<Manifest> {
    let walk = header(bytes).and_then(|()| Walk::over(bytes, limits)).ok()?;
    manifest::read(&walk.manifests).ok()
}

fn limit(message: String) -> Refusal {
    Refusal::new(LoadErrorKind::Limit, message)
}

fn invalid(error: wasmparser::Error) -> Refusal {
    Refusal::new(
        LoadErrorKind::Invalid,
        format!(
            "it is no WebAssembly that runs here: {error}. Threads, shared memory, relaxed SIMD, GC, exceptions, \
             memory64 and several memories are off; build it for wasm32-unknown-unknown without them"
        ),
    )
}

/// Tells a half-written file from one that will never be a module: the sections say how long the file must be.
pub(super) fn header(bytes: &[u8]) -> Result<(), Refusal> {
    const MAGIC: &[u8; 8] = b"\0asm\x01\0\0\0";
    let half = |message: &str| Err(Refusal::new(LoadErrorKind::HalfWritten, message));
    if bytes.is_empty() {
        return half("the file is empty; it is read again when it changes");
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err(Refusal::new(
            LoadErrorKind::Precompiled,
            "it is compiled code; only modules are loaded: put the .wasm file here, it is compiled when it is read",
        ));
    }
    if bytes.starts_with(b"\0asm\x0d\0\x01\0") {
        return Err(Refusal::new(
            LoadErrorKind::NotWasm,
            "it is a component; ABI 1 is a core module: build it for wasm32-unknown-unknown",
        ));
    }
    if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
        return Err(Refusal::new(
            LoadErrorKind::NotWasm,
            "it does not begin like a WebAssembly module (\\0asm, version 1)",
        ));
    }
    let mut rest = &bytes[bytes.len().min(MAGIC.len())..];
    let mut whole = bytes.len() >= MAGIC.len();
    while whole && !rest.is_empty() {
        let section = section_length(&rest[1..]).and_then(|(length, used)| rest.get(1 + used + length..));
        whole = section.is_some();
        rest = section.unwrap_or_default();
    }
    if whole { Ok(()) } else { half("the file ends within a section; it is read again when it changes") }
}

/// A LEB128 number and how many bytes it takes.
fn section_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut length = 0;
    for (i, byte) in bytes.iter().take(5).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((length, i + 1));
        }
    }
    None
}

#[derive(Default)]
struct Walk<'a> {
    manifests: Vec<&'a [u8]>,
    memory_bytes: u64,
    /// The functions of WASI that it imports.
    wasi: Vec<&'static str>,
}

impl<'a> Walk<'a> {
    fn over(bytes: &'a [u8], limits: &SandboxLimits) -> Result<Self, Refusal> {
        let mut walk = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            walk.payload(payload.map_err(invalid)?, limits)?;
        }
        Ok(walk)
    }

    fn payload(&mut self, payload: Payload<'a>, limits: &SandboxLimits) -> Result<(), Refusal> {
        match payload {
            Payload::Version { encoding: Encoding::Component, .. } => {
                Err(Refusal::new(LoadErrorKind::NotWasm, "it is a component; ABI 1 is a core module"))
            }
            Payload::TypeSection(section) => items("types", section.count()),
            Payload::ImportSection(section) => {
                self.wasi = imports(section)?;
                Ok(())
            }
            Payload::FunctionSection(section) => items("functions", section.count()),
            Payload::TableSection(section) => tables(section),
            Payload::MemorySection(section) => self.memories(section),
            Payload::GlobalSection(section) => items("globals", section.count()),
            Payload::ExportSection(section) => items("exports", section.count()),
            Payload::ElementSection(section) => items("element segments", section.count()),
            Payload::DataSection(section) => at_most(MAX_DATA_SEGMENTS, "data segments", section.count()),
            Payload::CodeSectionEntry(body) => function(&body, limits),
            Payload::CustomSection(section) => {
                if section.name() == manifest::SECTION {
                    self.manifests.push(section.data());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn memories(&mut self, section: wasmparser::MemorySectionReader<'_>) -> Result<(), Refusal> {
        if section.count() > 1 {
            return Err(limit(format!("it has {} memories; it may have one", section.count())));
        }
        for memory in section {
            let memory = memory.map_err(invalid)?;
            if memory.memory64 || memory.shared {
                let what = if memory.memory64 { "64-bit" } else { "shared" };
                return Err(Refusal::new(
                    LoadErrorKind::Invalid,
                    format!("its memory is {what}; it must be an ordinary 32-bit memory: build it for wasm32"),
                ));
            }
            self.memory_bytes = memory.initial.saturating_mul(PAGE_BYTES);
        }
        Ok(())
    }
}

fn items(what: &str, count: u32) -> Result<(), Refusal> {
    at_most(MAX_ITEMS, what, count)
}

fn at_most(most: u32, what: &str, count: u32) -> Result<(), Refusal> {
    match count > most {
        true => Err(limit(format!("it has {count} {what}; at most {most} are allowed"))),
        false => Ok(()),
    }
}

/// The functions of WASI that it imports; anything else is refused at once.
fn imports(section: wasmparser::ImportSectionReader<'_>) -> Result<Vec<&'static str>, Refusal> {
    let (mut names, mut of_wasi) = (Vec::new(), Vec::new());
    for import in section.into_imports() {
        let import = import.map_err(invalid)?;
        match wasi::FUNCTIONS.iter().find(|it| import.module == wasi::MODULE && **it == import.name) {
            Some(function) if !of_wasi.contains(function) => of_wasi.push(*function),
            Some(_) => {}
            None if names.len() < NAMED_IMPORTS => {
                names.push(format!("{}.{}", printable(import.module), printable(import.name)));
            }
            None => {}
        }
    }
    match names.is_empty() {
        true => Ok(of_wasi),
        false => Err(Refusal::new(
            LoadErrorKind::Imports,
            format!(
                "it imports {}; an assignor may import nothing, since it is a pure function of its request: {}",
                names.join(", "),
                wasi::without(&of_wasi)
            ),
        )),
    }
}

fn needs_wasi(functions: &[&str], name: &str) -> Refusal {
    Refusal::new(
        LoadErrorKind::Imports,
        format!(
            "it imports functions of WASI, as Go's runtime does ({}: {}); they are given, with a clock and dice that only the \
             request decides, to modules that the operator names: module.wasi_shim (--wasi-shim {name})",
            wasi::MODULE,
            functions.join(", ")
        ),
    )
}

fn printable(name: &str) -> String {
    one_line(name, 60)
}

fn tables(section: wasmparser::TableSectionReader<'_>) -> Result<(), Refusal> {
    if section.count() > 1 {
        return Err(limit(format!("it has {} tables; it may have one", section.count())));
    }
    for table in section {
        let elements = table.map_err(invalid)?.ty.initial;
        if elements > u64::from(MAX_TABLE_ELEMENTS) {
            return Err(limit(format!(
                "its table begins with {elements} elements; at most {MAX_TABLE_ELEMENTS} are allowed"
            )));
        }
    }
    Ok(())
}

fn function(body: &FunctionBody<'_>, limits: &SandboxLimits) -> Result<(), Refusal> {
    let length = body.range().len();
    if length > limits.body_bytes {
        return Err(limit(format!(
            "one of its functions is {length} bytes long; at most {} are allowed, since compiling such a function \
             takes minutes: build it with optimisation, move constant tables into data",
            limits.body_bytes
        )));
    }
    let mut locals = 0;
    for group in body.get_locals_reader().map_err(invalid)? {
        locals += u64::from(group.map_err(invalid)?.0);
        if locals > MAX_LOCALS {
            return Err(limit(format!(
                "one of its functions has {locals} local variables; at most {MAX_LOCALS} are allowed: build it with \
                 optimisation"
            )));
        }
    }
    Ok(())
}

/// The exports of ABI 1, required and optional.
fn exports(types: TypesRef<'_>) -> Result<(), Refusal> {
    use ValType::{I32, I64};
    let missing = |what: String| Err(Refusal::new(LoadErrorKind::Exports, what));
    let functions: [(&str, bool, &[ValType], &[ValType]); 6] = [
        ("divvy_abi_v1", true, &[], &[]),
        ("divvy_alloc", true, &[I32], &[I32]),
        ("divvy_assign", true, &[I32, I32], &[I64]),
        ("divvy_user_data", false, &[I32, I32], &[I64]),
        ("divvy_check", false, &[I32, I32], &[I64]),
        ("_initialize", false, &[], &[]),
    ];
    let find = |name: &str| types.core_exports()?.find(|(export, _)| *export == name).map(|(_, kind)| kind);
    for (name, required, params, results) in functions {
        match find(name) {
            None if !required => {}
            None => {
                return missing(format!(
                    "it has no export {name}; an assignor exports memory, divvy_abi_v1, divvy_alloc and divvy_assign: \
                     its language's SDK writes them (assignor! in Rust, DIVVY_ASSIGNOR in C, divvy.assignor in Zig)"
                ));
            }
            Some(EntityType::Func(id) | EntityType::FuncExact(id)) => {
                let function = types[id].unwrap_func();
                if function.params() != params || function.results() != results {
                    let must = FuncType::new(params.iter().copied(), results.iter().copied());
                    return missing(format!("its export {name} is {function}; it must be {must}"));
                }
            }
            Some(_) => return missing(format!("its export {name} is no function")),
        }
    }
    match find("memory") {
        Some(EntityType::Memory(_)) => {}
        _ => return missing("it does not export its memory as \"memory\"".to_owned()),
    }
    match find("divvy_panic") {
        None => Ok(()),
        Some(EntityType::Global(global)) if global.content_type == I32 => Ok(()),
        Some(_) => missing("its export divvy_panic must be an i32 global, the address of the panic's text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8]) -> Option<LoadErrorKind> {
        header(bytes).err().map(|refusal| refusal.kind)
    }

    #[test]
    fn every_truncation_is_half_written_or_ends_at_a_section() {
        let whole = b"\0asm\x01\0\0\0\x05\x03\x01\0\x01\x05\x03\x01\0\x01";
        for length in 0..whole.len() {
            let expected = (![8, 13].contains(&length)).then_some(LoadErrorKind::HalfWritten);
            assert_eq!(kind(&whole[..length]), expected, "{length} bytes");
        }
        assert_eq!(kind(whole), None);
    }

    #[test]
    fn what_will_never_be_a_module_is_told_apart() {
        assert_eq!(kind(b"hello"), Some(LoadErrorKind::NotWasm));
        assert_eq!(kind(b"\x7fELF\x02\x01"), Some(LoadErrorKind::Precompiled));
        assert_eq!(kind(b"\0asm\x0d\0\x01\0"), Some(LoadErrorKind::NotWasm));
        assert_eq!(kind(b"\0asm\x01\0\0\0\x05\xff\xff\xff\xff\x7f"), Some(LoadErrorKind::HalfWritten));
    }
}
