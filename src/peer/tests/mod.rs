//! Connections against a server of our own: over TLS that is good or not, with logins that are right or not.

pub(crate) mod double;
mod logins;
mod silence;
mod tls;

use double::{Double, Server};

use super::{Connection, Dial, Security, Unreachable};

/// Opens a connection to it, by the name that its certificate is for.
async fn open(server: &Server, security: Security) -> Result<Connection, Unreachable> {
    Dial::new("story", security).open(&server.address()).await
}

/// Why there is none.
async fn refused(server: &Server, security: Security) -> String {
    open(server, security).await.err().expect("the connection is refused").to_string()
}

#[tokio::test]
async fn a_plain_connection_asks_what_is_served() {
    let server = Double::default().start().await;
    let connection = open(&server, Security::default()).await.unwrap();
    assert!(connection.speaks(crate::wire::ApiKey::Metadata));
    assert!(!connection.speaks(crate::wire::ApiKey::JoinGroup));
    connection.call(&double::question(), super::REQUEST_TIMEOUT).await.unwrap();
    assert!(connection.is_idle());
}

#[test]
fn the_host_of_an_address_is_what_a_certificate_is_for() {
    use super::dial::{address_of, host_of};
    for (host, address) in [("kafka.example.org", "kafka.example.org:9092"), ("::1", "[::1]:9092")] {
        assert_eq!(address_of(host, 9092), address);
        assert_eq!(host_of(address), host);
    }
}
