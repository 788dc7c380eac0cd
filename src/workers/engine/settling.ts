// Writes what became of things, many in one transaction, and keeps each until the database has accepted it, because it is a fact.
import { isRefusedData } from '../../lib/database-errors.ts'
import { pauseAfterFault } from './pause.ts'

const BATCH_MAX = 200

export type SettlingOptions<Fact> = {
  write(facts: Fact[]): Promise<void>
  /** Writes it without its text: the database may refuse the text, but not the fact itself. */
  writeBare(fact: Fact, cause: unknown): Promise<void>
  /** They are written again later. */
  onFault(error: unknown, count: number): void
}

export type Settling<Fact> = {
  /** Resolves once it is written. Facts that arrive meanwhile share the next transaction. */
  settle(fact: Fact): Promise<void>
}

export function createSettling<Fact>({ write, writeBare, onFault }: SettlingOptions<Fact>): Settling<Fact> {
  const unsettled: { fact: Fact; settled: () => void }[] = []
  let isSettling = false

  async function settleAll(): Promise<void> {
    isSettling = true
    while (unsettled.length > 0) {
      const batch = unsettled.splice(0, BATCH_MAX)
      if (await isWritten(batch.map(({ fact }) => fact))) {
        for (const { settled } of batch) settled()
      } else {
        unsettled.unshift(...batch)
        await pauseAfterFault()
      }
    }
    isSettling = false
  }

  async function isWritten(facts: Fact[]): Promise<boolean> {
    try {
      await write(facts)
      return true
    } catch (error) {
      if (!isRefusedData(error)) {
        onFault(error, facts.length)
        return false
      }
      const [only] = facts
      if (only !== undefined && facts.length === 1)
        return writeBare(only, error).then(
          () => true,
          () => false,
        )
      // One of them is at fault. Written alone, it does not block the others.
      for (const fact of facts) if (!(await isWritten([fact]))) return false
      return true
    }
  }

  return {
    settle: (fact) =>
      new Promise((settled) => {
        unsettled.push({ fact, settled })
        if (!isSettling) void settleAll()
      }),
  }
}
