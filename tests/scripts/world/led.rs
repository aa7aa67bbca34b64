//! What happens to the groups that the coordinator leads: its settings, its ground, the plans that it makes.

use super::*;

impl World {
    /// The operator's file is read again.
    pub(super) fn settings_change(&mut self, command: &Command) -> Result<(), String> {
        for (key, value) in &command.options {
            self.setting(key, value)?;
        }
        let book = SettingsBook::new([("*".to_owned(), self.settings.clone())]);
        let now = self.now();
        let told = self.coordinator.reconfigured(self.limits.clone(), book, now, counter(&mut self.drawn));
        told.into_iter().for_each(|(_, effects)| self.took_effect(effects));
        Ok(())
    }

    /// `modules=range:aa topics=2`: what the coordinator can run, and a number that stands for topics and racks.
    pub(super) fn ground_changes(&mut self, command: &Command) -> Result<(), String> {
        if let Some(texts) = command.list("modules") {
            self.modules = modules(texts);
        }
        self.ground = u64::try_from(command.number("topics", i64::try_from(self.ground).unwrap_or(0))?).unwrap_or(0);
        let (now, modules) = (self.now(), self.modules.as_slice().into());
        let told = self.coordinator.ground_changed(modules, now, counter(&mut self.drawn));
        told.into_iter().for_each(|(_, effects)| self.took_effect(effects));
        Ok(())
    }

    /// The coordinator's plan is made: `make A:x,B:y`, with `fault=`, `memo=`, `again=`, or `error=` without a plan.
    pub(super) fn make(&mut self, command: &Command) -> Result<(), String> {
        if self.plans.is_empty() {
            return Err("there is no plan to make".to_owned());
        }
        let (id, plan) = self.plans.remove(0);
        let fault = |kind: &String| {
            let digest = plan.assignor.as_ref().map(|module| module.digest);
            Fault { protocol: plan.protocol.clone(), digest, ..fault(command, kind) }
        };
        let states = command.word(0).unwrap_or_default().split(',').filter(|it| !it.is_empty());
        let failed = command.options.get("fault").map(fault);
        let made = match command.options.get("error") {
            Some(kind) => Err(fault(kind)),
            None => Ok(MadePlan {
                served_by: None,
                captured: None,
                states: states.map(|it| self.state(it)).collect(),
                origin: Box::new(PlanOrigin {
                    digest: plan.assignor.as_ref().filter(|_| failed.is_none()).map(|module| module.digest),
                    copies: 1,
                    complete: true,
                    memo: command.options.get("memo").map(|memo| Bytes::from(memo.clone())),
                    fault: failed,
                    ..PlanOrigin::default()
                }),
                fingerprint: self.fingerprint(&plan),
                call_again: command.options.get("again").map(|ms| millis(ms.parse().unwrap_or(0))),
            }),
        };
        self.give(Event::WorkDone(id, WorkOutcome::PlanMade(made)));
        Ok(())
    }

    pub(super) fn fingerprint(&self, plan: &PlanToMake) -> u64 {
        self.ground * 1000 + plan.assignor.as_ref().map_or(0, |module| u64::from(module.digest.0[0]))
    }
}
