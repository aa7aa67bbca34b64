//! Who may serve, changed while the coordinator runs.

use divvy::ids::Digest;
use divvy::sandbox::{Ceilings, ModuleState, Trust};
use divvy::server::config::Config;

use crate::cli_ground::Running;
use crate::member_ground::{Folder, even};
use crate::server_led::{LED, led_config, start, write_config};
use crate::server_led_told::logs;

#[tokio::test]
async fn who_may_serve_is_read_again_and_what_the_sandbox_was_told_needs_a_restart() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(led_config(&folder)).await;
    let with = |trust| Config { trust, ..led_config(&folder) };
    let states = || server.handle().own_modules().unwrap().iter().map(|it| it.state).collect::<Vec<_>>();
    assert_eq!(states(), [ModuleState::Serving]);
    let other = Trust { allowed: [Digest([7; 32])].into(), ..Trust::default() };
    for _ in 0..2 {
        assert_eq!(server.handle().reconfigure(with(other.clone())).await.unwrap(), [""; 0]);
        assert_eq!(states(), [ModuleState::Broken], "it is not among those that are allowed now");
    }
    let ceilings = Ceilings { call_ms: 5, memory_mib: 512 };
    for _ in 0..2 {
        let lowered = with(Trust { ceilings, ..Trust::default() });
        let later = server.handle().reconfigure(lowered).await.unwrap();
        assert_eq!(later, ["module.max_call_ms", "module.max_memory_mib"]);
        assert_eq!(states(), [ModuleState::Serving], "all are allowed again");
    }
    server.stop().await;
}

/// The server's loss of `./divvy.toml`, which nobody named, is a mistake like any other: trust is not switched off by it.
#[tokio::test]
async fn a_configuration_that_is_lost_changes_nothing_and_trust_that_is_given_up_is_told() {
    let place = tempfile::tempdir().unwrap();
    let (assignors, log) = (place.path().join("assignors"), place.path().join("log"));
    std::fs::create_dir(&assignors).unwrap();
    std::fs::write(assignors.join("even.wasm"), even(1)).unwrap();
    let (file, away) = (place.path().join("divvy.toml"), place.path().join("away"));
    let allowed = format!("module.allowed = [\"sha256:{}\"]\n", Digest([7; 32]));
    write_config(place.path(), LED);
    let trusting = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, allowed + &trusting).unwrap();
    let mut server = Running::logged_in(place.path(), &["serve", "--data", "memory"], &log);
    server.event("serving");
    let told = || std::fs::read_to_string(&log).unwrap();
    assert!(told().contains("a module does not serve"), "{}", told());
    std::fs::rename(&file, &away).unwrap();
    server.hang_up();
    logs(&log, &["\"ERROR\"", "the configuration stays as it was", "divvy.toml cannot be read", "put it back"]).await;
    std::fs::rename(&away, &file).unwrap();
    server.hang_up();
    logs(&log, &["\"INFO\"", "the configuration was read again"]).await;
    assert!(!told().contains("is good again") && !told().contains("is empty now"), "{}", told());
    std::fs::write(&file, trusting).unwrap();
    server.hang_up();
    logs(&log, &["\"WARN\"", "module.allowed is empty now"]).await;
    logs(&log, &["a module's file is good again", "even.wasm"]).await;
    assert!(!told().contains("\"left_out\":0"), "{}", told());
    assert_eq!(server.interrupt(), 0);
}
