//! What `divvy join` and `divvy serve` count, as whoever scrapes it sees it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use sha2::{Digest as _, Sha256};

use crate::cli_ground::{Running, built, fails};

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

#[test]
fn modules_that_are_allowed_serve_and_are_counted_by_their_digest() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["range", "roundrobin"] {
        fs::copy(built(name), folder.path().join(format!("{name}.wasm"))).unwrap();
    }
    let digest = format!("{:x}", Sha256::digest(fs::read(built("roundrobin")).unwrap()));
    let cache = tempfile::tempdir().unwrap();
    let (modules, cache) = (folder.path().to_str().unwrap(), cache.path().to_str().unwrap());
    let (local, allowed) = (["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], format!("sha256:{digest}"));
    let trusted = ["--assignors", modules, "--module-cache", cache, "--allow-module", &allowed];
    for cached in ["miss", "hit"] {
        let mut server = Running::start(&[&["serve", "--data", "memory"], &local[..], &trusted[..]].concat());
        let admin = server.event("serving")["admin"].as_str().unwrap().to_owned();
        let counted = page(&format!("http://{admin}/metrics"));
        let short = &digest[..12];
        for line in [
            format!("divvy_module_calls_total{{module=\"roundrobin\",digest=\"{short}\"}} 0"),
            "divvy_module_loads_total{result=\"failed\"} 1".to_owned(),
            format!("divvy_module_code_cache_total{{result=\"{cached}\"}} 1"),
        ] {
            assert!(counted.contains(&line), "{line}\n{counted}");
        }
        let listed = page(&format!("http://{admin}/modules"));
        assert!(listed.contains("untrusted") && listed.contains("not among the 1 digests"), "{listed}");
        assert_eq!(server.interrupt(), 0);
    }
    fails(&["serve", "--trusted-key", "author.pub"], 2, &["--trusted-key", "begins with RW"]);
    fails(&["join", "--group", "g", "--topic", "t", "--allow-module", "latest"], 2, &["64 hexadecimal digits"]);
    fails(&["serve", "--max-call-ms", "10001"], 2, &["--max-call-ms", "1..=10000"]);
    let join = ["join", "--group", "g", "--topic", "t", "--max-memory-mib", "0"];
    fails(&join, 2, &["--max-memory-mib", "1..=1024"]);
}
