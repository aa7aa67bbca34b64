//! `--metrics`: what a member counts, at an address of its own, for whoever scrapes it.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::header;
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;

use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, plain};
use crate::client::Metrics;

/// The listener, taken before the group is joined: a port in use is a mistake, not a member without metrics.
pub async fn listen(at: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    let Some(at) = at else { return Ok(None) };
    match TcpListener::bind(at).await {
        Ok(listener) => Ok(Some(listener)),
        Err(error) => {
            let sentence = format!("--metrics cannot listen at {at}: {error}; give another HOST:PORT");
            let is_taken = error.kind() == std::io::ErrorKind::AddrInUse;
            Err(Failure::of(if is_taken { Kind::InUse } else { Kind::Failed }, sentence))
        }
    }
}

/// Says where they are: the port may have been left to the system.
pub fn tell(listener: Option<&TcpListener>, output: &Output) -> Result<()> {
    let Some(listener) = listener else { return Ok(()) };
    let url = format!("http://{}/metrics", listener.local_addr().context("the address of --metrics is not known")?);
    output.print(&json!({ "event": "metrics", "url": url }), || plain(&format!("metrics at {url}")))
}

/// Serves `/metrics` for as long as it is polled; without a listener it waits.
pub async fn serve(listener: Option<TcpListener>, metrics: Metrics) {
    if let Some(listener) = listener {
        let text = move || async move {
            ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], metrics.text())
        };
        if let Err(error) = axum::serve(listener, Router::new().route("/metrics", get(text))).await {
            tracing::error!(%error, "the metrics are not served any more");
        }
    }
    std::future::pending().await
}
