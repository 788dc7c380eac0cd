/** Something that otherwise happens again and again, at the turn of a hand. */
export type Handle = {
  repeat: (act: () => void) => () => void
  /** Does once what was to be repeated. */
  turn(): void
}

export function createHandle(): Handle {
  const acts = new Set<() => void>()
  return {
    repeat(act) {
      acts.add(act)
      return () => void acts.delete(act)
    },
    turn() {
      for (const act of acts) act()
    },
  }
}
