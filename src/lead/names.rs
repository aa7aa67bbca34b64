//! Under which names `divvy lead` offers itself: every name that the group's clients may have in common, so that the group
//! chooses as it would without it. DescribeGroups tells only the name that was chosen, and nothing of an empty group.

use super::Described;
use crate::ids::{Mode, Protocol};

/// The type whose members share partitions.
const CONSUMER: &str = "consumer";

/// The names that client libraries bring: Kafka's own, and kafkajs's.
const KNOWN: [(&str, Mode); 5] = [
    ("range", Mode::Eager),
    ("roundrobin", Mode::Eager),
    ("sticky", Mode::Eager),
    ("cooperative-sticky", Mode::Cooperative),
    ("RoundRobinAssigner", Mode::Eager),
];

/// Kafka Streams: its members' metadata are tasks and state stores.
const STREAMS: &str = "stream";

/// A name that the operator gives: `range`, or `my-name=cooperative`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The name.
    pub protocol: Protocol,
    /// How members hand over under it.
    pub mode: Mode,
}

impl Stated {
    /// Reads it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, mode) = text.split_once('=').map_or((text, None), |(name, mode)| (name, Some(mode)));
        if name.is_empty() {
            return Err("write NAME, or NAME=eager or NAME=cooperative".to_owned());
        }
        let known = mode_of(name);
        let mode = match (mode, known) {
            (None, Some(mode)) => mode,
            (None, None) => {
                return Err(format!(
                    "{name} is a name of your own: say how members hand over under it with {name}=eager or {name}=cooperative"
                ));
            }
            (Some("eager"), None | Some(Mode::Eager)) => Mode::Eager,
            (Some("cooperative"), None | Some(Mode::Cooperative)) => Mode::Cooperative,
            (Some("eager" | "cooperative"), Some(_)) => {
                return Err(format!("clients have fixed how members hand over under {name}: leave `=…` out"));
            }
            (Some(other), _) => return Err(format!("{other:?} is neither eager nor cooperative")),
        };
        Ok(Self { protocol: Protocol::from(name), mode })
    }
}

/// The names to offer, most wanted first, or why this group cannot be led.
pub fn names(group: &Described, stated: &[Stated]) -> Result<Vec<(Protocol, Mode)>, String> {
    if !group.protocol_type.is_empty() && group.protocol_type != CONSUMER {
        let other = &group.protocol_type;
        return Err(format!("it is a group of type {other}: only type {CONSUMER} can be led for unmodified clients"));
    }
    let chosen = &group.protocol;
    if chosen.as_str() == STREAMS {
        return Err(
            "it is a Kafka Streams application, whose members understand no other leader than their own".to_owned()
        );
    }
    let mut names: Vec<(Protocol, Mode)> = stated.iter().map(|it| (it.protocol.clone(), it.mode)).collect();
    let is_named = |names: &[(Protocol, Mode)]| names.iter().any(|(name, _)| name == chosen);
    if !stated.is_empty() {
        return match chosen.as_str().is_empty() || is_named(&names) {
            true => Ok(names),
            false => Err(format!(
                "it runs under {chosen}, which is not among the names of --as: its members have no other name in common, or \
                 would have to change to one first"
            )),
        };
    }
    names = KNOWN.map(|(name, mode)| (Protocol::from(name), mode)).into();
    if !chosen.as_str().is_empty() {
        if !is_named(&names) {
            return Err(format!(
                "it runs under {chosen}, a name that is none of Kafka's: say how its members hand over with \
                 --as {chosen}=eager or --as {chosen}=cooperative"
            ));
        }
        names.sort_by_key(|(name, _)| name != chosen);
    }
    Ok(names)
}

fn mode_of(name: &str) -> Option<Mode> {
    KNOWN.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(protocol: &str) -> Described {
        Described { protocol_type: CONSUMER.into(), protocol: protocol.into(), ..Described::default() }
    }

    fn offered(group: &Described, stated: &[&str]) -> Result<Vec<String>, String> {
        let stated: Vec<Stated> = stated.iter().map(|it| Stated::parse(it).unwrap()).collect();
        Ok(names(group, &stated)?.into_iter().map(|(name, _)| name.to_string()).collect())
    }

    #[test]
    fn an_empty_group_is_offered_every_name_so_that_none_of_its_clients_is_shut_out() {
        let all = ["range", "roundrobin", "sticky", "cooperative-sticky", "RoundRobinAssigner"];
        assert_eq!(offered(&Described::default(), &[]).unwrap(), all);
    }

    #[test]
    fn a_running_group_keeps_its_name() {
        assert_eq!(offered(&running("cooperative-sticky"), &[]).unwrap()[0], "cooperative-sticky");
        assert_eq!(offered(&running("sticky"), &[]).unwrap().len(), 5, "and may change to another");
    }

    #[test]
    fn a_name_that_nobody_knows_has_to_be_explained() {
        let error = offered(&running("ours"), &[]).unwrap_err();
        assert!(error.contains("--as ours=eager"), "{error}");
        assert_eq!(offered(&running("ours"), &["ours=cooperative"]).unwrap(), ["ours"]);
        assert!(Stated::parse("ours").unwrap_err().contains("ours=cooperative"));
        assert!(Stated::parse("range=cooperative").unwrap_err().contains("fixed"));
        assert!(Stated::parse("range=later").is_err() && Stated::parse("=eager").is_err());
    }

    #[test]
    fn stated_names_have_to_fit_the_running_group() {
        assert_eq!(offered(&running("range"), &["range", "roundrobin"]).unwrap(), ["range", "roundrobin"]);
        assert!(offered(&running("range"), &["sticky"]).unwrap_err().contains("it runs under range"));
    }

    #[test]
    fn groups_of_another_kind_are_left_alone() {
        let connect = Described { protocol_type: "connect".into(), ..Described::default() };
        assert!(offered(&connect, &[]).unwrap_err().contains("type connect"));
        assert!(offered(&running("stream"), &["stream=eager"]).unwrap_err().contains("Kafka Streams"));
    }
}
