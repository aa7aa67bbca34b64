//! The tables of `src/wire/messages`, read once more with another `message!`: here they become descriptions, from
//! which valid bytes of any message and version are generated without the codec's help.

use bytes::Bytes;
use divvy::wire::{ErrorCode, Text};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Calls a macro with the list of all messages, after what else it is to get.
macro_rules! every_message {
    ($then:ident $($with:tt)*) => {
        $then! { $($with)*
            api_versions: ApiVersionsRequest ApiVersionsResponse;
            create_partitions: CreatePartitionsRequest CreatePartitionsResponse;
            create_topics: CreateTopicsRequest CreateTopicsResponse;
            delete_topics: DeleteTopicsRequest DeleteTopicsResponse;
            describe_cluster: DescribeClusterRequest DescribeClusterResponse;
            describe_configs: DescribeConfigsRequest DescribeConfigsResponse;
            delete_groups: DeleteGroupsRequest DeleteGroupsResponse;
            describe_groups: DescribeGroupsRequest DescribeGroupsResponse;
            fetch: FetchRequest FetchResponse;
            find_coordinator: FindCoordinatorRequest FindCoordinatorResponse;
            heartbeat: HeartbeatRequest HeartbeatResponse;
            join_group: JoinGroupRequest JoinGroupResponse;
            leave_group: LeaveGroupRequest LeaveGroupResponse;
            list_groups: ListGroupsRequest ListGroupsResponse;
            list_offsets: ListOffsetsRequest ListOffsetsResponse;
            metadata: MetadataRequest MetadataResponse;
            offset_commit: OffsetCommitRequest OffsetCommitResponse;
            offset_delete: OffsetDeleteRequest OffsetDeleteResponse;
            offset_fetch: OffsetFetchRequest OffsetFetchResponse;
            produce: ProduceRequest ProduceResponse;
            sasl_authenticate: SaslAuthenticateRequest SaslAuthenticateResponse;
            sasl_handshake: SaslHandshakeRequest SaslHandshakeResponse;
            sync_group: SyncGroupRequest SyncGroupResponse;
            txn_offset_commit: TxnOffsetCommitRequest TxnOffsetCommitResponse;
        }
    };
}

/// The type of a field.
#[derive(Clone, Debug)]
pub enum Type {
    /// A number, or an error code: so many bytes.
    Int(usize),
    Bool,
    Uuid,
    Text,
    Bytes,
    Array(Box<Type>),
    Nullable(Box<Type>),
    Struct(Table),
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Type,
    pub since: i16,
    pub until: i16,
    pub null_since: i16,
    pub tag: Option<u32>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: &'static str,
    /// Whether it is a whole message, which keeps tagged fields that it does not know.
    pub whole: bool,
    pub fields: Vec<Field>,
}

/// What can describe itself.
pub trait Described {
    fn described() -> Type;
}

macro_rules! described {
    ($($type:ty => $described:expr;)*) => {
        $(impl Described for $type {
            fn described() -> Type {
                $described
            }
        })*
    };
}

described! {
    i8 => Type::Int(1);
    i16 => Type::Int(2);
    i32 => Type::Int(4);
    i64 => Type::Int(8);
    bool => Type::Bool;
    [u8; 16] => Type::Uuid;
    ErrorCode => Type::Int(2);
    Text => Type::Text;
    Bytes => Type::Bytes;
}

impl<T: Described> Described for Vec<T> {
    fn described() -> Type {
        Type::Array(Box::new(T::described()))
    }
}

impl<T: Described> Described for Option<T> {
    fn described() -> Type {
        Type::Nullable(Box::new(T::described()))
    }
}

macro_rules! message {
    ($($(#[$doc:meta])* $kind:ident $name:ident {$(
        $(#[$field_doc:meta])*
        $field:ident: $type:ty $(= $default:expr)?, since $since:literal $(until $until:literal)?
            $(, null since $null:literal)? $(, tag $tag:literal)?;
    )*})*) => {$(
        pub struct $name;

        impl crate::schema::Described for $name {
            fn described() -> crate::schema::Type {
                crate::schema::Type::Struct(crate::schema::Table {
                    name: stringify!($name),
                    whole: stringify!($kind) == "message",
                    fields: vec![$(crate::schema::Field {
                        name: stringify!($field),
                        kind: <$type as crate::schema::Described>::described(),
                        since: $since,
                        until: [$($until,)? i16::MAX][0],
                        null_since: [$($null,)? i16::MIN][0],
                        tag: [$(Some($tag),)? None][0],
                    }),*],
                })
            }
        }
    )*};
}

macro_rules! tables {
    ($($path:literal $module:ident;)*) => {
        $(#[path = $path] pub mod $module;)*
    };
}

tables! {
    "../../src/wire/messages/api_versions.rs" api_versions;
    "../../src/wire/messages/create_topics.rs" create_topics;
    "../../src/wire/messages/create_partitions.rs" create_partitions;
    "../../src/wire/messages/delete_topics.rs" delete_topics;
    "../../src/wire/messages/describe_cluster.rs" describe_cluster;
    "../../src/wire/messages/describe_configs.rs" describe_configs;
    "../../src/wire/messages/describe_groups.rs" describe_groups;
    "../../src/wire/messages/fetch.rs" fetch;
    "../../src/wire/messages/find_coordinator.rs" find_coordinator;
    "../../src/wire/messages/heartbeat.rs" heartbeat;
    "../../src/wire/messages/join_group.rs" join_group;
    "../../src/wire/messages/leave_group.rs" leave_group;
    "../../src/wire/messages/delete_groups.rs" delete_groups;
    "../../src/wire/messages/offset_delete.rs" offset_delete;
    "../../src/wire/messages/list_groups.rs" list_groups;
    "../../src/wire/messages/list_offsets.rs" list_offsets;
    "../../src/wire/messages/metadata.rs" metadata;
    "../../src/wire/messages/offset_commit.rs" offset_commit;
    "../../src/wire/messages/offset_fetch.rs" offset_fetch;
    "../../src/wire/messages/produce.rs" produce;
    "../../src/wire/messages/sasl_authenticate.rs" sasl_authenticate;
    "../../src/wire/messages/sasl_handshake.rs" sasl_handshake;
    "../../src/wire/messages/sync_group.rs" sync_group;
    "../../src/wire/messages/txn_offset_commit.rs" txn_offset_commit;
}

/// The least number of a tagged field that no table knows.
pub const MADE_UP_TAG_MIN: u32 = 17_000;

/// A version, and whether it is flexible.
#[derive(Clone, Copy)]
pub struct Version {
    pub number: i16,
    pub flexible: bool,
}

/// Valid bytes of a described message.
pub fn body(kind: &Type, version: Version) -> BoxedStrategy<Vec<u8>> {
    value(kind, version, Part::Any)
}

/// What of a type's values is wanted.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Any,
    /// Never the default: a tagged field that has it is not written.
    NotDefault,
    /// Never null: the version has no null for the field.
    NotNull,
}

fn value(kind: &Type, version: Version, part: Part) -> BoxedStrategy<Vec<u8>> {
    match kind {
        Type::Int(size) if part == Part::NotDefault => {
            let size = *size;
            (1..100_i64).prop_map(move |int| int.to_be_bytes()[8 - size..].to_vec()).boxed()
        }
        Type::Int(size) => vec(any::<u8>(), *size).boxed(),
        Type::Bool if part == Part::NotDefault => Just(vec![1]).boxed(),
        Type::Bool => (0..=1_u8).prop_map(|bit| vec![bit]).boxed(),
        Type::Uuid => vec(1..=u8::MAX, 16).boxed(),
        Type::Text => text().prop_map(move |text| long(text.as_bytes(), version, Classic::Int16)).boxed(),
        Type::Bytes => bytes().prop_map(move |bytes| long(&bytes, version, Classic::Int32)).boxed(),
        Type::Array(element) => {
            let least = usize::from(part == Part::NotDefault);
            let most = if matches!(**element, Type::Int(_)) { 200 } else { 4 };
            vec(value(element, version, Part::NotNull), least..most)
                .prop_map(move |elements| [length(elements.len(), version, Classic::Int32), elements.concat()].concat())
                .boxed()
        }
        Type::Nullable(kind) if part == Part::Any => {
            let null = match (version.flexible, &**kind) {
                (true, _) => vec![0],
                (false, Type::Text) => vec![0xff; 2],
                (false, _) => vec![0xff; 4],
            };
            prop_oneof![1 => Just(null), 3 => value(kind, version, part)].boxed()
        }
        Type::Nullable(kind) => value(kind, version, part),
        Type::Struct(table) => record(table, version),
    }
}

fn record(table: &Table, version: Version) -> BoxedStrategy<Vec<u8>> {
    let (mut plain, mut tagged) = (Vec::new(), Vec::new());
    for field in table.fields.iter().filter(|field| (field.since..=field.until).contains(&version.number)) {
        match field.tag {
            None if version.number < field.null_since => plain.push(value(&field.kind, version, Part::NotNull)),
            None => plain.push(value(&field.kind, version, Part::Any)),
            Some(tag) => {
                tagged.push(option::of((Just(tag), value(&field.kind, version, Part::NotDefault))).boxed());
            }
        }
    }
    if table.whole {
        tagged.push(option::of((MADE_UP_TAG_MIN..20_000, bytes())).boxed());
        // The oracle keeps them by signed numbers and drops those above.
        tagged.push(option::of((20_000..=i32::MAX as u32, bytes())).boxed());
    }
    (plain, tagged)
        .prop_map(move |(plain, tagged)| {
            let mut out = plain.concat();
            if version.flexible {
                let tagged: Vec<_> = tagged.into_iter().flatten().collect();
                out.extend(varint(tagged.len()));
                for (tag, bytes) in tagged {
                    out.extend([varint(tag as usize), varint(bytes.len()), bytes].concat());
                }
            }
            out
        })
        .boxed()
}

fn text() -> impl Strategy<Value = String> {
    // 126 and 127, 16382 and 16383: where a compact length takes a byte more.
    prop_oneof![
        2 => Just(String::new()),
        8 => ".{1,12}",
        1 => (126..=128_usize).prop_map(|length| "t".repeat(length)),
        1 => (16_382..=16_384_usize).prop_map(|length| "t".repeat(length)),
    ]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => Just(Vec::new()),
        8 => vec(any::<u8>(), 1..12),
        1 => (126..=128_usize).prop_map(|length| vec![0xb5; length]),
        1 => Just(vec![0xb5; 70_000]),
    ]
}

#[derive(Clone, Copy)]
enum Classic {
    Int16,
    Int32,
}

fn long(content: &[u8], version: Version, classic: Classic) -> Vec<u8> {
    [&length(content.len(), version, classic)[..], content].concat()
}

fn length(length: usize, version: Version, classic: Classic) -> Vec<u8> {
    match (version.flexible, classic) {
        (true, _) => varint(length + 1),
        (false, Classic::Int16) => (length as i16).to_be_bytes().to_vec(),
        (false, Classic::Int32) => (length as i32).to_be_bytes().to_vec(),
    }
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}
