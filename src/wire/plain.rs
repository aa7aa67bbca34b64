//! The plain Heartbeat, by borrowed names: nearly all requests of a coordinator are one. What is anything else, or is
//! wrong in any way, is not read here; the general codec reads it, or tells what is wrong with it.

use bytes::{BufMut, BytesMut};

use super::{ApiKey, ErrorCode};

/// A Heartbeat of versions 1 to 4 without an instance id and without tagged fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainHeartbeat<'a> {
    /// The request's version.
    pub version: i16,
    /// Comes back with the answer.
    pub correlation_id: i32,
    /// The group.
    pub group: &'a str,
    /// The generation that the member works in.
    pub generation: i32,
    /// The member.
    pub member: &'a str,
}

/// Answers of version 0 have no throttle time, and nobody sends it any more.
const VERSIONS: std::ops::RangeInclusive<i16> = 1..=FLEXIBLE;
/// Has compact lengths and tags.
const FLEXIBLE: i16 = 4;
/// Has an instance id.
const INSTANCE_SINCE: i16 = 3;

impl<'a> PlainHeartbeat<'a> {
    /// The heartbeat of that frame, if it is a plain one.
    pub fn read(frame: &'a [u8]) -> Option<Self> {
        let mut rest = Rest(frame);
        let is_heartbeat = rest.int16()? == ApiKey::Heartbeat.code();
        let version = rest.int16().filter(|version| is_heartbeat && VERSIONS.contains(version))?;
        let correlation_id = rest.int32()?;
        // The client id, in the classic form in every version; -1 is none.
        if let Ok(length) = usize::try_from(rest.int16().filter(|length| *length >= -1)?) {
            rest.text(length)?;
        }
        let is_flexible = version == FLEXIBLE;
        if is_flexible {
            rest.zero()?;
        }
        let name = if is_flexible { Rest::compact } else { Rest::classic };
        let group = name(&mut rest)?;
        let generation = rest.int32()?;
        let member = name(&mut rest)?;
        if is_flexible {
            // No instance id, no tags.
            rest.zero()?;
            rest.zero()?;
        } else if version >= INSTANCE_SINCE && rest.int16()? != -1 {
            return None;
        }
        rest.0.is_empty().then_some(Self { version, correlation_id, group, generation, member })
    }

    /// Appends the frame of its answer: its number, no throttle time, an error; tags where there are some.
    pub fn answer(&self, error: ErrorCode, to: &mut BytesMut) {
        let is_flexible = self.version == FLEXIBLE;
        let length: u32 = if is_flexible { 12 } else { 10 };
        to.reserve(4 + length as usize);
        to.put_u32(length);
        to.put_i32(self.correlation_id);
        to.put_bytes(0, if is_flexible { 5 } else { 4 });
        to.put_i16(error.code());
        if is_flexible {
            to.put_u8(0);
        }
    }
}

/// What is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (read, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*read)
    }

    fn int16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn int32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// No tags, or null.
    fn zero(&mut self) -> Option<()> {
        (self.array()? == [0]).then_some(())
    }

    fn text(&mut self, length: usize) -> Option<&'a str> {
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    fn classic(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.int16()?).ok()?;
        self.text(length)
    }

    /// A text whose length plus one fits two bytes of seven bits each.
    fn compact(&mut self) -> Option<&'a str> {
        let [low] = self.array()?;
        let mut length = usize::from(low & 0x7f);
        if low >= 0x80 {
            let [high] = self.array()?;
            if high >= 0x80 {
                return None;
            }
            length |= usize::from(high) << 7;
        }
        self.text(length.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::wire::frame::{decode_request, encode_request, encode_response};
    use crate::wire::header::RequestHeader;
    use crate::wire::messages::{HeartbeatRequest, HeartbeatResponse};
    use crate::wire::{Reader, Text};

    fn request(member: &str, instance: Option<&str>) -> HeartbeatRequest {
        HeartbeatRequest {
            group_id: Text::from("payments"),
            generation_id: 7,
            member_id: Text::from(member),
            group_instance_id: instance.map(Text::from),
            ..Default::default()
        }
    }

    fn frame(version: i16, client: Option<&str>, request: &HeartbeatRequest) -> Bytes {
        let client = client.map(Text::from);
        encode_request(version, 42, client.as_ref(), request).expect("a legal request").split_off(4)
    }

    #[test]
    fn it_reads_what_the_general_codec_wrote() {
        let long = "m".repeat(300);
        for version in VERSIONS {
            for (client, member) in [(None, "a-1"), (Some(""), ""), (Some("büro"), long.as_str())] {
                let frame = frame(version, client, &request(member, None));
                let read = PlainHeartbeat { version, correlation_id: 42, group: "payments", generation: 7, member };
                assert_eq!(PlainHeartbeat::read(&frame), Some(read));
            }
        }
    }

    #[test]
    fn anything_else_is_left_to_the_general_codec() {
        assert_eq!(PlainHeartbeat::read(&frame(0, Some("c"), &request("a-1", None))), None);
        for version in INSTANCE_SINCE..=FLEXIBLE {
            assert_eq!(PlainHeartbeat::read(&frame(version, Some("c"), &request("a-1", Some("i")))), None);
        }
        let mut tagged = request("a-1", None);
        tagged.tags.set(9, Bytes::from_static(b"x"));
        assert_eq!(PlainHeartbeat::read(&frame(FLEXIBLE, Some("c"), &tagged)), None);
    }

    /// Every damage to one byte, and every cut: what is read here is what the general codec reads.
    #[test]
    fn it_never_reads_something_else_than_the_general_codec() {
        for version in VERSIONS {
            let whole = frame(version, Some("client"), &request("a-1", None));
            for length in 0..whole.len() {
                agrees(&whole[..length]);
            }
            agrees(&[&whole[..], b"x"].concat());
            for at in 0..whole.len() {
                for byte in 0..=255 {
                    let mut frame = whole.to_vec();
                    frame[at] = byte;
                    agrees(&frame);
                }
            }
        }
    }

    fn agrees(frame: &[u8]) {
        let Some(read) = PlainHeartbeat::read(frame) else { return };
        let mut body = Reader::new(Bytes::copy_from_slice(frame));
        let header = RequestHeader::decode(&mut body).expect("a header that was read here");
        let general: HeartbeatRequest = decode_request(body, header.api_version).expect("a body that was read here");
        assert_eq!((header.api_key, header.api_version), (ApiKey::Heartbeat.code(), read.version));
        assert_eq!(header.correlation_id, read.correlation_id);
        assert_eq!((general.group_id.as_str(), general.member_id.as_str()), (read.group, read.member));
        assert_eq!((general.generation_id, general.group_instance_id), (read.generation, None));
        assert!(header.tags.is_empty() && general.tags.is_empty());
    }

    #[test]
    fn its_answer_is_the_general_codecs() {
        for version in VERSIONS {
            for error_code in [ErrorCode::None, ErrorCode::RebalanceInProgress, ErrorCode::UnknownMemberId] {
                let frame = frame(version, None, &request("a-1", None));
                let mut answer = BytesMut::new();
                PlainHeartbeat::read(&frame).expect("a plain one").answer(error_code, &mut answer);
                let general = HeartbeatResponse { error_code, ..Default::default() };
                assert_eq!(answer, encode_response(version, 42, &general).expect("a legal answer"));
            }
        }
    }
}
