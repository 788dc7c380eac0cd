// The batches of an import, committed one after the other: each while the next one is read.
import type { ImportToRun } from '../../repositories/imports/contact-imports.ts'
import type { importBatchRepository } from '../../repositories/imports/import-batches.ts'
import { REFUSALS_KEPT_MAX } from '../../schemas/contact-imports.ts'
import type { RowBatch } from './row-batch.ts'

export type ImportCommits = {
  /** Goes on by itself. The one before must have come to its end. */
  begin(batch: RowBatch): void
  /** How the commit that was begun last has ended; null: well, or there was none. @throws what it threw */
  ended(): Promise<'taken over' | null>
  /** The job was given all its tries again, because the import has come further: this try is not its last any more. */
  hasRenewedJob(): boolean
}

export type CommitsOptions = {
  importBatches: Pick<ReturnType<typeof importBatchRepository>, 'commit'>
  teamId: string
  /** From 1. */
  attempt: number
}

export function createImportCommits(found: ImportToRun, { importBatches, teamId, attempt }: CommitsOptions): ImportCommits {
  let total = found.total
  let hasRenewed = false
  let last: Promise<'taken over' | null> = Promise.resolve(null)

  async function commit(batch: RowBatch, totalBefore: number): Promise<'taken over' | null> {
    // Who has come further than the try before gets all tries again: a long import is not given up for the restarts of a week.
    const renewsJob = attempt > 1 && totalBefore === found.total
    const options = { totalBefore, renewsJob, refusalsKeptMax: REFUSALS_KEPT_MAX }
    const refusal = await importBatches.commit(teamId, found, batch.content(), options)
    if (renewsJob && !refusal) hasRenewed = true
    return refusal
  }

  return {
    begin(batch) {
      last = commit(batch, total)
      total += batch.total
      // Heard of when it is waited for.
      last.catch(() => {})
    },
    ended: () => last,
    hasRenewedJob: () => hasRenewed,
  }
}
