// Runs what was compiled of the tests, and the reference strategies on the requests of tests/abi:
//
//   node tests/run.mjs FOLDER tests/abi
//
// FOLDER has tests.wasm, even.wasm and parts.wasm (`cargo xtask languages assemblyscript` makes them).

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [built, suite] = process.argv.slice(2);
const compiled = (name) => new WebAssembly.Module(readFileSync(join(built, `${name}.wasm`)));
let failures = 0;

function failed(what) {
  console.error(what);
  if (++failures === 20) {
    console.error("and no more after 20");
    process.exit(1);
  }
}

/** What a failed call left: its own words, or else the engine's. */
function words(instance, error) {
  const panic = instance.exports.divvy_panic.value;
  const length = new DataView(instance.exports.memory.buffer).getUint32(panic, true);
  return length ? Buffer.from(instance.exports.memory.buffer, panic + 4, length).toString() : String(error);
}

function tests(module) {
  const names = WebAssembly.Module.exports(module).filter((it) => it.kind === "function").map((it) => it.name);
  for (const name of names) {
    const wanted = name.startsWith("fails_with_") ? name.slice("fails_with_".length).replaceAll("_", " ") : null;
    const instance = new WebAssembly.Instance(module, {});
    let said = null;
    try {
      instance.exports[name]();
    } catch (error) {
      said = words(instance, error);
    }
    if (said !== wanted) failed(`${name}: ${said ?? "did not fail"}${wanted ? `, wanted the failure: ${wanted}` : ""}`);
  }
  return names.length;
}

/** From a request to a reply, in an instance of its own as in a host. */
function answer(module, name, request) {
  const { exports } = new WebAssembly.Instance(module, {});
  const at = exports.divvy_alloc(request.length) >>> 0;
  new Uint8Array(exports.memory.buffer).set(request, at);
  try {
    const reply = BigInt.asUintN(64, exports[name](at, request.length));
    return Buffer.from(exports.memory.buffer, Number(reply >> 32n), Number(reply & 0xffffffffn));
  } catch (error) {
    return Buffer.from(`trap: ${words({ exports }, error)}`);
  }
}

const isBadRequest = (reply) => reply.subarray(0, 15).equals(Buffer.from("\x93\x01\x94\xabbad_request", "latin1"));
const shown = (bytes) => (bytes.toString().startsWith("trap") ? bytes.toString() : bytes.subarray(0, 100).toString("hex"));

function conforms(module, folder, name, least) {
  const files = readdirSync(join(suite, folder, "requests")).filter((it) => it.endsWith(".msgpack"));
  if (files.length < least) failed(`${files.length} requests in ${folder}, wanted ${least}`);
  for (const file of files) {
    const reply = answer(module, name, readFileSync(join(suite, folder, "requests", file)));
    const wanted = join(suite, folder, "replies", file);
    if (!existsSync(wanted)) {
      if (!isBadRequest(reply)) failed(`${folder}/${file} is not refused as bad_request: ${shown(reply)}`);
    } else if (!reply.equals(readFileSync(wanted))) failed(`${folder}/${file}: ${shown(reply)}, wanted ${shown(readFileSync(wanted))}`);
  }
  hostile(module, name, readFileSync(join(suite, folder, "requests", "everything.msgpack")));
  return files.length;
}

/** Another bit, and what promises most: long texts, arrays and maps, nothing, no value at all. */
const others = (byte) => [1, 2, 4, 8, 16, 32, 64, 128].map((bit) => byte ^ bit).concat([0x00, 0x7f, 0xc0, 0xc1, 0xc6, 0xdb, 0xdd, 0xdf, 0xff]);

/** Every beginning of a request is refused, and every change of one of its bytes is answered. */
function hostile(module, name, whole) {
  for (let length = 0; length < whole.length; length++)
    if (!isBadRequest(answer(module, name, whole.subarray(0, length)))) failed(`${name}: the first ${length} bytes are believed`);
  for (let at = 0; at < whole.length; at++) {
    const kept = whole[at];
    for (const other of others(kept)) {
      whole[at] = other;
      const reply = answer(module, name, whole);
      if (reply[0] !== 0x93 || reply[1] > 1) failed(`${name}: no reply with ${other} at ${at}: ${shown(reply)}`);
    }
    whole[at] = kept;
  }
}

const [even, parts] = [compiled("even"), compiled("parts")];
const count =
  tests(compiled("tests")) +
  conforms(even, "", "divvy_assign", 85) +
  conforms(parts, "states", "divvy_assign", 55) +
  conforms(parts, "user-data", "divvy_user_data", 30) +
  conforms(parts, "check", "divvy_check", 30);
console.log(`${count} tests and requests, ${failures} failures`);
process.exitCode = failures ? 1 : 0;
