//! What stands before a request and before an answer.

use super::api::{ApiKey, Served, served};
use super::problem::{DecodeError, EncodeError};
use super::reader::Reader;
use super::tags::Tags;
use super::text::Text;
use super::value::{Value, Version};
use super::writer::Writer;

/// What stands before a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RequestHeader {
    /// The number of the request's kind; it may be one that divvy does not know.
    pub api_key: i16,
    /// The version of the request; it may be one that divvy does not serve.
    pub api_version: i16,
    /// Comes back with the answer.
    pub correlation_id: i32,
    /// The client's name for itself.
    pub client_id: Option<Text>,
    /// Tagged fields of flexible versions: Kafka has none here.
    pub tags: Tags,
}

impl RequestHeader {
    /// What is served of this kind of request, if its version is.
    pub fn served(&self) -> Option<Served> {
        let served = served(ApiKey::from_code(self.api_key)?);
        served.versions.contains(self.api_version).then_some(served)
    }

    /// Reads a header. Only its first three numbers are the same for ever: of a request that is not served nothing
    /// more is read, which is enough to answer error 35 to an ApiVersions of the future.
    pub fn decode(from: &mut Reader) -> Result<Self, DecodeError> {
        let classic = Version { number: 0, flexible: false };
        let mut header = Self {
            api_key: i16::read(from, classic).map_err(|error| error.of("RequestHeader.api_key"))?,
            api_version: i16::read(from, classic).map_err(|error| error.of("RequestHeader.api_version"))?,
            correlation_id: i32::read(from, classic).map_err(|error| error.of("RequestHeader.correlation_id"))?,
            ..Self::default()
        };
        let Some(served) = header.served() else { return Ok(header) };
        // The client id is in the classic form even in flexible versions (KIP-482).
        header.client_id = Value::read(from, classic).map_err(|error| error.of("RequestHeader.client_id"))?;
        if header.api_version >= served.flexible_from {
            header.tags = read_tags(from)?;
        }
        Ok(header)
    }

    /// Writes a header of a request that is served.
    pub fn encode(&self, to: &mut Writer<'_>) -> Result<(), EncodeError> {
        let classic = Version { number: 0, flexible: false };
        self.api_key.write(to, classic)?;
        self.api_version.write(to, classic)?;
        self.correlation_id.write(to, classic)?;
        self.client_id.write(to, classic).map_err(|error| error.of("RequestHeader.client_id"))?;
        match self.served() {
            Some(served) if self.api_version >= served.flexible_from => write_tags(&self.tags, to),
            _ => Ok(()),
        }
    }
}

/// What stands before an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResponseHeader {
    /// The request's.
    pub correlation_id: i32,
    /// Tagged fields of flexible versions: Kafka has none here.
    pub tags: Tags,
}

impl ResponseHeader {
    /// Reads the header of an answer to a request of this kind and version.
    pub fn decode(from: &mut Reader, key: ApiKey, version: i16) -> Result<Self, DecodeError> {
        let classic = Version { number: 0, flexible: false };
        let correlation_id = i32::read(from, classic).map_err(|error| error.of("ResponseHeader.correlation_id"))?;
        let tags = if is_tagged(key, version) { read_tags(from)? } else { Tags::default() };
        Ok(Self { correlation_id, tags })
    }

    /// Writes the header of an answer to a request of this kind and version.
    pub fn encode(&self, to: &mut Writer<'_>, key: ApiKey, version: i16) -> Result<(), EncodeError> {
        to.put(&self.correlation_id.to_be_bytes());
        if is_tagged(key, version) { write_tags(&self.tags, to) } else { Ok(()) }
    }
}

/// Whether the header of an answer has tagged fields. Those of ApiVersions never have: who asks cannot know yet which
/// versions the other side speaks (KIP-511).
fn is_tagged(key: ApiKey, version: i16) -> bool {
    key != ApiKey::ApiVersions && version >= served(key).flexible_from
}

fn read_tags(from: &mut Reader) -> Result<Tags, DecodeError> {
    let mut tags = Tags::default();
    for _ in 0..from.tag_count()? {
        let (tag, value) = from.tag()?;
        tags.set(tag, value.into_rest());
    }
    Ok(tags)
}

fn write_tags(tags: &Tags, to: &mut Writer<'_>) -> Result<(), EncodeError> {
    to.tag_count(0, &[tags]);
    to.tags(&[tags])
}
