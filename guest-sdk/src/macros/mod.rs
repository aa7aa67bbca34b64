//! `assignor!`: from a function to a module.

#[doc(hidden)]
pub mod manifest;

/// Makes a function a module: its manifest, its exports and the text of its panics.
///
/// `name`, `assign` and, by custom, `description` and `license` are given; everything else has the default shown. Order is free.
///
/// ```
/// # use divvy_guest::prelude::*;
/// assignor! {
///     name: "weighted",              // with the version this is the protocol's name: weighted@2
///     version: 2,                    // 1
///     protocol_type: "consumer",     // "consumer"
///     shape: partitions,             // partitions; or states
///     mode: cooperative,             // eager; or cooperative
///     copies: one,                   // one; or many: a partition may have several owners
///     complete: true,                // true; or false: partitions may stay without owner
///     offer: by_name,                // default; or by_name: only where a setting names it
///     rank: 50,                      // 50; among those offered by default, the highest first
///     needs: [replica_racks],        // no columns
///     limits: { memory_mib: 64, ms: 500 },
///     config_schema: r#"{"type": "object"}"#,
///     description: "Shares by weight.",
///     license: "Apache-2.0",
///     source: "https://example.org/weighted",
///     assign: assign,                // fn(&Group, &mut Owners), or fn(&StateGroup, &mut States) for shape states
///     user_data: weight_of,          // optional: fn(&Me)
/// }                                  // check: optional, for shape states: fn(&StateGroup, &[&[u8]])
///
/// fn assign(group: &Group, owners: &mut Owners) -> Result<(), Refusal> {
///     # for topic in group.topics() { owners.deal(topic.partitions(), &topic.subscribers(), 0) }
///     Ok(())
/// }
/// fn weight_of(me: &Me) -> Result<Option<Vec<u8>>, Refusal> {
///     Ok(me.facts().number("weight").map(|weight| vec![weight as u8]))
/// }
/// assert!(MANIFEST.starts_with(r#"{"abi":"1.0","name":"weighted","version":2,"#));
/// ```
#[macro_export]
macro_rules! assignor {
    ($($body:tt)*) => { $crate::__assignor! { [] [partitions] [] [] $($body)* } };
}

/// Takes one `key: value` after another off the body, into `[manifest] [shape] [assign] [other exports]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __assignor {
    ([$($m:tt)*] $s:tt $a:tt $x:tt name: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "name" $v)] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt version: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Json "version" stringify!($v))] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt protocol_type: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "protocol_type" $v)] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt shape: partitions $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "shape" "partitions")] [partitions] $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt shape: states $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "shape" "states")] [states] $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt mode: eager $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "mode" "eager")] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt mode: cooperative $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "mode" "cooperative")] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt copies: one $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "copies" "one")] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt copies: many $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "copies" "many")] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt complete: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Json "complete" stringify!($v))] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt offer: default $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "offer" "default")] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt offer: by_name $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "offer" "by-name")] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt rank: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Json "rank" stringify!($v))] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt needs: [$first:ident $(, $more:ident)* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::__assignor! {
            [$($m)* (Json "needs" concat!("[\"", stringify!($first), "\"" $(, ",\"", stringify!($more), "\"")*, "]"))]
            $s $a $x $($($rest)*)?
        }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt
        limits: { $first:ident: $n:literal $(, $more:ident: $nn:literal)* $(,)? } $(, $($rest:tt)*)?) => {
        $crate::__assignor! {
            [$($m)* (Json "limits" concat!(
                "{\"", stringify!($first), "\":", stringify!($n)
                $(, ",\"", stringify!($more), "\":", stringify!($nn))*, "}"
            ))]
            $s $a $x $($($rest)*)?
        }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt config_schema: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Json "config_schema" $v)] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt description: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "description" $v)] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt license: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "license" $v)] $s $a $x $($($rest)*)? }
    };
    ([$($m:tt)*] $s:tt $a:tt $x:tt source: $v:literal $(, $($rest:tt)*)?) => {
        $crate::__assignor! { [$($m)* (Text "source" $v)] $s $a $x $($($rest)*)? }
    };
    ($m:tt $s:tt [] $x:tt assign: $f:path $(, $($rest:tt)*)?) => {
        $crate::__assignor! { $m $s [$f] $x $($($rest)*)? }
    };
    ($m:tt $s:tt $a:tt [$($x:tt)*] user_data: $f:path $(, $($rest:tt)*)?) => {
        $crate::__assignor! { $m $s $a [$($x)* (divvy_user_data user_data $f)] $($($rest)*)? }
    };
    ($m:tt $s:tt $a:tt [$($x:tt)*] check: $f:path $(, $($rest:tt)*)?) => {
        $crate::__assignor! { $m $s $a [$($x)* (divvy_check check $f)] $($($rest)*)? }
    };
    ($m:tt $s:tt [] $x:tt) => {
        compile_error!("assignor! needs `assign: FUNCTION`");
    };
    ([$(($kind:ident $key:literal $value:expr))*] [$shape:ident] [$assign:path] [$(($export:ident $run:ident $f:path))*]) => {
        const __DIVVY_PIECES: &[$crate::manifest::Piece] =
            &[$($crate::manifest::Piece::$kind($key, $value)),*];
        const __DIVVY_BYTES: [u8; $crate::manifest::len(__DIVVY_PIECES)] = $crate::manifest::write(__DIVVY_PIECES);
        /// What the module says of itself: JSON, in its custom section `divvy.manifest`.
        pub const MANIFEST: &str = $crate::manifest::text(&__DIVVY_BYTES);

        const _: $crate::__shape!($shape) = $assign;
        $($crate::__hook! { $run $f })*

        #[cfg(target_arch = "wasm32")]
        // Names that no strategy has: `$assign` is looked up in this scope.
        const _: () = {
            #[unsafe(link_section = "divvy.manifest")]
            #[used]
            static __DIVVY_SECTION: [u8; MANIFEST.len()] = __DIVVY_BYTES;

            #[unsafe(export_name = "divvy_panic")]
            static __DIVVY_PANIC: $crate::wasm::PanicText = $crate::wasm::PanicText::new();

            #[unsafe(export_name = "divvy_abi_v1")]
            extern "C" fn __divvy_abi() {}

            #[unsafe(export_name = "divvy_alloc")]
            extern "C" fn __divvy_alloc(len: u32) -> u32 {
                $crate::wasm::alloc(len)
            }

            #[unsafe(export_name = "divvy_assign")]
            extern "C" fn __divvy_assign(ptr: u32, len: u32) -> u64 {
                $crate::wasm::call(&__DIVVY_PANIC, ptr, len, |request| $crate::run::$shape($assign, request))
            }

            $(#[unsafe(no_mangle)]
            extern "C" fn $export(ptr: u32, len: u32) -> u64 {
                $crate::wasm::call(&__DIVVY_PANIC, ptr, len, |request| $crate::run::$run($f, request))
            })*
        };
    };
    ($m:tt $s:tt $a:tt $x:tt $key:ident $($rest:tt)*) => {
        compile_error!($crate::__expected!($key));
    };
}

/// What stands behind a key, in a sentence; or which keys there are.
#[doc(hidden)]
#[macro_export]
macro_rules! __expected {
    (name) => { "assignor!: `name` is a text, such as name: \"by-size\"" };
    (version) => { "assignor!: `version` is a whole number from 1, such as version: 1" };
    (protocol_type) => { "assignor!: `protocol_type` is a text, such as protocol_type: \"consumer\"" };
    (shape) => { "assignor!: `shape` is partitions or states" };
    (mode) => { "assignor!: `mode` is eager or cooperative" };
    (copies) => { "assignor!: `copies` is one or many" };
    (complete) => { "assignor!: `complete` is true or false" };
    (offer) => { "assignor!: `offer` is default or by_name" };
    (rank) => { "assignor!: `rank` is a whole number from 0, such as rank: 50" };
    (needs) => { "assignor!: `needs` is a list of columns, such as needs: [replica_racks]" };
    (limits) => { "assignor!: `limits` is like limits: { memory_mib: 64, ms: 500 }" };
    (config_schema) => { "assignor!: `config_schema` is a JSON schema as a text, such as config_schema: r#\"{\"type\": \"object\"}\"#" };
    (description) => { "assignor!: `description` is a text" };
    (license) => { "assignor!: `license` is a text, such as license: \"Apache-2.0\"" };
    (source) => { "assignor!: `source` is a text: where the source can be had" };
    (assign) => { "assignor!: `assign` is one function: of a Group and Owners, or of a StateGroup and States" };
    (user_data) => { "assignor!: `user_data` is a function of Me" };
    (check) => { "assignor!: `check` is a function of a StateGroup and the states" };
    ($key:ident) => {
        concat!(
            "assignor! has no key `", stringify!($key), "`: there are name, version, protocol_type, shape (partitions, states), ",
            "mode (eager, cooperative), copies (one, many), complete (true, false), offer (default, by_name), rank, needs, ",
            "limits, config_schema, description, license, source, assign, user_data, check"
        )
    };
}

/// The type of `assign` by shape, so that a wrong signature is an error in native builds too.
#[doc(hidden)]
#[macro_export]
macro_rules! __shape {
    (partitions) => {
        $crate::run::AssignPartitions
    };
    (states) => {
        $crate::run::AssignStates
    };
}

/// Likewise for the optional exports.
#[doc(hidden)]
#[macro_export]
macro_rules! __hook {
    (user_data $f:path) => {
        const _: $crate::run::MakeUserData = $f;
    };
    (check $f:path) => {
        const _: $crate::run::CheckStates = $f;
    };
}

#[cfg(test)]
mod tests;
