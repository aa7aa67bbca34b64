//! Whether a module is a function: one request, one reply, at the same cost, whenever it is asked and whoever joined first.

use crate::assignor::case::Case;
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, mixed_request, smoke_requests};
use crate::cli::progress::Progress;
use crate::sandbox::limits::{MAX_SMOKE_OUTPUT, SMOKE_DEADLINE};
use crate::sandbox::{Metered, Module};

/// How often each is asked: as a member would, and counted, twice each.
const TIMES: usize = 4;

/// A request, with what it is called in a sentence.
struct Question {
    name: String,
    request: Vec<u8>,
}

/// Asks everything, and says how much was asked; or what differs.
pub fn check(module: &Module, cases: &[Case]) -> Result<String, String> {
    let metered = Metered::new(module).map_err(|error| error.to_string())?;
    let questions = questions(module, cases)?;
    let (mut progress, mut answers) = (Progress::new("asking", questions.len()), Vec::new());
    for question in &questions {
        answers.push(ask(question, module, &metered)?);
        progress.step();
    }
    told(&answers)
}

/// What is known after answers that did not differ: what each cost, or why there was none.
fn told(answers: &[Result<u64, CallError>]) -> Result<String, String> {
    let count = answers.len();
    let faults: Vec<&CallError> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    let without = match faults.as_slice() {
        [] => String::new(),
        [first, ..] if faults.len() == count => {
            return Err(format!("not tried: none of {count} requests was answered ({})", first.kind.name()));
        }
        [first, ..] => format!("; {} of them without an answer ({})", faults.len(), first.kind.name()),
    };
    let instructions: u64 = answers.iter().filter_map(|answer| answer.as_ref().ok()).sum();
    Ok(format!("{count} requests, {TIMES} times each: the same bytes, the same {instructions} instructions{without}"))
}

/// The smoke groups, and those of the cases that can be asked; their members arrive in another order each time.
fn questions(module: &Module, cases: &[Case]) -> Result<Vec<Question>, String> {
    let manifest = module.manifest();
    let smoke = smoke_requests(manifest).into_iter().chain([mixed_request(manifest)]).enumerate();
    let smoke = smoke.map(|(number, request)| Question { name: format!("smoke group {}", number + 1), request });
    let mut questions: Vec<Question> = smoke.collect();
    for case in cases.iter().filter(|case| case.check_kind().is_ok()) {
        let Ok(request) = case.with_call(manifest, 0, |call| call.request().to_vec()) else { continue };
        for first in 1..case.members().min(TIMES) {
            let other = case.with_call(manifest, first, |call| call.request().to_vec());
            if other.as_ref() != Ok(&request) {
                return Err(format!(
                    "case {:?}: its request depends on who joins first: this is divvy's fault",
                    case.name
                ));
            }
        }
        questions.push(Question { name: format!("case {:?}", case.name), request });
    }
    Ok(questions)
}

/// Asks once more and once more; what it cost, or why it never answers.
fn ask(question: &Question, module: &Module, metered: &Metered<'_>) -> Result<Result<u64, CallError>, String> {
    let budget = Budget { deadline: SMOKE_DEADLINE, max_output: MAX_SMOKE_OUTPUT };
    let plain = || module.call(Export::Assign, &question.request, budget);
    let counted = || metered.measure(Export::Assign, &question.request, MAX_SMOKE_OUTPUT);
    let first = plain();
    // Asked again it would run just as long, and counted far longer.
    too_late(question, &first)?;
    let second = plain();
    too_late(question, &second)?;
    let (third, cost) = counted();
    too_late(question, &third)?;
    let (fourth, again) = counted();
    too_late(question, &fourth)?;
    for other in [&second, &third, &fourth] {
        if let Some(difference) = differs(&first, other) {
            let remedy = "an assignor must keep nothing between calls, and may not read memory that it has not written";
            return Err(format!("{}: {difference}; {remedy}", question.name));
        }
    }
    if let Err(error) = first {
        return Ok(Err(error));
    }
    match (cost.fuel, again.fuel) {
        (Some(cost), Some(again)) if cost != again => Err(format!(
            "{}: it took {cost} instructions the first time and {again} the second, though the bytes are the same",
            question.name
        )),
        (cost, _) => Ok(Ok(cost.unwrap_or_default())),
    }
}

/// Whoever runs out of time has said nothing of whether it would answer the same.
fn too_late(question: &Question, reply: &Result<Vec<u8>, CallError>) -> Result<(), String> {
    match reply {
        Err(error) if error.kind == FaultKind::Deadline => {
            Err(format!("not tried: {}: {error}; it was not asked again: see that each loop ends", question.name))
        }
        _ => Ok(()),
    }
}

/// How two replies differ. Of two errors the kinds are compared: their texts name times.
fn differs(a: &Result<Vec<u8>, CallError>, b: &Result<Vec<u8>, CallError>) -> Option<String> {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            if a == b {
                return None;
            }
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
            Some(format!("two replies to one request differ from byte {at} on ({} and {} bytes)", a.len(), b.len()))
        }
        (Err(a), Err(b)) if a.kind == b.kind => None,
        (Err(error), _) | (_, Err(error)) => Some(format!("it answers once and once it does not: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_out_of_time_is_not_taken_for_answering_now_so_and_now_so() {
        let question = Question { name: "smoke group 5".to_owned(), request: Vec::new() };
        let late = too_late(&question, &Err(CallError::new(FaultKind::Deadline, "after 1000 ms"))).unwrap_err();
        assert!(late.starts_with("not tried: smoke group 5: deadline: after 1000 ms; "), "{late}");
        assert_eq!(too_late(&question, &Err(CallError::new(FaultKind::Trap, "no"))), Ok(()));
    }

    #[test]
    fn a_strategy_that_never_answers_is_not_called_deterministic() {
        let trap = || Err(CallError::new(FaultKind::Trap, "unreachable"));
        let none = told(&[trap(), trap()]).unwrap_err();
        assert_eq!(none, "not tried: none of 2 requests was answered (trap)");
        let one = told(&[Ok(7), trap()]).unwrap();
        assert!(one.ends_with("the same 7 instructions; 1 of them without an answer (trap)"), "{one}");
        assert!(told(&[Ok(7), Ok(3)]).unwrap().ends_with("the same 10 instructions"));
    }

    #[test]
    fn replies_are_compared_byte_by_byte_and_errors_by_their_kind() {
        let fault = |text: &str| Err(CallError::new(FaultKind::Trap, text));
        assert_eq!(differs(&Ok(vec![1, 2]), &Ok(vec![1, 2])), None);
        assert_eq!(differs(&fault("after 3 ms"), &fault("after 4 ms")), None);
        let byte = differs(&Ok(vec![1, 2, 3]), &Ok(vec![1, 9, 3])).unwrap();
        assert_eq!(byte, "two replies to one request differ from byte 1 on (3 and 3 bytes)");
        let length = differs(&Ok(vec![1, 2]), &Ok(vec![1])).unwrap();
        assert!(length.contains("from byte 1 on (2 and 1 bytes)"), "{length}");
        assert_eq!(differs(&Ok(vec![]), &fault("no")).unwrap(), "it answers once and once it does not: trap: no");
    }
}
