//! `divvy::Member`: the tokio shell around the membership.
