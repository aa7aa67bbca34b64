//! What is fetched or built once and kept under `target/`, until its recipe changes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Makes `folder` unless it was made by this very recipe. What a broken-off attempt left is cleared away first.
pub fn once(folder: &Path, recipe: &str, make: impl FnOnce() -> Result<()>) -> Result<()> {
    let stamp = folder.join("made-by.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made_by| made_by == recipe) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    make()?;
    fs::write(&stamp, recipe).with_context(|| format!("{} cannot be written", stamp.display()))
}
