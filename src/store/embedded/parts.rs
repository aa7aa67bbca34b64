//! What large groups have for each of their members, in parts: a rebalance gives all members again and changes few, and
//! the disk takes far longer for a megabyte than memory for comparing it. Which part a member is in only its id says, so
//! that who comes or goes changes one part.

use redb::{ReadTransaction, ReadableTable, Table, TableDefinition};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use super::encode::{decode, encode};
use super::failure::Failure;
use crate::ids::MemberId;

/// (group, part) → what its members have.
pub(super) type Definition = TableDefinition<'static, (&'static str, u32), &'static [u8]>;

/// A group of more members is stored in parts. Below it one record is as fast, and simpler.
const WHOLE_MEMBERS: usize = 64;

/// About so many members share a part: measured with a kilobyte for each, 16 made the sync of a batch slower, as the disk
/// has more places to write to; more would have a lone change rewrite more.
const MEMBERS_PER_PART: usize = 64;

/// How many parts a group of so many members has; none if it is stored whole.
fn parts_of(members: usize) -> usize {
    if members <= WHOLE_MEMBERS { 0 } else { members.div_ceil(MEMBERS_PER_PART).next_power_of_two() }
}

/// Whether a group of so many members is stored in parts.
pub(super) fn is_parted(members: usize) -> bool {
    parts_of(members) > 0
}

/// Stores what members have in parts, as far as it is not there already; of a small group only takes away what was
/// there.
pub(super) fn put<'a, T: Serialize + 'a>(
    table: &mut Table<'_, (&'static str, u32), &'static [u8]>,
    group: &str,
    all: &'a [T],
    member: impl Fn(&'a T) -> &'a MemberId,
) -> Result<(), Failure> {
    let count = parts_of(all.len());
    let mut parts: Vec<Vec<&T>> = vec![Vec::new(); count];
    for it in all {
        // A power of two: what is left over of the hash is its last bits.
        let part = usize::try_from(xxh3_64(member(it).as_str().as_bytes()) & (count as u64).saturating_sub(1));
        if let Some(part) = part.ok().and_then(|part| parts.get_mut(part)) {
            part.push(it);
        }
    }
    for (number, part) in (0..).zip(&parts) {
        let value = encode(part);
        let is_stored = table.get((group, number))?.is_some_and(|stored| stored.value() == value);
        if !is_stored {
            table.insert((group, number), value.as_slice())?;
        }
    }
    remove(table, group, u32::try_from(count).unwrap_or(u32::MAX))
}

/// Takes away a group's parts from this number on.
pub(super) fn remove(
    table: &mut Table<'_, (&'static str, u32), &'static [u8]>,
    group: &str,
    from: u32,
) -> Result<(), Failure> {
    let range = (group, from)..=(group, u32::MAX);
    if table.range(range.clone())?.next().is_some() {
        table.retain_in(range, |_, _| false)?;
    }
    Ok(())
}

/// Gives what is stored in parts, of one group or of all, to `each`, in no order of members.
pub(super) fn read<T: DeserializeOwned>(
    transaction: &ReadTransaction,
    table: Definition,
    group: Option<&str>,
    what: &'static str,
    mut each: impl FnMut(&str, Vec<T>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let table = transaction.open_table(table)?;
    let items = match group {
        Some(group) => table.range((group, 0)..=(group, u32::MAX))?,
        None => table.iter()?,
    };
    for item in items {
        let (key, value) = item?;
        let (group, _) = key.value();
        each(group, decode(value.value(), what, group)?)?;
    }
    Ok(())
}
