//! A connection to anything that speaks Kafka's protocol: divvy, a broker, a proxy before one. It is shared by whoever
//! has to ask one: members, the command line, and a coordinator that learns its topics from a cluster.
//!
//! What it asks for before it answers, encryption and a login, is a [`Security`]; the rest is the same for all.

mod clock;
mod connection;
mod dial;
mod files;
mod limits;
mod login;
mod properties;
mod remedy;
mod security;
mod socket;
mod source;
pub(crate) mod spawn;
mod tls;
pub(crate) mod topics;
mod unreachable;

pub(crate) use connection::Connection;
pub(crate) use dial::{Dial, address_of};
pub(crate) use limits::REQUEST_TIMEOUT;
pub use properties::Properties;
pub(crate) use remedy::in_keys;
pub use security::{Login, Mechanism, Password, Security, SecurityError};
pub use source::{
    LoginSource, PASSWORD_VARIABLE, PROTOCOLS, PasswordSource, Protocol, SecuritySource, read_properties,
};
pub use tls::{Tls, TlsFiles};
pub use unreachable::Unreachable;

#[cfg(test)]
pub(crate) mod tests;
