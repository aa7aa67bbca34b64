//! What a module's file shows without being run: exports, custom sections, stack and memory.

use anyhow::Result;
use serde::Serialize;
use wasmparser::{Operator, Parser, Payload, ValType};

/// A page of memory.
const PAGE_BYTES: u64 = 64 << 10;

/// No toolchain's stack is smaller.
const LEAST_STACK_BYTES: u64 = 256;

/// What was found.
#[derive(Default, Debug, Serialize)]
pub struct Facts {
    /// The names that it exports.
    pub exports: Vec<String>,
    /// What it imports, `module.name`.
    pub imports: Vec<String>,
    /// Functions of its own.
    pub functions: u32,
    /// The memory that it begins with.
    pub memory_bytes: u64,
    /// The stack, where it comes first in the memory, as Rust, C and Zig lay it.
    pub stack_bytes: Option<u64>,
    /// Custom sections and their sizes.
    pub sections: Vec<(String, usize)>,
}

/// Reads a file that the sandbox has found valid.
pub fn of(bytes: &[u8]) -> Result<Facts> {
    let mut facts = Facts::default();
    let (mut stack_pointer, mut first_data) = (None, None);
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ExportSection(section) => {
                for export in section {
                    facts.exports.push(export?.name.to_owned());
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    facts.imports.push(format!("{}.{}", import.module, import.name));
                }
            }
            Payload::FunctionSection(section) => facts.functions = section.count(),
            Payload::MemorySection(section) => {
                for memory in section {
                    facts.memory_bytes = memory?.initial.saturating_mul(PAGE_BYTES);
                }
            }
            Payload::GlobalSection(section) => {
                // Linkers make the stack pointer the first global: the only one that changes, and a number.
                if let Some(global) = section.into_iter().next().transpose()?
                    && global.ty.mutable
                    && global.ty.content_type == ValType::I32
                {
                    stack_pointer = constant(&global.init_expr);
                }
            }
            Payload::DataSection(section) => {
                for data in section {
                    if let wasmparser::DataKind::Active { offset_expr, .. } = data?.kind {
                        let offset = constant(&offset_expr);
                        first_data = [first_data, offset].into_iter().flatten().min();
                    }
                }
            }
            Payload::CustomSection(section) => facts.sections.push((section.name().to_owned(), section.data().len())),
            _ => {}
        }
    }
    // A first global that is nearly nothing is another thing: Go's stacks lie elsewhere.
    let is_stack = |top: &u64| *top >= LEAST_STACK_BYTES && first_data.is_none_or(|first| first >= *top);
    facts.stack_bytes = stack_pointer.filter(is_stack);
    Ok(facts)
}

fn constant(expression: &wasmparser::ConstExpr<'_>) -> Option<u64> {
    match expression.get_operators_reader().read() {
        Ok(Operator::I32Const { value }) => Some(u64::from(value.cast_unsigned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_that_comes_first_is_told_from_one_behind_the_data() {
        let module = |stack: u32, data: u32| {
            let text = format!(
                r#"(module (memory (export "memory") 2) (global (mut i32) (i32.const {stack}))
                (func (export "f")) (data (i32.const {data}) "abc") (@custom "note" "hello"))"#
            );
            of(&wat::parse_str(text).unwrap()).unwrap()
        };
        let facts = module(65_536, 65_536);
        assert_eq!((facts.stack_bytes, facts.memory_bytes, facts.functions), (Some(65_536), 131_072, 1));
        assert_eq!(
            (facts.exports, facts.sections),
            (vec!["memory".to_owned(), "f".to_owned()], vec![("note".to_owned(), 5)])
        );
        assert_eq!(module(70_000, 1_024).stack_bytes, None);
        assert_eq!(module(8, 1_024).stack_bytes, None);
        assert_eq!(of(&wat::parse_str("(module)").unwrap()).unwrap().stack_bytes, None);
    }
}
