/** Messages and bytes by a key, and in all. */
export type Amount = { messages: number; bytes: number }

export type Amounts = ReturnType<typeof createAmounts>

const NOTHING: Readonly<Amount> = { messages: 0, bytes: 0 }

export function createAmounts() {
  const byKey = new Map<string, Amount>()
  const inAll: Amount = { ...NOTHING }
  return {
    inAll,
    of: (key: string): Readonly<Amount> => byKey.get(key) ?? NOTHING,
    add(key: string, { messages, bytes }: Amount): void {
      const own = byKey.get(key) ?? { ...NOTHING }
      for (const amount of [own, inAll]) {
        amount.messages += messages
        amount.bytes += bytes
      }
      if (own.messages > 0 || own.bytes > 0) byKey.set(key, own)
      else byKey.delete(key)
    },
  }
}
