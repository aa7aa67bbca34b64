//! The admin port: groups, modules and metrics for people and their tools.
