// Puts a file of addresses on the suppression list of a team, in batches. It may be interrupted and repeated: what is on the list stays as it is.

import type { PlatformContext } from '../../http/platform.context.ts'
import { invalid } from '../../lib/failure.ts'
import { explainProblem } from '../../lib/problem.ts'
import { createSuppressionFileReader, type FileOptions, type SuppressionFileRow, suppressibleAddress } from './suppression-files.ts'
import type { SuppressionsContext } from './suppressions.context.ts'

type Context = PlatformContext & SuppressionsContext

// Puts addresses on the suppression list of a team, because the team asks for it.

type Dependencies = {
  repositories: Pick<Context['repositories'], 'suppressions'>
  config: Pick<Context['config'], 'simulatorDomains'>
  /** Absent in commands, whose counts no one would read. */
  metrics?: Pick<Context['metrics'], 'suppressionsAdded'>
}

/**
 * @param addresses by the names of their fields.
 * @returns the id of each, in the same order.
 * @throws Failure about the first address that is wrong; nothing is added then.
 */
export async function addSuppressions(
  { repositories, config, metrics }: Dependencies,
  teamId: string,
  addresses: { field: string; text: string }[],
): Promise<string[]> {
  const entries = addresses.map(({ field, text }) => {
    const email = suppressibleAddress(text, config.simulatorDomains)
    if (typeof email !== 'string') throw invalid(explainProblem(field, email, text))
    return { email, origin: 'manual' as const }
  })
  const { ids, addedCount } = await repositories.suppressions.add(teamId, entries)
  metrics?.suppressionsAdded.inc({ origin: 'manual' }, addedCount)
  return ids
}

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
