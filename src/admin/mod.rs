//! The admin port: groups, modules, topics and metrics as JSON and text, for people and their tools.

pub mod alarms;
mod json;

use axum::Json;
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::ids::GroupId;
use crate::server::{Handle, StillLoading};

/// What it answers: for `divvy::server::Builder::admin`.
pub fn routes(handle: Handle) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/groups", get(groups))
        .route("/groups/{id}", get(group))
        .route("/groups/{id}/history", get(history))
        .route("/modules", get(modules))
        .route("/topics", get(topics))
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .fallback(nothing)
        .with_state(handle)
}

const PATHS: [&str; 7] =
    ["/groups", "/groups/{id}", "/groups/{id}/history", "/modules", "/topics", "/metrics", "/health"];

async fn index() -> Json<Value> {
    Json(json!({ "divvy": env!("CARGO_PKG_VERSION"), "paths": PATHS }))
}

async fn groups(State(handle): State<Handle>) -> Result<Json<Value>, Loading> {
    let groups: Vec<Value> = handle.list().await?.iter().map(json::summary).collect();
    Ok(Json(json!({ "groups": groups })))
}

async fn group(State(handle): State<Handle>, id: Result<Path<String>, PathRejection>) -> Result<Response, Loading> {
    let Ok(Path(id)) = id else { return Ok(no_text()) };
    Ok(match handle.describe(&GroupId::from(id.as_str())).await? {
        Some(group) => {
            let limits = handle.limits();
            text(&handle, move || json::description(&group, &limits)).await
        }
        None => no_group(&id),
    })
}

async fn history(State(handle): State<Handle>, id: Result<Path<String>, PathRejection>) -> Result<Response, Loading> {
    let Ok(Path(id)) = id else { return Ok(no_text()) };
    Ok(match handle.history(&GroupId::from(id.as_str())).await? {
        Some(generations) => Json(json::history(&id, &generations)).into_response(),
        None => no_group(&id),
    })
}

fn no_text() -> Response {
    missing("a group's id is UTF-8: /groups lists them".to_owned())
}

fn no_group(id: &str) -> Response {
    missing(format!("no group has the id {id:?}: /groups lists them"))
}

async fn modules(State(handle): State<Handle>) -> Result<Json<Value>, Loading> {
    let offered = json::modules(&handle.describe_all().await?);
    Ok(Json(json!({ "modules": offered, "coordinator": handle.own_modules() })))
}

async fn topics(State(handle): State<Handle>) -> Response {
    let view = handle.topics_view();
    text(&handle, move || json::topics(&view)).await
}

/// A document that may tell of a million partitions: made and written beside the thread that serves the groups.
async fn text(handle: &Handle, document: impl FnOnce() -> Value + Send + 'static) -> Response {
    match handle.aside(move || document().to_string()).await {
        Some(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn metrics(State(handle): State<Handle>) -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")],
        handle.metrics_text().await,
    )
}

/// 200 as soon as groups are served; 503 while they are being read, while the store refuses writes, or when the server
/// cannot go on.
async fn health(State(handle): State<Handle>) -> (StatusCode, Json<Value>) {
    if let Some(reason) = handle.failure() {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "failed", "reason": reason })));
    }
    if !handle.is_loaded().await {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "loading" })));
    }
    match handle.store_trouble().await {
        None => (StatusCode::OK, Json(json!({ "status": "ok" }))),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "degraded", "reason": reason }))),
    }
}

async fn nothing(uri: Uri) -> Response {
    missing(format!("there is nothing at {:?}; there is {}", uri.path(), PATHS.join(", ")))
}

fn missing(sentence: String) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "error": sentence }))).into_response()
}

/// Groups cannot be shown yet.
struct Loading(StillLoading);

impl From<StillLoading> for Loading {
    fn from(error: StillLoading) -> Self {
        Self(error)
    }
}

impl IntoResponse for Loading {
    fn into_response(self) -> Response {
        (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "error": self.0.to_string() }))).into_response()
    }
}
