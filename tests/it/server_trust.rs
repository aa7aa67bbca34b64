//! Who may serve, changed while the coordinator runs.

use divvy::ids::Digest;
use divvy::sandbox::{Ceilings, ModuleState, Trust};
use divvy::server::config::Config;

use crate::member_ground::{Folder, even};
use crate::server_led::{led_config, start};

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
