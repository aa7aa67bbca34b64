//! The bytes of Kafka Connect's own protocol, as its workers write them.

use divvy_assignor_connect::wire::{Assignment, Metadata};

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

const URL: &str = "http://w1:8083/";

#[test]
fn metadata_of_all_versions_is_read_and_written() {
    let v0 = bytes("0000000f687474703a2f2f77313a383038332f0000000000000007");
    let v1 = bytes("0001000f687474703a2f2f77313a383038332f0000000000000007ffffffff");
    let v2 = bytes("0002000f687474703a2f2f77313a383038332f0000000000000007ffffffff");
    for (version, bytes) in (0..).zip([v0, v1, v2]) {
        let metadata = Metadata::read(&bytes).expect("metadata");
        assert_eq!(metadata, Metadata { version, url: URL, offset: 7, runs: Vec::new() });
        assert_eq!(metadata.write(), bytes);
    }
    let holding = bytes(
        "0001000f687474703a2f2f77313a383038332f00000000000000070000003f0001000000027731000f687474703a2f2f77313a383038332f\
         00000000000000070000000100046a64626300000002ffffffff00000000ffffffff00000000",
    );
    assert_eq!(Metadata::read(&holding).expect("metadata").runs, [("jdbc", vec![-1, 0])]);
}

#[test]
fn assignments_of_all_versions_are_read_and_written() {
    let v0 = bytes(
        "0000000000027731000f687474703a2f2f77313a383038332f00000000000000070000000200046a64626300000002ffffffff0000000000\
         0473696e6b0000000100000001",
    );
    let told = Assignment {
        leader: "w1",
        leader_url: URL,
        offset: 7,
        work: vec![("jdbc", vec![-1, 0]), ("sink", vec![1])],
        ..Assignment::default()
    };
    assert_eq!(Assignment::read(&v0), Ok(told.clone()));
    assert_eq!(told.write(), v0);
    let mismatch = bytes("0000000100027731000f687474703a2f2f77313a383038332f000000000000000900000000");
    let told = Assignment { error: 1, offset: 9, work: Vec::new(), ..told };
    assert_eq!(Assignment::read(&mismatch), Ok(told.clone()));
    assert_eq!(told.write(), mismatch);
    let v1 = bytes(
        "0001000000027731000f687474703a2f2f77313a383038332f00000000000000070000000100046a646263000000010000000100000001\
         000473696e6b00000002ffffffff00000000000493e0",
    );
    let told = Assignment {
        version: 1,
        error: 0,
        offset: 7,
        work: vec![("jdbc", vec![1])],
        revoked: vec![("sink", vec![-1, 0])],
        delay_ms: 300_000,
        ..told
    };
    assert_eq!(Assignment::read(&v1), Ok(told.clone()));
    assert_eq!(told.write(), v1);
    // Older writers stop before the last fields.
    let short = Assignment { delay_ms: 0, ..told };
    assert_eq!(Assignment::read(&v1[..v1.len() - 4]), Ok(short));
}

#[test]
fn no_truncation_panics_and_no_count_is_believed() {
    let whole = Assignment { version: 1, work: vec![("c", vec![0, 1])], ..Assignment::default() }.write();
    (0..whole.len()).for_each(|cut| _ = Assignment::read(&whole[..cut]));
    let many = bytes("00000000000000000000000000000000007fffffff");
    assert!(Assignment::read(&many).is_err());
    assert_eq!(Metadata::read(&[0xff, 0xff]), Err("a version from 0"));
}
