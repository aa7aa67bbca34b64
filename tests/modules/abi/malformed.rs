//! Requests that no host sends: a module refuses them as `bad_request` and neither traps nor believes them.

use divvy_guest::abi::host::{Head, Member, PartitionsRequest, Topic};

use super::cases::everything;

pub type Case = (&'static str, &'static str, Vec<u8>);

/// All of them.
pub fn all() -> Vec<Case> {
    let mut cases = broken(&everything().request());
    cases.extend(inconsistent());
    cases
}

/// What may be wrong with the bytes of any request that is an array of less than 15 items.
pub fn broken(whole: &[u8]) -> Vec<Case> {
    let cut = |at: usize| whole[..at].to_vec();
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.to_vec();
        bytes[at] = byte;
        bytes
    };
    let items = whole[0] & 15;
    vec![
        ("empty", "no bytes", Vec::new()),
        ("cut-1", "an array whose items are not there", cut(1)),
        ("cut-half", "half of a request", cut(whole.len() / 2)),
        ("cut-last", "the last byte is missing", cut(whole.len() - 1)),
        ("longer", "a byte behind the request", [whole, &[0xc0]].concat()),
        ("few-items", "an item too few", with(0, 0x90 | (items - 1))),
        ("many-items", "more items than there are", with(0, 0x90 | (items + 1))),
        ("no-array", "a text instead of the request's array", with(0, 0xa0 | items)),
        ("reserved", "the byte that MessagePack never uses", with(1, 0xc1)),
        ("negative", "a negative number instead of the first item", with(1, 0xff)),
        ("huge-array", "an array of 4,294,967,295 items", vec![0xdd, 0xff, 0xff, 0xff, 0xff, 0, 0]),
    ]
}

/// The request with other bytes in place of those that are there, which are as long.
pub fn replaced(whole: &[u8], there: &[u8], by: &[u8]) -> Vec<u8> {
    assert_eq!(there.len(), by.len());
    let at = whole.windows(there.len()).position(|bytes| bytes == there).expect("what is replaced");
    [&whole[..at], by, &whole[at + there.len()..]].concat()
}

/// Well-formed, and at odds with itself.
fn inconsistent() -> Vec<Case> {
    let member = |id, subscription, rack| Member { id, subscription, rack, ..Member::default() };
    let topics = [Topic { name: "ant", partitions: 2 }, Topic { name: "bee", partitions: 1 }];
    let swapped = [topics[1], topics[0]];
    let twice = [topics[0], topics[0]];
    let huge = [Topic { name: "ant", partitions: 1 << 24 }, Topic { name: "bee", partitions: 1 }];
    let wrapping = [Topic { name: "ant", partitions: u32::MAX }, Topic { name: "bee", partitions: 2 }];
    let members = [member("a", 0, None), member("b", 0, Some(0))];
    let doubled = [members[0], members[0]];
    let descending = [members[1], members[0]];
    let no_subscription = [member("a", 1, None)];
    let no_rack = [member("a", 0, Some(1))];
    let good = PartitionsRequest {
        head: Head { group: "g", generation: 1, protocol: "even@1", ..Head::default() },
        topics: &topics,
        subscriptions: &[&[0, 1]],
        members: &members,
        racks: &["r"],
        ..PartitionsRequest::default()
    };
    let claims = |bytes| PartitionsRequest { claims: bytes, ..good };
    let written = |request: PartitionsRequest<'_>| {
        let mut bytes = Vec::new();
        request.write(&mut bytes);
        bytes
    };
    let columns = |columns| PartitionsRequest { columns, ..good };
    let whole = written(good);
    // Another subscription instead of the one that there is: a bit set, a byte long.
    let subscribing = |set: &[u8]| {
        let mut bytes = whole.clone();
        let at = bytes.windows(4).position(|four| four == [0x91, 0xc4, 1, 3]).expect("a subscription") + 1;
        bytes.splice(at..at + 3, set.iter().copied());
        bytes
    };
    let rated = written(columns(&[("rate", &[0; 3])]));
    vec![
        (
            "topics-order",
            "topics that are not in the order of their names",
            written(PartitionsRequest { topics: &swapped, ..good }),
        ),
        ("topics-twice", "a topic twice", written(PartitionsRequest { topics: &twice, ..good })),
        ("partitions-many", "more than 16,777,216 partitions", written(PartitionsRequest { topics: &huge, ..good })),
        (
            "partitions-wrap",
            "partitions whose number wraps around",
            written(PartitionsRequest { topics: &wrapping, ..good }),
        ),
        (
            "members-order",
            "members that are not in the order of their ids",
            written(PartitionsRequest { members: &descending, ..good }),
        ),
        ("members-twice", "a member twice", written(PartitionsRequest { members: &doubled, ..good })),
        (
            "subscription-unknown",
            "an index beyond the subscriptions",
            written(PartitionsRequest { members: &no_subscription, ..good }),
        ),
        ("rack-unknown", "an index beyond the racks", written(PartitionsRequest { members: &no_rack, ..good })),
        ("claims-half", "claims of half an owner map", written(claims(&[0; 3]))),
        ("claims-many", "claims of nine owner maps", written(claims(&[0; 54]))),
        (
            "claims-of-nothing",
            "claims where there are no partitions",
            written(PartitionsRequest { topics: &[], subscriptions: &[&[]], claims: &[0, 0], ..good }),
        ),
        ("column-uneven", "a column that is no multiple of the partitions", written(columns(&[("rate", &[0; 4])]))),
        ("column-racks", "racks of one byte", written(columns(&[("replica_racks", &[0; 3])]))),
        ("column-lag", "lags of four bytes", written(columns(&[("lag", &[0; 12])]))),
        ("range-end", "a range that ends behind the topics", subscribing(&[0x91, 0x92, 1, 2])),
        ("range-wrap", "a range whose end wraps around", subscribing(&[0x91, 0x92, 1, 0xce, 0xff, 0xff, 0xff, 0xff])),
        ("ranges-order", "ranges that do not ascend", subscribing(&[0x92, 0x92, 1, 1, 0x92, 0, 1])),
        ("ranges-overlap", "ranges that overlap", subscribing(&[0x92, 0x92, 0, 2, 0x92, 1, 1])),
        ("bits-long", "a bit set that is a byte too long", subscribing(&[0xc4, 2, 3, 0])),
        ("bits-none", "a bit set without bits", subscribing(&[0xc4, 0])),
        ("mode", "a mode that there is not", replaced(&whole, b"eager", b"Eager")),
        ("utf-8-group", "a group's id whose last character is cut off", replaced(&whole, b"\xa1g", b"\xa1\xc3")),
        ("utf-8-protocol", "a character beyond Unicode", replaced(&whole, b"even@1", b"\xf4\x90\x80\x80@1")),
        ("utf-8-topic", "half of a pair of UTF-16", replaced(&whole, b"ant", b"\xed\xa0\x80")),
        ("utf-8-member", "a byte that UTF-8 never uses", replaced(&whole, b"\xa1a\xc0", b"\xa1\xff\xc0")),
        ("utf-8-rack", "a byte that only continues a character", replaced(&whole, b"\xa1r", b"\xa1\x80")),
        ("utf-8-column", "a character in more bytes than it needs", replaced(&rated, b"rate", b"\xf0\x8f\xbf\xbf")),
    ]
}
