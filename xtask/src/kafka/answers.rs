//! Whether a broker answers: by the one request that needs nothing.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::time::Duration;

/// A broker that is up answers at once; one that is not gets the next question soon.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// ApiVersions (18) of version 0, correlation id 1, without a client id.
const API_VERSIONS: [u8; 14] = [0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff];

/// Asks on a port of this machine.
pub fn to_api_versions(port: u16) -> bool {
    asked(port).is_some()
}

fn asked(port: u16) -> Option<()> {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let mut stream = TcpStream::connect_timeout(&address.into(), ANSWERS_WITHIN).ok()?;
    stream.set_read_timeout(Some(ANSWERS_WITHIN)).ok()?;
    stream.write_all(&API_VERSIONS).ok()?;
    // Length, correlation id, error.
    let mut answer = [0; 10];
    stream.read_exact(&mut answer).ok()?;
    (answer[4..] == [0, 0, 0, 1, 0, 0]).then_some(())
}
