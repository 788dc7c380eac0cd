// Puts a file of addresses on the suppression list of a team, in batches. It may be interrupted and repeated: what is on the list stays as it is.
import type { Context } from '../context.ts'
import { createSuppressionFileReader, type FileOptions, type SuppressionFileRow } from '../mail/audience/suppression-rows.ts'

/** Addresses of one transaction, so that it is short. */
const BATCH_MAX = 1_000

export type ImportedSuppressions = { added: number; existing: number; refused: number }

export type ImportOptions = FileOptions & {
  simulatorDomains: readonly string[]
  /** Called for each row that is refused. */
  onRefused(line: number, problem: string): void
}

/** @throws Failure, before anything is added, if the file does not say which column has the addresses. */
export async function importSuppressions(
  { suppressions }: Pick<Context['repositories'], 'suppressions'>,
  teamId: string,
  file: AsyncIterable<string> | Iterable<string>,
  { simulatorDomains, onRefused, ...options }: ImportOptions,
): Promise<ImportedSuppressions> {
  const reader = createSuppressionFileReader(simulatorDomains, options)
  const counts = { added: 0, existing: 0, refused: 0 }
  let batch: Extract<SuppressionFileRow, { email: string }>[] = []

  async function flush(): Promise<void> {
    const { addedCount } = await suppressions.add(teamId, batch)
    counts.added += addedCount
    counts.existing += batch.length - addedCount
    batch = []
  }

  async function take(rows: SuppressionFileRow[]): Promise<void> {
    for (const row of rows) {
      if ('problem' in row) {
        counts.refused += 1
        onRefused(row.line, row.problem)
        continue
      }
      batch.push(row)
      if (batch.length >= BATCH_MAX) await flush()
    }
  }

  for await (const piece of file) await take(reader.push(piece))
  await take(reader.end())
  if (batch.length > 0) await flush()
  return counts
}
