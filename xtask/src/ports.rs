//! Ports for servers that are killed and started again at the same address.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};

use anyhow::{Result, bail};

/// Below the range that the kernel gives to outgoing connections: a client that retries while the server is
/// down could otherwise be given the server's own port, and talk to itself.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// `N` different ports on which nobody listens now.
pub fn free<const N: usize>() -> Result<[u16; N]> {
    // Two runs at once begin at different places.
    let start = u16::try_from(std::process::id() % u32::from(COUNT)).unwrap_or_default();
    let candidates = (0..COUNT).map(|step| FIRST + (start + step) % COUNT);
    let mut found = candidates.filter(|port| TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, *port)).is_ok());
    let mut ports = [0; N];
    for port in &mut ports {
        let Some(free) = found.next() else {
            bail!("no free port on 127.0.0.1 from {FIRST} to {}", FIRST + COUNT - 1);
        };
        *port = free;
    }
    Ok(ports)
}
