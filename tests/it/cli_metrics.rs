//! What `divvy join` counts, as whoever scrapes it sees it.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::cli_ground::{Running, fails};

/// A page as a browser gets it.
fn page(url: &str) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn a_member_shows_what_it_counts() {
    let mut server = Running::start(&["serve", "--data", "memory", "--listen", "127.0.0.1:0", "--admin", "off"]);
    let kafka = server.event("serving")["kafka"].as_str().unwrap().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().to_str().unwrap();
    let join = ["join", "--server", &kafka, "--group", "g", "--topic-pattern", "clicks.*", "--assignors", modules];
    let mut member = Running::start(&[&join[..], &["--metrics", "127.0.0.1:0"]].concat());
    let url = member.event("metrics")["url"].as_str().unwrap().to_owned();
    member.event("assigned");
    let counted = page(&url);
    assert!(counted.contains("divvy_member_rebalances_total{cause=\"start\"} 1"), "{counted}");
    // The address is taken: said before anything is joined.
    let taken = url.strip_prefix("http://").unwrap().strip_suffix("/metrics").unwrap();
    fails(&[&join[..], &["--metrics", taken]].concat(), 5, &["--metrics", taken]);
    assert_eq!(member.interrupt(), 0);
}
