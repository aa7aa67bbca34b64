//! Modules drawn by seeds, as text: `cargo run --example modules FOLDER FIRST COUNT BYTES`; and what the fuzzer is to begin with.
#![allow(dead_code, reason = "only the drawing is needed here")]

use std::fs;
use std::path::PathBuf;

#[path = "../smith.rs"]
mod smith;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("the folder to write into"));
    let mut number = |what: &str| arguments.next().and_then(|text| text.parse::<usize>().ok()).expect(what);
    let (first, count, length) = (number("the first seed"), number("how many"), number("bytes of each"));
    fs::create_dir_all(&folder).expect("the folder can be made");
    for seed in first..first + count {
        let data = smith::draw(seed as u64, length);
        if let Some(module) = smith::module(&data) {
            let text = wasmprinter::print_bytes(&module).expect("it is a module");
            fs::write(folder.join(format!("seed-{seed}.wat")), text).expect("written");
            fs::write(folder.join(format!("seed-{seed}")), data).expect("written");
        }
    }
}
