// All tests of the SDK, as one module: `tests/run.mjs` calls each of its functions in an instance of its own.

export { divvy_panic } from "../divvy";
export * from "./reader";
export * from "./writer";
export * from "./plan";
