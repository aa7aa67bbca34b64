//! `divvy serve`: sockets, shards and the APIs.
