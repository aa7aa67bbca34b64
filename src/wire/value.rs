//! What a field can be: how each type of the format is read and written in a version.

use bytes::Bytes;

use super::error::ErrorCode;
use super::problem::{DecodeError, EncodeError, Problem};
use super::reader::{Classic, Reader};
use super::text::Text;
use super::writer::Writer;

/// A version of a message, and whether it is written in the compact form with tagged fields (KIP-482).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Version {
    pub(super) number: i16,
    pub(super) flexible: bool,
}

impl Version {
    /// Whether a field of the versions `first` to `last` is in this one.
    pub(super) fn has(self, first: i16, last: i16) -> bool {
        (first..=last).contains(&self.number)
    }
}

/// A type that a field can have.
pub trait Value: Sized {
    /// The fewest bytes that one takes.
    fn min_size(version: Version) -> usize;
    /// Reads one.
    fn read(from: &mut Reader, version: Version) -> Result<Self, DecodeError>;
    /// Writes one.
    fn write(&self, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError>;
    /// Whether it is null.
    fn is_null(&self) -> bool {
        false
    }
}

/// Reads a field of a struct; it may be null from version `null_since` on.
pub(super) fn read_field<T: Value>(
    from: &mut Reader,
    version: Version,
    null_since: i16,
    field: &'static str,
) -> Result<T, DecodeError> {
    let at = from.position();
    let value = T::read(from, version).map_err(|error| error.of(field))?;
    if version.number < null_since && value.is_null() {
        return Err(DecodeError::at(at, Problem::Null).of(field));
    }
    Ok(value)
}

/// Writes a field of a struct; it may be null from version `null_since` on.
pub(super) fn write_field<T: Value>(
    value: &T,
    to: &mut Writer<'_>,
    version: Version,
    null_since: i16,
    field: &'static str,
) -> Result<(), EncodeError> {
    if version.number < null_since && value.is_null() {
        return Err(EncodeError { field, problem: Problem::Null });
    }
    value.write(to, version).map_err(|error| error.of(field))
}

/// Whether a tagged field has to be written: it is not its default.
pub(super) fn differ<T: PartialEq>(value: &T, default: &T) -> bool {
    value != default
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Value for $integer {
            fn min_size(_: Version) -> usize {
                size_of::<Self>()
            }
            fn read(from: &mut Reader, _: Version) -> Result<Self, DecodeError> {
                Ok(Self::from_be_bytes(from.array()?))
            }
            fn write(&self, to: &mut Writer<'_>, _: Version) -> Result<(), EncodeError> {
                to.put(&self.to_be_bytes());
                Ok(())
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 }

impl Value for bool {
    fn min_size(_: Version) -> usize {
        1
    }
    fn read(from: &mut Reader, _: Version) -> Result<Self, DecodeError> {
        Ok(from.array()? != [0])
    }
    fn write(&self, to: &mut Writer<'_>, _: Version) -> Result<(), EncodeError> {
        to.put(&[u8::from(*self)]);
        Ok(())
    }
}

impl Value for [u8; 16] {
    fn min_size(_: Version) -> usize {
        16
    }
    fn read(from: &mut Reader, _: Version) -> Result<Self, DecodeError> {
        from.array()
    }
    fn write(&self, to: &mut Writer<'_>, _: Version) -> Result<(), EncodeError> {
        to.put(self);
        Ok(())
    }
}

impl Value for ErrorCode {
    fn min_size(_: Version) -> usize {
        2
    }
    fn read(from: &mut Reader, version: Version) -> Result<Self, DecodeError> {
        Ok(i16::read(from, version)?.into())
    }
    fn write(&self, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError> {
        self.code().write(to, version)
    }
}

/// A value that is read and written as null or as itself; without `Option` null is an error.
macro_rules! nullable {
    ($type:ty $(, $element:ident)?; $classic:literal, $read:expr, $write:expr) => {
        impl $(<$element: Value>)? Value for Option<$type> {
            fn min_size(version: Version) -> usize {
                if version.flexible { 1 } else { $classic }
            }
            fn read(from: &mut Reader, version: Version) -> Result<Self, DecodeError> {
                $read(from, version)
            }
            fn write(&self, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError> {
                $write(self.as_deref(), to, version)
            }
            fn is_null(&self) -> bool {
                self.is_none()
            }
        }

        impl $(<$element: Value>)? Value for $type {
            fn min_size(version: Version) -> usize {
                <Option<$type>>::min_size(version)
            }
            fn read(from: &mut Reader, version: Version) -> Result<Self, DecodeError> {
                let at = from.position();
                $read(from, version)?.ok_or(DecodeError::at(at, Problem::Null))
            }
            fn write(&self, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError> {
                $write(Some(&**self), to, version)
            }
        }
    };
}

nullable! { Text; 2, read_text, write_text }
nullable! { Bytes; 4, read_bytes, write_bytes }
nullable! { Vec<T>, T; 4, Reader::elements, write_elements }

/// The compact form could say longer texts, and Kafka refuses them too: one could never be told to a peer that speaks
/// an older version.
fn read_text(from: &mut Reader, version: Version) -> Result<Option<Text>, DecodeError> {
    match from.length(version, Classic::Int16)? {
        Some(length) if length > i16::MAX as usize => Err(from.error(Problem::TooLong(length))),
        length => length.map(|length| from.text(length)).transpose(),
    }
}

fn write_text(text: Option<&str>, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError> {
    to.length(text.map(str::len), version, Classic::Int16)?;
    to.put(text.unwrap_or_default().as_bytes());
    Ok(())
}

fn read_bytes(from: &mut Reader, version: Version) -> Result<Option<Bytes>, DecodeError> {
    from.length(version, Classic::Int32)?.map(|length| from.bytes(length)).transpose()
}

fn write_bytes(bytes: Option<&[u8]>, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError> {
    to.length(bytes.map(<[u8]>::len), version, Classic::Int32)?;
    to.put(bytes.unwrap_or_default());
    Ok(())
}

fn write_elements<T: Value>(elements: Option<&[T]>, to: &mut Writer<'_>, version: Version) -> Result<(), EncodeError> {
    to.elements(elements, version)
}
