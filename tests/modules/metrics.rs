//! What modules use, as it is scraped.

use std::fs;
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, Export};
use divvy::ids::Protocol;
use divvy::sandbox::{Catalog, CatalogConfig, ModuleMetrics};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use crate::wat_modules::{named, sandbox};

/// The longest that a change may take to be seen, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn each_module_at_hand_has_its_numbers_and_takes_them_along() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("a.wasm"), named("a", 1, "v1")).unwrap();
    fs::write(folder.path().join("b.wasm"), named("b", 1, "v1")).unwrap();
    fs::write(folder.path().join("bad.wasm"), b"no module").unwrap();
    let config = CatalogConfig {
        cache_folder: Some(cache.path().to_owned()),
        rescan: Duration::from_millis(50),
        ..CatalogConfig::new(vec![folder.path().to_owned()])
    };
    let catalog = Catalog::open(sandbox(), config.clone()).unwrap();
    let metrics = ModuleMetrics::default();
    metrics.add(&catalog);
    metrics.add(&catalog);
    let mut registry = Registry::with_prefix("divvy");
    metrics.register(&mut registry);
    let scrape = || {
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        text
    };
    let module = catalog.find(&Protocol::from("a@1")).unwrap();
    let labels = format!(r#"{{module="a@1",digest="{}"}}"#, module.digest().short());
    let has = |text: &str, line: &str| assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    let text = scrape();
    has(&text, &format!("divvy_module_calls_total{labels} 0"));
    has(&text, r#"divvy_module_loads_total{result="ok"} 2"#);
    has(&text, r#"divvy_module_loads_total{result="failed"} 1"#);
    has(&text, r#"divvy_module_code_cache_total{result="hit"} 0"#);
    has(&text, r#"divvy_module_code_cache_total{result="miss"} 2"#);

    let budget = |max_output| Budget { deadline: Duration::from_secs(20), max_output };
    module.call(Export::Assign, b"request", budget(100)).unwrap();
    module.call(Export::Assign, b"request", budget(1)).unwrap_err();
    module.planned(Duration::from_secs(2));
    let text = scrape();
    has(&text, &format!("divvy_module_calls_total{labels} 2"));
    has(&text, &format!("divvy_module_faults_total{} 1", labels.replace('}', r#",kind="output"}"#)));
    has(&text, r#"divvy_modules_faults_total{kind="output"} 1"#);
    has(&text, &format!("divvy_module_received_bytes_total{labels} 14"));
    has(&text, &format!("divvy_module_sent_bytes_total{labels} 10"));
    has(&text, &format!("divvy_module_memory_peak_bytes{labels} 131072.0"));
    for what in ["instantiate", "call"] {
        has(&text, &format!("divvy_module_{what}_seconds_count{labels} 2"));
    }
    has(&text, &format!("divvy_module_validate_seconds_count{labels} 1"));
    assert!(text.contains(&format!("divvy_module_deadline_headroom_seconds{labels} ")), "{text}");

    fs::remove_file(folder.path().join("a.wasm")).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let listening = catalog.on_change(Box::new(move || _ = tell.send(())));
    while catalog.find(&Protocol::from("a@1")).is_some() {
        told.recv_timeout(PATIENCE).unwrap();
    }
    drop(listening);
    let text = scrape();
    assert!(!text.contains(r#"module="a@1""#) && text.contains(r#"module="b@1""#), "{text}");
    has(&text, r#"divvy_modules_faults_total{kind="output"} 1"#);
    drop(catalog);
    assert!(!scrape().contains("module=\""), "nothing is left of a catalog that is gone");

    let again = Catalog::open(sandbox(), config).unwrap();
    metrics.add(&again);
    has(&scrape(), r#"divvy_module_code_cache_total{result="hit"} 1"#);
}
