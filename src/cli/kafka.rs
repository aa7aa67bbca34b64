//! A small client of Kafka's protocol: one connection, one question at a time, for commands that ask and print.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bytes::Bytes;

use super::failure::{Failure, Kind};
use crate::wire::api::{VersionRange, served};
use crate::wire::frame::{FrameLimit, Framer, decode_response, encode_request};
use crate::wire::messages::api_versions::{ApiVersion, ApiVersionsRequest};
use crate::wire::{ErrorCode, Request, Text};

/// A server that takes longer to accept is not there.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);

/// A question that takes longer has no answer; a coordinator waits for its store at most half of this.
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// A read asks for so much at once.
const READ_BYTES: usize = 64 * 1024;

/// A connection to a server that said what it serves.
pub struct Kafka {
    address: String,
    stream: TcpStream,
    framer: Framer,
    serves: Vec<ApiVersion>,
    asked: i32,
}

impl Kafka {
    /// Connects, and asks what is served.
    pub fn connect(address: &str) -> Result<Self> {
        let stream = open(address).map_err(|error| {
            let remedy = "start it with `divvy serve`, or name it with --server HOST:PORT";
            Failure::of(Kind::Unreachable, format!("nobody answers at {address} ({error:#}): {remedy}"))
        })?;
        let framer = Framer::new(FrameLimit::ANSWERS);
        let mut kafka = Self { address: address.to_owned(), stream, framer, serves: Vec::new(), asked: 0 };
        // Version 0 is answered by every server there is.
        let answer = kafka.exchange(&ApiVersionsRequest::default(), 0)?;
        if answer.error_code.is_error() {
            bail!("{address} does not say what it serves: {}", answer.error_code);
        }
        kafka.serves = answer.api_keys;
        Ok(kafka)
    }

    /// Asks, in the newest version that both know.
    pub fn ask<R: Request>(&mut self, request: &R) -> Result<R::Response> {
        let ours = served(R::KEY).versions;
        let theirs = self.serves.iter().find(|served| served.api_key == R::KEY.code());
        let theirs = theirs.map(|served| VersionRange { min: served.min_version, max: served.max_version });
        match theirs {
            Some(theirs) if theirs.min <= ours.max && ours.min <= theirs.max => {
                self.exchange(request, ours.max.min(theirs.max))
            }
            _ => bail!("{} serves no version of {} that divvy speaks", self.address, R::KEY.name()),
        }
    }

    fn exchange<R: Request>(&mut self, request: &R, version: i16) -> Result<R::Response> {
        self.asked += 1;
        let name = R::KEY.name();
        let frame = encode_request(version, self.asked, Some(&Text::from("divvy-cli")), request)?;
        let answer = self.send(&frame).map_err(|error| {
            Failure::of(
                Kind::Unreachable,
                format!("{} does not answer {name} ({error:#}): look at its log", self.address),
            )
        })?;
        let (id, response) =
            decode_response(answer, version).with_context(|| format!("{} answers {name} wrongly", self.address))?;
        if id != self.asked {
            bail!("{} answers another question than {name}", self.address);
        }
        Ok(response)
    }

    fn send(&mut self, frame: &[u8]) -> Result<Bytes> {
        self.stream.write_all(frame)?;
        let mut chunk = vec![0; READ_BYTES];
        loop {
            if let Some(answer) = self.framer.frame()? {
                return Ok(answer);
            }
            match self.stream.read(&mut chunk)? {
                0 => bail!("it closed the connection"),
                count => self.framer.room().extend_from_slice(&chunk[..count]),
            }
        }
    }
}

fn open(address: &str) -> Result<TcpStream> {
    let target = address.to_socket_addrs()?.next().context("the host has no address")?;
    let stream = TcpStream::connect_timeout(&target, CONNECTS_WITHIN)?;
    stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// What a server's refusal means for whoever asked.
pub fn refused(what: &str, error: ErrorCode, message: Option<&Text>) -> anyhow::Error {
    let why = message.map(|text| text.to_string()).filter(|text| !text.is_empty());
    let kind = match error {
        ErrorCode::GroupIdNotFound | ErrorCode::UnknownTopicOrPartition => Kind::NotFound,
        _ => Kind::Failed,
    };
    Failure::of(kind, format!("{what}: {}", why.unwrap_or_else(|| error.to_string())))
}
