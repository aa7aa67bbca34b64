//! Asks the admin port for JSON: one small GET, so that the command line needs no HTTP library.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// An admin port on the same machine accepts at once or not at all.
const PATIENCE: Duration = Duration::from_secs(2);

/// It may have to wait for its turn, and to write down what a group does with a million partitions.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// A page larger than this is no answer of ours.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What the port says about a path; none when it says 404.
pub fn get(address: &str, path: &str) -> Result<Option<Value>> {
    let target = address.to_socket_addrs()?.next().context("the address has no host")?;
    let mut stream = TcpStream::connect_timeout(&target, PATIENCE)?;
    stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept: application/json\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_BYTES).read_to_end(&mut answer)?;
    let split = answer.windows(4).position(|window| window == b"\r\n\r\n").context("no HTTP answer")?;
    let head = String::from_utf8_lossy(&answer[..split]);
    match head.split_whitespace().nth(1) {
        Some("200") => Ok(Some(serde_json::from_slice(&answer[split + 4..])?)),
        Some("404") => Ok(None),
        other => bail!("the admin port answered {}", other.unwrap_or("nothing")),
    }
}

/// Makes a name fit for a path.
pub fn quote(name: &str) -> String {
    let mut quoted = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("%{byte:02X}")),
        }
    }
    quoted
}
