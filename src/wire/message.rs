//! The table macro: a message is a list of fields with the versions that have them.
//!
//! ```text
//! message! {
//!     /// What it is.
//!     message JoinGroupRequest {
//!         /// What the field is.
//!         group_instance_id: Option<Text> = None, since 5 until 9, null since 5, tag 0;
//!     }
//!     /// A struct inside a message.
//!     part JoinGroupRequestProtocol { .. }
//! }
//! ```
//!
//! Optional are: the default (else the type's own), `until` (else the last version), `null since` (else an `Option`
//! may always be null), `tag` (else the field is not a tagged one). Fields stand in the order of the wire; tagged
//! ones in the order of their tags. A field that a version does not have is left out of it without a word, and reads
//! as its default. From each table come the struct, its `Default` and its codec; a `message` also keeps the tagged
//! fields that its table does not know.

use super::api::ApiKey;
use super::problem::{DecodeError, EncodeError};
use super::reader::Reader;
use super::writer::Writer;

/// A request or an answer.
pub trait Message: Sized {
    /// Which exchange it belongs to.
    const KEY: ApiKey;
    /// Reads the body of a version that is served.
    fn decode(from: &mut Reader, version: i16) -> Result<Self, DecodeError>;
    /// Writes the body in a version that is served.
    fn encode(&self, version: i16, to: &mut Writer<'_>) -> Result<(), EncodeError>;
}

/// A request.
pub trait Request: Message {
    /// Its answer.
    type Response: Message;
}

macro_rules! message {
    ($($(#[$doc:meta])* $kind:ident $name:ident { $($fields:tt)* })*) => {
        $(message_kind! { $kind $(#[$doc])* $name { $($fields)* } })*
    };
}

macro_rules! message_kind {
    (message $($table:tt)*) => {
        message_table! { [#[doc = "Tagged fields that the table does not know."] tags] $($table)* }
    };
    (part $($table:tt)*) => {
        message_table! { [] $($table)* }
    };
}

macro_rules! message_table {
    ([$(#[$tags_doc:meta] $tags:ident)?] $(#[$doc:meta])* $name:ident {$(
        $(#[$field_doc:meta])*
        $field:ident: $type:ty $(= $default:expr)?, since $since:literal $(until $until:literal)?
            $(, null since $null:literal)? $(, tag $tag:literal)?;
    )*}) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
            $(#[$tags_doc] pub $tags: $crate::wire::Tags,)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: or_default!($($default)?),)* $($tags: Default::default(),)? }
            }
        }

        impl $crate::wire::value::Value for $name {
            fn min_size(version: $crate::wire::value::Version) -> usize {
                let mut size = usize::from(version.flexible);
                $(untagged! { [$($tag)?]
                    if version.has($since, or_last!($($until)?)) {
                        size += <$type as $crate::wire::value::Value>::min_size(version);
                    }
                })*
                size
            }

            fn read(
                from: &mut $crate::wire::Reader,
                version: $crate::wire::value::Version,
            ) -> Result<Self, $crate::wire::DecodeError> {
                let mut read = Self::default();
                $(untagged! { [$($tag)?]
                    if version.has($since, or_last!($($until)?)) {
                        let name = concat!(stringify!($name), ".", stringify!($field));
                        read.$field = $crate::wire::value::read_field(from, version, or_always!($($null)?), name)?;
                    }
                })*
                if version.flexible {
                    for _ in 0..from.tag_count()? {
                        let (tag, value) = from.tag()?;
                        $(tagged! { [$($tag)?]
                            if tag == $($tag)? && version.has($since, or_last!($($until)?)) {
                                let name = concat!(stringify!($name), ".", stringify!($field));
                                read.$field = value.whole(version).map_err(|error| error.of(name))?;
                                continue;
                            }
                        })*
                        $crate::wire::tags::keep(&mut [$(&mut read.$tags)?], tag, value.into_rest());
                    }
                }
                Ok(read)
            }

            fn write(
                &self,
                to: &mut $crate::wire::Writer<'_>,
                version: $crate::wire::value::Version,
            ) -> Result<(), $crate::wire::EncodeError> {
                $(untagged! { [$($tag)?]
                    if version.has($since, or_last!($($until)?)) {
                        let name = concat!(stringify!($name), ".", stringify!($field));
                        $crate::wire::value::write_field(&self.$field, to, version, or_always!($($null)?), name)?;
                    }
                })*
                if version.flexible {
                    let kept: &[&$crate::wire::Tags] = &[$(&self.$tags)?];
                    let known = 0 $(+ count_tagged! { [$($tag)?]
                        version.has($since, or_last!($($until)?))
                            && $crate::wire::value::differ(&self.$field, &or_default!($($default)?))
                    })*;
                    to.tag_count(known, kept);
                    $(tagged! { [$($tag)?]
                        if version.has($since, or_last!($($until)?))
                            && $crate::wire::value::differ(&self.$field, &or_default!($($default)?))
                        {
                            let name = concat!(stringify!($name), ".", stringify!($field));
                            to.tag($($tag)?, &self.$field, version).map_err(|error| error.of(name))?;
                        }
                    })*
                    to.tags(kept)?;
                }
                Ok(())
            }
        }
    };
}

/// The code, unless the field is a tagged one.
macro_rules! untagged {
    ([] $($code:tt)*) => { $($code)* };
    ([$tag:literal] $($code:tt)*) => {};
}

/// The code, if the field is a tagged one.
macro_rules! tagged {
    ([] $($code:tt)*) => {};
    ([$tag:literal] $($code:tt)*) => { $($code)* };
}

/// 1 if the field is a tagged one and the condition holds.
macro_rules! count_tagged {
    ([] $($condition:tt)*) => { 0 };
    ([$tag:literal] $($condition:tt)*) => { usize::from($($condition)*) };
}

macro_rules! or_default {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}

macro_rules! or_last {
    () => {
        i16::MAX
    };
    ($until:literal) => {
        $until
    };
}

macro_rules! or_always {
    () => {
        i16::MIN
    };
    ($null:literal) => {
        $null
    };
}
