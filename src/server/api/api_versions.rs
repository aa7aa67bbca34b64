//! ApiVersions: what is served, and that this is divvy.

use crate::wire::ErrorCode;
use crate::wire::api::{SERVED, VersionRange};
use crate::wire::divvy::ApiVersionsTag;
use crate::wire::messages::api_versions::ApiVersion;
use crate::wire::messages::{ApiVersionsRequest, ApiVersionsResponse};

/// The answer to a version that is served.
pub(crate) fn answer(request: &ApiVersionsRequest, version: i16, presents_as_kafka: bool) -> ApiVersionsResponse {
    let named = legal(&request.client_software_name) && legal(&request.client_software_version);
    if version >= 3 && !named {
        return ApiVersionsResponse { error_code: ErrorCode::InvalidRequest, ..Default::default() };
    }
    let mut response = table(ErrorCode::None);
    if version >= 3 && !presents_as_kafka {
        ApiVersionsTag { version: env!("CARGO_PKG_VERSION").to_owned() }.put(&mut response.tags);
    }
    response
}

/// The answer to any other version, to be written in the form of v0: every client can read that (KIP-511). It holds
/// the whole table, since some clients believe what stands there.
pub(crate) fn too_new() -> ApiVersionsResponse {
    table(ErrorCode::UnsupportedVersion)
}

fn table(error_code: ErrorCode) -> ApiVersionsResponse {
    let row = |served: &crate::wire::api::Served| {
        let VersionRange { min: min_version, max: max_version } = served.advertised?;
        Some(ApiVersion { api_key: served.key.code(), min_version, max_version })
    };
    ApiVersionsResponse { error_code, api_keys: SERVED.iter().filter_map(row).collect(), ..Default::default() }
}

/// KIP-511: letters and digits at both ends, dots and dashes between them.
fn legal(name: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = name.as_bytes();
    bytes.iter().all(|byte| alphanumeric(byte) || matches!(byte, b'-' | b'.'))
        && bytes.first().is_some_and(alphanumeric)
        && bytes.last().is_some_and(alphanumeric)
}
