//! What is told of a `[[group]]`: its place, its aliases, and its assignors' configurations.

use super::*;

#[test]
fn topics_and_groups_keep_the_files_order() {
    let config = parse(
        r#"
        "group.max.size" = 5
        [[topic]]
        name = "b"
        partitions = 2
        [[topic]]
        name = "a"
        partitions = 3
        racks = [["r1", "r2"], ["r2"]]
        [[group]]
        match = "z*"
        plan.check = "warn"
        commit.check = "enforce"
        "plan.check.foreign" = "enforce"
        leader.selection = "random"
        [group.config.mine]
        weights = [1.5, 2]
        nested = { on = true, since = 2026-11-29 }
        [[group]]
        match = "*"
        plan.check = "off"
        "#,
    )
    .unwrap();
    let racks = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(config.limits.max_size, 5);
    assert_eq!(config.topics[0], ("b".into(), Topic { partitions: 2, racks: Vec::new() }));
    assert_eq!(config.topics[1].1.racks, [racks(&["r1", "r2"]), racks(&["r2"]), racks(&["r1", "r2"])]);
    let [(z, of_z), (all, of_all)] = config.groups.as_slice() else { panic!("{:?}", config.groups) };
    assert_eq!((z.as_str(), of_z.plan_check, of_z.leader_selection), ("z*", PlanCheck::Warn, LeaderSelection::Random));
    assert_eq!(
        (all.as_str(), of_all.plan_check, of_all.leader_selection),
        ("*", PlanCheck::Off, LeaderSelection::Keep)
    );
    assert_eq!((of_z.commit_check, of_all.commit_check), (CommitCheck::Enforce, CommitCheck::Warn));
    assert_eq!(of_z.plan_check_foreign, ForeignPlanCheck::Enforce);
    assert_eq!(of_all.plan_check_foreign, ForeignPlanCheck::Warn);
    let expected = serde_json::json!({"weights": [1.5, 2], "nested": {"on": true, "since": "2026-11-29"}});
    assert_eq!(of_z.config["mine"], expected);
}

#[test]
fn an_alias_says_how_members_hand_over_where_its_name_does_not() {
    let group = |alias: &str| format!("[[group]]\nmatch = \"*\"\nlead = \"coordinator\"\nalias = [{{ {alias} }}]");
    let mine = parse(&group(r#"protocol = "mine", assignor = "a", mode = "cooperative""#)).unwrap();
    assert_eq!(mine.groups[0].1.mode(&"mine".into()), Some(Mode::Cooperative));
    let known = parse(&group(r#"protocol = "cooperative-sticky", assignor = "a@2""#)).unwrap();
    assert_eq!(known.groups[0].1.mode(&"cooperative-sticky".into()), Some(Mode::Cooperative));
    for (alias, what) in [
        (r#"protocol = "mine", assignor = "a""#, "mode is missing here"),
        (r#"protocol = "range", assignor = "a", mode = "cooperative""#, "the other way under range"),
        (r#"protocol = "range""#, "assignor is missing here"),
        (r#"protocol = "mine", assignor = "a", mode = "coop""#, r#"mode = "coop": write "eager" or "cooperative""#),
        (r#"protocol = "range", assignor = "a b""#, "an assignor by name or name@version"),
        (r#"protocol = "range", assignor = "a", moed = "eager""#, "did you mean mode?"),
    ] {
        let said = problem(&group(alias));
        assert!(said.contains(what), "{alias}: {said}");
    }
    let useless = problem("[[group]]\nmatch = \"*\"\nalias = [{ protocol = \"range\", assignor = \"a\" }]");
    assert!(useless.contains("write lead = \"coordinator\" too"), "{useless}");
}

#[test]
fn what_is_wrong_in_a_configuration_is_said_with_its_own_key() {
    for (text, sentence) in [
        ("[[group]]\nmatch = \"*\"\nconfig = 1", "line 3: config = 1: write a table for each assignor"),
        (
            "[[group]]\nmatch = \"*\"\nconfig.range = 1",
            "line 3: config.range = 1: write a table of the assignor's keys, such as config.range = { key = 1 }",
        ),
        (
            "[[group]]\nmatch = \"*\"\nconfig.range = { x = [0.5, nan] }",
            "line 3: config.range.x[1] = nan: write a finite number",
        ),
        (
            "[[group]]\nmatch = \"*\"\n[group.config.mine]\n\"a b\" = { x = -inf }",
            "line 4: config.mine.\"a b\".x = -inf: write a finite number",
        ),
        (
            "[[group]]\nmatch = \"*\"\nconfig.mine = { x = 9223372036854775808 }",
            "config.mine.x = 9223372036854775808: write a number from -9223372036854775808 to",
        ),
        (
            "[[group]]\nmatch = \"*\"\nconfig.\"redundant@1\" = { copies = 3 }",
            "line 3: config.\"redundant@1\": a configuration is by its assignor's name without version, and holds for \
             every version: write config.redundant",
        ),
    ] {
        let found = problem(text);
        assert!(found.contains(sentence), "{text}\n  says: {found}\n  not: {sentence}");
    }
}
