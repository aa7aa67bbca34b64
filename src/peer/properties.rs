//! The file that people have for Kafka's own tools (`--command-config`): keys of the Java clients, and those of librdkafka
//! for the same things. Stores have to be PEM. What divvy does not know is not a mistake there, so it is only told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::security::{Mechanism, Password, SecurityError};
use super::source::{LoginSource, PROTOCOLS, PasswordSource, Protocol, SecuritySource};
use super::tls::TlsFiles;

/// What such a file says.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Properties {
    /// `security.protocol` and what goes with it.
    pub security: SecuritySource,
    /// The files for TLS, whether or not the protocol says that it is used.
    pub tls: TlsFiles,
    /// What was passed over: a sentence each.
    pub notes: Vec<String>,
}

impl Properties {
    /// Reads the text of a file.
    pub fn parse(path: &Path, text: &str) -> Result<Self, SecurityError> {
        let mut keys = entries(text);
        let wrong = |what: String| SecurityError::file(path, what);
        let protocol = match keys.remove("security.protocol") {
            None => Protocol::default(),
            Some(word) => {
                let known = PROTOCOLS.iter().find(|(known, _)| known.eq_ignore_ascii_case(&word));
                let expected = PROTOCOLS.map(|(word, _)| word).join(" or ");
                known.ok_or_else(|| wrong(format!("security.protocol = {word}: write {expected}")))?.1
            }
        };
        let tls = files(&mut keys, path)?;
        let login = login(&mut keys, path, protocol.has_login)?;
        let security = SecuritySource { tls: protocol.has_tls.then(|| tls.clone()), login };
        Ok(Self { security, tls, notes: notes(keys, path) })
    }
}

fn files(keys: &mut BTreeMap<String, String>, path: &Path) -> Result<TlsFiles, SecurityError> {
    for (inline, instead) in [
        ("ssl.truststore.certificates", "ssl.truststore.location"),
        ("ssl.keystore.certificate.chain", "ssl.keystore.location"),
        ("ssl.keystore.key", "ssl.keystore.location"),
        ("ssl.ca.pem", "ssl.ca.location"),
        ("ssl.certificate.pem", "ssl.certificate.location"),
        ("ssl.key.pem", "ssl.key.location"),
    ] {
        if keys.contains_key(inline) {
            let what =
                format!("{inline} is not read by divvy: put it into a file in PEM form and name that in {instead}");
            return Err(SecurityError::file(path, what));
        }
    }
    if keys.contains_key("ssl.key.password") {
        let what = "ssl.key.password: divvy reads no locked keys: unlock it with `openssl pkey -in FILE -out FILE`";
        return Err(SecurityError::file(path, what));
    }
    // What they say is seen when the files are read.
    for told in ["ssl.truststore.type", "ssl.keystore.type", "ssl.truststore.password", "ssl.keystore.password"] {
        keys.remove(told);
    }
    let mut file = |java: &str, other: &str| {
        let found = keys.remove(java).or_else(|| keys.remove(other));
        found.filter(|file| !file.is_empty()).map(PathBuf::from)
    };
    let ca = file("ssl.truststore.location", "ssl.ca.location");
    // One file in PEM form has both for Java.
    let store = file("ssl.keystore.location", "ssl.keystore.location");
    let certificate = file("ssl.certificate.location", "ssl.certificate.location").or_else(|| store.clone());
    let key = file("ssl.key.location", "ssl.key.location").or(store);
    Ok(TlsFiles { ca, certificate, key })
}

fn login(
    keys: &mut BTreeMap<String, String>,
    path: &Path,
    is_wanted: bool,
) -> Result<Option<LoginSource>, SecurityError> {
    let wrong = |what: String| SecurityError::file(path, what);
    let mechanism = keys.remove("sasl.mechanism").or_else(|| keys.remove("sasl.mechanisms"));
    let jaas = keys.remove("sasl.jaas.config").map(|text| jaas(&text)).unwrap_or_default();
    let named = (keys.remove("sasl.username"), keys.remove("sasl.password"));
    if !is_wanted {
        return Ok(None);
    }
    let known = Mechanism::ALL.map(Mechanism::name).join(", ");
    let mechanism = match mechanism {
        None => return Err(wrong(format!("sasl.mechanism is missing: write one of {known}"))),
        Some(name) => Mechanism::of(&name)
            .ok_or_else(|| wrong(format!("sasl.mechanism = {name}: divvy logs in by one of {known}")))?,
    };
    let user = jaas.get("username").cloned().or(named.0);
    let user = user.ok_or_else(|| wrong("there is no username in sasl.jaas.config, nor sasl.username".to_owned()))?;
    let password = jaas.get("password").cloned().or(named.1);
    let password =
        password.map_or(PasswordSource::Environment, |password| PasswordSource::Given(Password::new(&password)));
    Ok(Some(LoginSource { mechanism, user, password }))
}

fn notes(keys: BTreeMap<String, String>, path: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    let mut unknown = Vec::new();
    for (key, value) in keys {
        match key.as_str() {
            // The command line says whom to ask.
            "bootstrap.servers" | "client.id" | "group.id" => {}
            "ssl.endpoint.identification.algorithm" if value.is_empty() || value == "none" => notes.push(format!(
                "{}: the server's certificate is held against its name, whatever {key} says",
                path.display()
            )),
            "ssl.endpoint.identification.algorithm" => {}
            _ => unknown.push(key),
        }
    }
    if !unknown.is_empty() {
        notes.push(format!("{}: passed over: {}", path.display(), unknown.join(", ")));
    }
    notes
}

/// The options of a login module: `Module required username="a" password="b";`
fn jaas(text: &str) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.trim_end().rsplit([' ', '\t', '\n', ';']).next().unwrap_or_default();
        let (value, left) = word(after.trim_start());
        options.insert(name.to_owned(), value);
        rest = left;
    }
    options
}

/// A word in quotes, where a backslash takes the next character as it is, or one that ends at a space or a semicolon.
fn word(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', '\n', ';']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(letters.next().map(|(_, next)| next)),
            _ => value.push(letter),
        }
    }
    (value, "")
}

/// Java's form: a key ends at `=`, `:` or a space, a line goes on after a backslash at its end, `#` and `!` begin
/// comments.
fn entries(text: &str) -> BTreeMap<String, String> {
    let mut entries = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while goes_on(&line) {
            line.pop();
            line.push_str(lines.next().unwrap_or_default().trim_start());
        }
        let (key, value) = cut(line.trim_end());
        entries.insert(unescaped(key), unescaped(value));
    }
    entries
}

fn goes_on(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

fn cut(line: &str) -> (&str, &str) {
    let mut is_escaped = false;
    let end = line.find(|letter: char| {
        let ends = !is_escaped && matches!(letter, '=' | ':' | ' ' | '\t');
        is_escaped = !is_escaped && letter == '\\';
        ends
    });
    let Some(end) = end else { return (line, "") };
    let value = line[end..].trim_start();
    let value = value.strip_prefix(['=', ':']).unwrap_or(value);
    (&line[..end], value.trim_start())
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            other => out.extend(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Properties, String> {
        Properties::parse(Path::new("client.properties"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_of_kafkas_tools_is_read() {
        let read = parse(
            r#"
            # for the tools
            security.protocol=SASL_SSL
            sasl.mechanism = SCRAM-SHA-512
            sasl.jaas.config = org.apache.kafka.common.security.scram.ScramLoginModule required \
                username="alice" \
                password="a \\"secret\\" = ;";
            ssl.truststore.type=PEM
            ssl.truststore.location: /etc/kafka/ca.pem
            ssl.keystore.location /etc/kafka/alice.pem
            "#,
        )
        .unwrap();
        let files = TlsFiles {
            ca: Some("/etc/kafka/ca.pem".into()),
            certificate: Some("/etc/kafka/alice.pem".into()),
            key: Some("/etc/kafka/alice.pem".into()),
        };
        let login = LoginSource {
            mechanism: Mechanism::ScramSha512,
            user: "alice".to_owned(),
            password: PasswordSource::Given(Password::new(r#"a "secret" = ;"#)),
        };
        assert_eq!(read.security, SecuritySource { tls: Some(files), login: Some(login) });
        assert_eq!(read.notes, [""; 0]);
    }

    #[test]
    fn librdkafkas_keys_are_known_too() {
        let read = parse(
            "security.protocol=sasl_plaintext\nsasl.mechanisms=plain\nsasl.username=bob\nsasl.password=p\\u0061ss\n\
             ssl.ca.location=unused\nbootstrap.servers=b:1\n",
        );
        let login = LoginSource {
            mechanism: Mechanism::Plain,
            user: "bob".to_owned(),
            password: PasswordSource::Given(Password::new("pass")),
        };
        assert_eq!(read.unwrap().security, SecuritySource { tls: None, login: Some(login) });
    }

    #[test]
    fn what_is_passed_over_is_told() {
        let read = parse("retries=3\nacks=all\nssl.endpoint.identification.algorithm=\n").unwrap();
        assert_eq!(read.security, SecuritySource::default());
        assert_eq!(read.notes.len(), 2);
        assert!(read.notes[0].contains("held against its name"), "{:?}", read.notes);
        assert!(read.notes[1].ends_with("passed over: acks, retries"), "{:?}", read.notes);
    }

    #[test]
    fn what_would_be_misunderstood_is_refused() {
        for (text, expected) in [
            ("security.protocol=TLS", "write PLAINTEXT or SSL"),
            ("security.protocol=SASL_SSL", "sasl.mechanism is missing"),
            ("security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI", "divvy logs in by one of PLAIN"),
            ("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN", "no username"),
            ("security.protocol=SSL\nssl.truststore.certificates=x", "put it into a file"),
            ("security.protocol=SSL\nssl.key.password=x", "openssl pkey"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected) && error.starts_with("client.properties: "), "{text}: {error}");
        }
    }

    #[test]
    fn no_text_is_too_odd() {
        for text in ["=", ":", "\\", "a=\\", "a\\", "a=\\u12", "sasl.jaas.config==\"", "\\=\\:\\ =x", "\u{0}"] {
            let _ = parse(&format!("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n{text}"));
        }
        assert_eq!(entries("a\\ b = c\\\n  d\n")["a b"], "cd");
        assert_eq!(jaas(r#"M required a="x\"y" b=z;"#)["a"], r#"x"y"#);
    }
}
