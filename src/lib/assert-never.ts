/** Ends a `switch` over a closed set: a new member without a case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`)
}
