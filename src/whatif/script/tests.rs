//! What scripts say, and how their mistakes are told.

use super::*;
use crate::whatif::Spec;

const START: &str =
    "topic t partitions=4 racks=a,b replicas=2\nmembers 2 prefix=w racks=a,b\nmember x static weight=2\nlife\n";

#[test]
fn a_script_says_who_is_there_and_what_happens() {
    let text =
        format!("# a day\n{START}leave w1 ; join y rack=b topics=t   # at once\n\nrolling-restart away=2s\nwait 1m");
    let (start, steps) = read(&text, None).unwrap();
    let names: Vec<&str> = start.members.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["w1", "w2", "x"]);
    assert_eq!((start.members[1].rack(), start.members[2].is_static), (Some("b"), true));
    assert_eq!(start.topics.get("t").unwrap().racks[1], ["b", "a"]);
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[0].happenings[0], Happening::Leave("w1".into()));
    let joined = Spec { reads: Reads::These(vec!["t".into()]), ..Spec::new("y").with("rack", "b") };
    assert_eq!(steps[0].happenings[1], Happening::Join(joined));
    assert_eq!(steps[1].happenings, [Happening::RollingRestart(Some(2_000))]);
    assert_eq!(steps[2].happenings, [Happening::Wait(60_000)]);
}

#[test]
fn a_topic_is_declared_once() {
    let error = read("topic t partitions=4\ntopic t partitions=8\nmembers 2\nlife\nwait 1s\n", None).unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (2, "topic t is declared twice: strike one of the lines"));
}

#[test]
fn a_mistake_of_who_is_there_has_its_line() {
    let error = |text: &str| read(text, None).unwrap_err();
    let twice = error("topic t partitions=3\nmembers 2\nmember m1\nlife\nwait 1s\n");
    assert_eq!(
        (twice.line, twice.message.as_str()),
        (3, "member m1 is declared twice: strike one, or name one differently")
    );
    let unknown = error("topic t partitions=3\nmember a\nmember b topics=u\nlife\nwait 1s\n");
    assert_eq!(unknown.line, 3, "{}", unknown.message);
}

#[test]
fn a_mistake_has_its_line_and_a_way_out() {
    for (steps, line, words) in [
        ("leave w9", 5, "no member w9 is in the group: name one of w1, w2, x"),
        ("leave w1\nleave w1", 6, "no member w1"),
        ("laeve w1", 5, "did you mean `leave`?"),
        ("leave", 5, "write `leave NAME …`"),
        ("join w1", 5, "`back w1` brings it back"),
        ("back w1", 5, "is there"),
        ("partitions t 3", 5, "topics only grow"),
        ("partitions t 99999999999", 5, "is no number"),
        ("partitions t 4294967295", 5, "at most 200000 are played"),
        ("topic u partitions=4000000000", 5, "at most 200000 are played"),
        ("topic u", 5, "the number of partitions is missing"),
        ("partitions u 3", 5, "there is no topic u"),
        ("join y topics=u", 5, "there is no topic u"),
        ("lose-rack z", 5, "no member of the group is in rack z"),
        ("return-rack a", 5, "`lose-rack a` comes first"),
        ("crash w1 back=soon", 5, "write 500ms, 20s or 2m"),
        ("wait 99999999999999999999s", 5, "is no time"),
        ("restart w1 weight=2", 5, "`weight=2` is nothing that `restart` takes"),
        ("lag t 1,2,3,4,5", 5, "has 4 partitions, and 5 lags"),
        ("lag t 1", 5, "has 4 partitions, and 1 lags"),
        ("join y rack=a rack=b", 5, "`rack=` stands twice"),
        ("facts w1 a=1 a=2", 5, "`a=` stands twice"),
        ("LEAVE w1", 5, "did you mean `leave`?"),
        ("boom", 5, "`boom` is no step: write one of join, "),
        ("lag t 1,x", 5, "x is no lag"),
        ("facts w1", 5, "such as `facts w1 weight=2`"),
        ("members 3", 5, "belongs before the line `life`"),
    ] {
        let error = read(&format!("{START}{steps}"), None).unwrap_err();
        assert_eq!(error.line, line, "{steps}: {}", error.message);
        assert!(error.message.contains(words), "{steps}: {}", error.message);
    }
}

#[test]
fn who_is_there_is_said_once() {
    assert_eq!(read("leave w1", None).unwrap_err().line, 0);
    let start = Start { members: vec![Spec::new("w1"), Spec::new("w2")], ..Start::default() };
    assert_eq!(read("leave w1", Some(start.clone())).unwrap().1.len(), 1);
    let twice = read(START, Some(start)).unwrap_err();
    assert_eq!((twice.line, twice.message.contains("strike one of both")), (1, true));
    let many = format!("{START}{}", "wait 1s\n".repeat(501));
    assert_eq!(read(&many, None).unwrap_err().line, 505);
}

#[test]
fn what_is_thrown_can_be_read_as_a_script() {
    let (start, _) = read(&format!("{START}wait 1s"), None).unwrap();
    let thrown = crate::whatif::random_life(&start, 3, 60).unwrap();
    let text: Vec<&str> = thrown.iter().map(|step| step.title.as_str()).collect();
    let (_, again) = read(&text.join("\n"), Some(start)).unwrap();
    let happenings = |steps: &[Step]| steps.iter().map(|step| step.happenings.clone()).collect::<Vec<_>>();
    assert_eq!(happenings(&again), happenings(&thrown));
}

proptest::proptest! {
    #[test]
    fn nothing_that_is_written_is_a_panic(text in "(leave|join|topic|partitions|crash|facts|;| |=|w1|t|[0-9]{1,20}|\n|life){0,30}") {
        let _ = read(&text, None);
        let _ = read(&format!("{START}{text}"), None);
    }
}
