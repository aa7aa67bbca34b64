//! TLS and logins: members of one group that came in by every door, and those that must not come in.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::super::bench::PARTITIONS;
use super::super::cast::Cast;
use super::topics::share;
use crate::divvy::Member;
use crate::kafka::{Certificates, Listener, PASSWORD, REPEAT_LOGIN, USERS};
use crate::process::watch;

/// One member for each way in; all stay longer than a login lasts.
pub fn every_door(cast: &mut Cast<'_>) -> Result<()> {
    let papers = Papers::of(cast)?;
    let doors: [(&str, Listener, Vec<&str>); 7] = [
        ("plain", Listener::Plain, vec![]),
        ("tls", Listener::Tls, papers.tls()),
        ("mutual-tls", Listener::MutualTls, [papers.tls(), papers.own()].concat()),
        ("tls-sasl-plain", Listener::SaslTls, [papers.tls(), papers.login("plain")].concat()),
        ("tls-scram-256", Listener::SaslTls, [papers.tls(), papers.login("scram-sha-256")].concat()),
        ("tls-scram-512", Listener::SaslTls, [papers.tls(), papers.login("scram-sha-512")].concat()),
        ("scram-256", Listener::Sasl, papers.login("scram-sha-256")),
    ];
    let mut members = Vec::new();
    for (name, listener, words) in doors {
        let words = [vec!["--topic", &cast.topic], words].concat();
        members.push(cast.divvy_join_at(name, &cast.server.at(listener)?, &["range"], &words)?);
    }
    let generation = share(&mut members, &[(&cast.topic, PARTITIONS)]).context("all doors")?;
    println!("    {} members came in by as many doors: generation {generation}", members.len());

    let before: Vec<_> = members.iter().map(|member| member.assigned.clone()).collect();
    watch(REPEAT_LOGIN + REPEAT_LOGIN / 2, || {
        for (member, before) in members.iter_mut().zip(&before) {
            member.news();
            if member.assigned != *before || member.coordinator_lost {
                bail!("{} was disturbed: it has {:?}", member.name, member.assigned);
            }
        }
        Ok(())
    })?;
    println!("    a login was repeated, and nobody noticed");
    members.iter_mut().try_for_each(Member::leave)
}

/// What a client must refuse, and who is refused: each is told in a sentence.
pub fn refusals(cast: &mut Cast<'_>) -> Result<()> {
    let papers = Papers::of(cast)?;
    let wrong = papers.folder.join("wrong-password");
    fs::write(&wrong, "not-it\n").context("the wrong password")?;
    let wrong = wrong.display().to_string();
    let with_wrong = |mechanism| {
        [papers.tls(), vec!["--sasl", mechanism, "--sasl-user", USERS[0]], vec!["--sasl-password-file", &wrong]]
            .concat()
    };
    let refused: [(&str, Listener, Vec<&str>, &str); 8] = [
        ("another authority", Listener::Tls, vec!["--tls-ca", &papers.other_ca], "certificate"),
        ("an old certificate", Listener::Expired, papers.tls(), "out of date"),
        ("another name", Listener::Misnamed, papers.tls(), "name"),
        ("no certificate of one's own", Listener::MutualTls, papers.tls(), "certificate"),
        ("a wrong password, plain", Listener::SaslTls, with_wrong("plain"), "password"),
        ("a wrong password, scram-sha-256", Listener::SaslTls, with_wrong("scram-sha-256"), "password"),
        ("a wrong password, scram-sha-512", Listener::SaslTls, with_wrong("scram-sha-512"), "password"),
        ("no login", Listener::SaslTls, papers.tls(), "--sasl"),
    ];
    for (what, listener, words, told) in refused {
        let server = cast.server.at(listener)?;
        let mut command = Command::new(cast.program());
        command.args(["topics", "list", "--server", &server]).args(words);
        let output = command.output().context("divvy does not start")?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.success() || !said.contains(told) {
            bail!("{what}: {} and not a word of {told:?}: {said}", output.status);
        }
        println!("    {what}: {said}");
    }
    Ok(())
}

/// What clients show and trust.
struct Papers {
    folder: std::path::PathBuf,
    ca: String,
    other_ca: String,
    client: String,
    client_key: String,
    password: String,
}

impl Papers {
    fn of(cast: &Cast<'_>) -> Result<Self> {
        let folder = cast.folder.clone();
        let password = folder.join("password");
        fs::write(&password, format!("{PASSWORD}\n")).context("the password")?;
        let certificates: Certificates = cast.server.certificates()?;
        let text = |path: &Path| path.display().to_string();
        Ok(Self {
            ca: text(&certificates.ca()),
            other_ca: text(&certificates.other_ca()),
            client: text(&certificates.client()),
            client_key: text(&certificates.client_key()),
            password: text(&password),
            folder,
        })
    }

    fn tls(&self) -> Vec<&str> {
        vec!["--tls-ca", &self.ca]
    }

    fn own(&self) -> Vec<&str> {
        vec!["--tls-cert", &self.client, "--tls-key", &self.client_key]
    }

    fn login<'a>(&'a self, mechanism: &'a str) -> Vec<&'a str> {
        vec!["--sasl", mechanism, "--sasl-user", USERS[0], "--sasl-password-file", &self.password]
    }
}
