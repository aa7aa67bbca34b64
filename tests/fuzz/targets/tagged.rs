//! Tagged fields: the section as it stands at the end of a header, and divvy's own fields within it.

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};
use divvy::wire::divvy::{
    ApiVersionsTag, DescribeTag, HeartbeatRequestTag, JoinRequestTag, JoinResponseTag, SyncRequestTag, SyncResponseTag,
};
use divvy::wire::header::RequestHeader;
use divvy::wire::{DecodeError, Reader, Tags, Writer};

/// The first byte chooses between a header with its section and one of divvy's fields.
pub fn run(data: &[u8]) {
    let [kind, bytes @ ..] = data else { return };
    let bytes = Bytes::copy_from_slice(bytes);
    match kind % 8 {
        0 => header(bytes),
        1 => field(ApiVersionsTag::TAG, bytes, ApiVersionsTag::take, ApiVersionsTag::put),
        2 => field(JoinRequestTag::TAG, bytes, JoinRequestTag::take, JoinRequestTag::put),
        3 => field(JoinResponseTag::TAG, bytes, JoinResponseTag::take, JoinResponseTag::put),
        4 => field(SyncRequestTag::TAG, bytes, SyncRequestTag::take, SyncRequestTag::put),
        5 => field(SyncResponseTag::TAG, bytes, SyncResponseTag::take, SyncResponseTag::put),
        6 => field(HeartbeatRequestTag::TAG, bytes, HeartbeatRequestTag::take, HeartbeatRequestTag::put),
        _ => field(DescribeTag::TAG, bytes, DescribeTag::take, DescribeTag::put),
    }
}

/// A header of a request that is served comes back as it was read; in it, what a peer of a later time says.
fn header(bytes: Bytes) {
    let Ok(read) = RequestHeader::decode(&mut Reader::new(bytes)) else { return };
    if read.served().is_none() {
        return;
    }
    let mut out = BytesMut::new();
    read.encode(&mut Writer::new(&mut out)).expect("what was read can be written");
    let again = RequestHeader::decode(&mut Reader::new(out.freeze())).expect("what was written is read");
    assert_eq!(read, again);
    for tag in [17408, 17409, 17410, 17411, 17412, 17413, 17414] {
        let _ = again.tags.get(tag);
    }
}

fn field<T: PartialEq + Debug>(
    tag: u32,
    bytes: Bytes,
    take: fn(&Tags) -> Result<Option<T>, DecodeError>,
    put: fn(&T, &mut Tags),
) {
    let mut tags = Tags::default();
    tags.set(tag, bytes);
    let Ok(Some(read)) = take(&tags) else { return };
    let mut again = Tags::default();
    put(&read, &mut again);
    assert_eq!(take(&again).expect("what was written is read"), Some(read));
}
