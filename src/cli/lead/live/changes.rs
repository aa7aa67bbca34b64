//! What changes while it leads: the topics and settings that the plan in force was made from, the settings' file, the
//! strategy's file.

use anyhow::{Result, anyhow};
use serde_json::Value;

use super::super::events;
use super::super::plan_only::{DryRun, reads_lag};
use super::super::waits::blocking;
use super::{Done, Live, leading_by, rules, tell};
use crate::assignor::{MemberInput, subscribed};
use crate::client::{Leading, Rules};

impl Live<'_> {
    /// Whether the plan in force is what would be decided now.
    pub(super) fn review(&mut self) {
        let strategies = self.modules.strategies();
        if leading_by(&self.task, &self.flags, Vec::new()).strategy(&strategies).is_some_and(reads_lag) {
            return self
                .start(async { Done::Reviewed(Err(anyhow!("its strategy reads how far the group is behind"))) });
        }
        let compare = self.what_if(&self.rules);
        self.start(async move { Done::Reviewed(blocking(compare).await) });
    }

    /// Whether these rules would make another plan than the one in force, for a thread that may block.
    fn what_if(&self, rules: &Rules) -> impl FnOnce() -> Result<bool> + Send + use<> {
        let (cluster, group) = (self.task.cluster.clone(), self.task.group.clone());
        let (assignor, folder) = (self.task.assignor.clone(), self.task.folder.clone());
        let (spoken, modules) = (self.flags.settings.spoken(), self.modules.strategies());
        let config = rules.config.values().next().cloned().unwrap_or(Value::Null);
        move || {
            let described = cluster.group(&group)?;
            if !described.is_stable() {
                return Err(anyhow!("the group rebalances already"));
            }
            let topics = cluster.topics(&subscribed(&described.inputs()))?;
            let leading = Leading { assignor, names: Vec::new(), spoken, last_plan: None };
            let (assignor, spoken) = (&leading.assignor, &leading.spoken);
            let run = DryRun { cluster: &cluster, group: &group, assignor, folder: &folder, config: &config, spoken };
            Ok(!run.ask(described, &topics, &modules)?.comparison.changes_nothing())
        }
    }

    /// With the first plan for anybody it is seen whether `--fact` speaks of them: a slip of the pen would never be noticed.
    pub(super) fn tell_of_facts(&mut self, members: &[MemberInput]) -> Result<()> {
        let spoken = self.flags.settings.spoken();
        let own = self.flags.instance_id.as_str();
        let others = members.iter().filter(|it| it.instance.as_ref().is_none_or(|instance| instance.as_str() != own));
        let names: Vec<String> = others.map(events::name).collect();
        if names.is_empty() || std::mem::replace(&mut self.facts_are_told, true) {
            return Ok(());
        }
        match spoken.unmatched(members) {
            unmatched if unmatched.is_empty() => Ok(()),
            unmatched => tell(self.output, events::facts_of_nobody(&unmatched, &names)),
        }
    }

    /// The strategy's file may have changed, or be gone.
    pub(super) fn look_at_module(&mut self) -> Result<()> {
        let (strategies, files) = (self.modules.strategies(), self.modules.status());
        let leading = leading_by(&self.task, &self.flags, Vec::new());
        let news = self.module.look(leading.strategy(&strategies), &files);
        news.map_or(Ok(()), |news| tell(self.output, events::module(&news, &self.task)))
    }

    /// The file of settings may have changed.
    pub(super) fn look_at_settings(&mut self) -> Result<()> {
        let config = match self.flags.settings.config() {
            Ok(config) => config,
            Err(error) => {
                let text = format!("{error:#}");
                if self.trouble.replace(text.clone()).as_ref() == Some(&text) {
                    return Ok(());
                }
                return tell(self.output, events::settings_refused(&text));
            }
        };
        self.trouble = None;
        let rules = rules(&self.task.assignor, config);
        if rules == self.rules || self.refused.as_ref() == Some(&rules) || self.work.is_some() {
            return Ok(());
        }
        if self.target.is_none() {
            return self.settle(rules);
        }
        // What the strategy refuses would have the group served by something else: it is tried before it counts.
        let what_if = self.what_if(&rules);
        self.start(async move { Done::Tried(rules, blocking(what_if).await) });
        Ok(())
    }

    /// These settings count from now on.
    pub(super) fn settle(&mut self, rules: Rules) -> Result<()> {
        (self.rules, self.refused) = (rules, None);
        if let (Some(member), Some(leading)) = (&self.target, &self.leading) {
            member.lead_by(leading.clone(), self.rules.clone());
        }
        tell(self.output, events::settings_changed(&self.rules))
    }
}
