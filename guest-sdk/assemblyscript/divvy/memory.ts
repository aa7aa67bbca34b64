// Where a request comes to lie, and how a call ends as a failure.

/** The address of the text that is shown to people after a trap: length, then up to 1020 bytes. */
export const divvy_panic: i32 = i32(memory.data(1024, 16));

/** Ends the call as a failure. */
export function fail(text: string): void {
  const bytes = String.UTF8.encode(text);
  const length = min<u32>(1020, bytes.byteLength);
  memory.copy(divvy_panic + 4, changetype<usize>(bytes), length);
  store<u32>(divvy_panic, length);
  unreachable();
}

/** The marker of ABI 1. */
export function divvy_abi_v1(): void {}

/** Room for the request; 0 when there is none. Grown here, since the runtime would trap. */
export function divvy_alloc(length: u32): usize {
  const pages = i32((u64(length) + 65535 + 64) >> 16);
  if (memory.grow(pages) < 0) return 0;
  return heap.alloc(max<usize>(length, 1));
}
