//! The command line as people type it, and what they read.

use clap::{CommandFactory, Parser};

use super::output::{partitions, table};
use super::{Cli, admin, guide};

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_that_the_guide_teaches_is_one() {
    assert_eq!(guide::FIRST.len(), 3);
    for line in guide::FIRST {
        assert!(guide::GUIDE.contains(line), "the guide does not show `{line}`");
        assert!(Cli::try_parse_from(line.split_whitespace()).is_ok(), "`{line}` is refused");
    }
}

#[test]
fn json_may_stand_anywhere() {
    for line in ["divvy --json topics list", "divvy topics list --json", "divvy topics --json list"] {
        let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
        assert!(cli.json, "{line}");
    }
}

#[test]
fn the_help_documents_every_exit_code() {
    let help = Cli::command().render_help().to_string();
    for code in 0..=5 {
        assert!(help.contains(&format!("\n  {code}  ")), "{help}");
    }
}

#[test]
fn a_member_of_type_consumer_needs_topics() {
    assert!(Cli::try_parse_from(["divvy", "join", "--group", "g"]).is_err());
    assert!(Cli::try_parse_from(["divvy", "join", "--group", "g", "--protocol-type", "consumer"]).is_err());
    assert!(Cli::try_parse_from(["divvy", "join", "--group", "g", "--topic", "a,b", "--fact", "weight=2"]).is_ok());
    assert!(Cli::try_parse_from(["divvy", "join", "--group", "g", "--protocol-type", "single-writer"]).is_ok());
    assert!(Cli::try_parse_from(["divvy", "join", "--group", "g", "--topic", "a", "--fact", "weight"]).is_err());
}

#[test]
fn partitions_are_shown_as_runs() {
    let clicks: &[i32] = &[0, 1, 2, 3, 7, 9, 10];
    assert_eq!(partitions([("clicks", clicks), ("none", &[]), ("queries", &[4])]), "clicks 0-3 7 9-10, queries 4");
    assert_eq!(partitions([("none", &[] as &[i32])]), "nothing");
}

#[test]
fn tables_are_aligned_and_have_no_lines() {
    let rows = [vec!["search".to_owned(), "Stable".to_owned()], vec!["x".to_owned(), "Empty".to_owned()]];
    assert_eq!(table(&["GROUP", "STATE"], rows), "GROUP   STATE\nsearch  Stable\nx       Empty");
}

#[test]
fn names_are_made_fit_for_a_path() {
    assert_eq!(admin::quote("a-b_c.9"), "a-b_c.9");
    assert_eq!(admin::quote("a/b ü"), "a%2Fb%20%C3%BC");
}
