//! The command line as people type it, and what they read.

use clap::{CommandFactory, Parser};

use super::output::{partitions, plain, table};
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
fn every_command_of_an_author_s_day_is_one() {
    use super::assignor::guide::{FIRST, GUIDE};
    for line in FIRST {
        assert!(GUIDE.contains(line), "the guide does not show `{line}`");
        assert!(Cli::try_parse_from(line.split_whitespace()).is_ok(), "`{line}` is refused");
    }
    assert!(Cli::try_parse_from(["divvy", "assignor"]).is_ok(), "alone it teaches");
}

#[test]
fn every_command_and_setting_of_the_guide_to_roll_outs_is_one() {
    const GUIDE: &str = include_str!("../../guest-sdk/docs/rolling-out.md");
    let guide = GUIDE.replace("\\\n", "");
    let commands: Vec<&str> = guide.lines().filter(|line| line.starts_with("divvy ")).collect();
    assert!(commands.len() > 8, "the guide's commands are not where this test looks");
    for line in commands {
        let line = line.split(" #").next().unwrap_or_default();
        assert!(Cli::try_parse_from(line.split_whitespace()).is_ok(), "`{line}` is refused");
    }
    for block in GUIDE.split("```toml\n").skip(1) {
        let settings = block.split("```").next().unwrap_or_default();
        let read = crate::server::config::Config::parse(settings, "the guide");
        assert!(read.is_ok(), "{settings}\n{}", read.unwrap_err());
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
    for code in (0..=5).chain([141]) {
        assert!(help.contains(&format!("\n{code:>3}  ")), "{help}");
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
    assert_eq!(partitions([("queries", &[4][..]), ("clicks", &[9, 2, 0, 1, 3])]), "clicks 0-3 9, queries 4");
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

#[test]
fn what_peers_say_cannot_move_a_cursor_or_begin_a_line() {
    assert_eq!(plain("clicks é 日本"), "clicks é 日本");
    assert_eq!(plain("a\u{1b}[2Jb\nc\t\u{9b}\u{202e}"), "a\\u{1b}[2Jb\\nc\\t\\u{9b}\\u{202e}");
    let rows = [vec!["a\nb".to_owned(), "\u{7}".to_owned()]];
    assert_eq!(table(&["GROUP", "STATE"], rows), "GROUP  STATE\na\\nb   \\u{7}");
}

#[test]
fn every_address_is_judged_before_anything_is_tried() {
    let join = ["join", "--group", "g", "--topic", "t"];
    let commands: [&[&str]; 5] =
        [&["groups", "list"], &["groups", "describe", "g"], &["topics", "list"], &["topics", "create", "t"], &join];
    for bad in ["", "nohost", "127.0.0.1", ":99999", ":abc", "h:0", "::1:9092", "h:1,"] {
        for command in commands {
            let line = [&["divvy"][..], command, &["--server", bad]].concat();
            let error = Cli::try_parse_from(&line).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains("HOST:PORT, such as"), "{line:?}: {error}");
        }
        assert!(Cli::try_parse_from(["divvy", "groups", "list", "--admin", bad]).is_err(), "{bad:?}");
    }
    assert!(Cli::try_parse_from(["divvy", "topics", "list", "--server", "[::1]:9092"]).is_ok());
    assert!(Cli::try_parse_from([&["divvy"][..], &join, &["--server", "a:1, b:2"]].concat()).is_ok());
}

#[test]
fn serve_takes_what_the_sample_documents() {
    for line in ["--admin off", "--listen localhost:0", "--admin localhost:0 --data memory", "--listen [::1]:9092"] {
        assert!(Cli::try_parse_from(format!("divvy serve {line}").split_whitespace()).is_ok(), "{line}");
    }
    for line in ["--listen=off", "--admin=on", "--data=", "--listen=:9092"] {
        let error = Cli::try_parse_from(["divvy", "serve", line]).unwrap_err().to_string();
        assert!(error.contains("write "), "{line}: {error}");
    }
}

#[test]
fn names_that_cannot_be_are_refused_at_once() {
    let join = ["divvy", "join", "--group", "g", "--topic", "t"];
    for more in [
        ["--topic", ""],
        ["--topic", "a b"],
        ["--topic", "a,,b"],
        ["--fact", "=2"],
        ["--server", ""],
        ["--assignor", "a@b"],
        ["--assignor", "range@"],
        ["--assignor", ""],
    ] {
        assert!(Cli::try_parse_from([&join[..], &more].concat()).is_err(), "{more:?}");
    }
    for partitions in ["0", "-1", "1000001", "many"] {
        let line = ["divvy", "topics", "create", "t", &format!("--partitions={partitions}")];
        let error = Cli::try_parse_from(line).unwrap_err().to_string();
        assert!(error.contains("write a number from 1 to 1000000"), "{error}");
    }
}

#[test]
fn help_is_a_command_too() {
    for line in ["divvy help", "divvy help join", "divvy help topics create"] {
        let help = Cli::try_parse_from(line.split_whitespace()).unwrap_err();
        assert_eq!((help.exit_code(), help.use_stderr()), (0, false), "{line}");
    }
    let usage = Cli::try_parse_from(["divvy", "help", "join"]).unwrap_err().to_string();
    assert!(usage.contains("--topic <NAME> [--topic <NAME>]..."), "{usage}");
}
