//! Requests that no host sends: a module refuses them as `bad_request` and neither traps nor believes them.

use divvy_guest::abi::host::{Head, Member, PartitionsRequest, Topic};

use super::cases::everything;

type Case = (&'static str, &'static str, Vec<u8>);

/// All of them.
pub fn all() -> Vec<Case> {
    let whole = everything().request();
    let cut = |at: usize| whole[..at].to_vec();
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    let mut cases = vec![
        ("empty", "no bytes", Vec::new()),
        ("cut-1", "an array whose items are not there", cut(1)),
        ("cut-half", "half of a request", cut(whole.len() / 2)),
        ("cut-last", "the last byte is missing", cut(whole.len() - 1)),
        ("longer", "a byte behind the request", [&whole[..], &[0xc0]].concat()),
        ("few-items", "11 items", with(0, 0x9b)),
        ("many-items", "more items than there are", with(0, 0x9d)),
        ("no-array", "a text instead of the request's array", with(0, 0xac)),
        ("reserved", "the byte that MessagePack never uses", with(1, 0xc1)),
        ("negative", "a negative minor version", with(1, 0xff)),
        ("huge-array", "an array of 4,294,967,295 items", vec![0xdd, 0xff, 0xff, 0xff, 0xff, 0, 0]),
    ];
    cases.extend(inconsistent());
    cases
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
    let mut mode = whole.clone();
    let at = mode.windows(5).position(|five| five == b"eager").expect("a mode");
    mode[at] = b'E';
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
        ("mode", "a mode that there is not", mode),
    ]
}
