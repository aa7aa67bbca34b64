//! The SDK's own tests, on this machine: `zig test tests.zig --cache-dir ../../target/zig` in this folder (`cargo xtask languages zig`).

test {
    _ = @import("tests/reader.zig");
    _ = @import("tests/writer.zig");
    _ = @import("tests/plan.zig");
    _ = @import("tests/suite.zig");
}
