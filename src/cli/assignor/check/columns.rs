//! The columns that a manifest's `needs` names: which of them divvy has, and what may be meant by the others.

use divvy_guest::abi::names;

/// Those that divvy fills. All others are an application's own: no name is wrong, but a strategy may wait for it for ever.
const OF_DIVVY: [&str; 2] = [names::LAG, names::REPLICA_RACKS];

/// What is to be said of them; nothing of a strategy that needs none.
pub fn told(needs: &[String]) -> Option<String> {
    let each: Vec<_> = needs.iter().map(|need| of_one(need)).collect();
    (!each.is_empty()).then(|| each.join("; "))
}

/// What is to be said of those that divvy does not have, where nothing else is said of columns.
pub fn unknown(needs: &[String]) -> Option<String> {
    let odd: Vec<String> = needs.iter().filter(|need| !OF_DIVVY.contains(&need.as_str())).cloned().collect();
    told(&odd)
}

fn of_one(need: &str) -> String {
    if OF_DIVVY.contains(&need) {
        return need.to_owned();
    }
    // At most every third letter is wrong; capitals, and how words are joined, do not count.
    let plain = need.to_lowercase().replace(['-', '.'], "_");
    let scored = OF_DIVVY.iter().map(|&name| (strsim::damerau_levenshtein(&plain, name), name));
    let near = scored.min().filter(|(distance, name)| *distance <= name.len().div_ceil(3)).map(|(_, name)| name);
    let meant = match near {
        Some(name) => format!("did you mean {name:?}?"),
        None => format!("it has {}", OF_DIVVY.join(" and ")),
    };
    format!("no column of divvy's is called {need:?} ({meant}), so it is there only where an application brings it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_divvy_does_not_have_is_told_with_what_may_be_meant() {
        let said = |needs: &[&str]| told(&needs.iter().map(|&need| need.to_owned()).collect::<Vec<_>>());
        assert_eq!(said(&[]), None);
        assert_eq!(said(&["lag", "replica_racks"]).as_deref(), Some("lag; replica_racks"));
        for (need, name) in [("replica-racks", "replica_racks"), ("Lags", "lag"), ("replica_rack", "replica_racks")] {
            let text = said(&["lag", need]).unwrap();
            let words = format!("lag; no column of divvy's is called {need:?} (did you mean {name:?}?)");
            assert!(text.starts_with(&words), "{text}");
        }
        assert_eq!(unknown(&["lag".to_owned()]), None);
        let lagg = unknown(&["lag".to_owned(), "lagg".to_owned()]).unwrap();
        assert!(lagg.starts_with("no column of divvy's is called \"lagg\" (did you mean \"lag\"?)"), "{lagg}");
        let text = said(&["loads"]).unwrap();
        assert!(text.contains("(it has lag and replica_racks), so it is there only where an application"), "{text}");
    }
}
