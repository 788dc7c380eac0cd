// Commits the batches of an import one after another, each while the next one is read.
import type { ImportToRun } from '../../repositories/imports/contact-imports.ts'
import type { importBatchRepository } from '../../repositories/imports/import-batches.ts'
import { REFUSALS_KEPT_MAX } from '../../schemas/contact-imports.ts'
import type { RowBatch } from './row-batch.ts'

export type ImportCommits = {
  /** Starts the commit without waiting. The one before must have ended. */
  begin(batch: RowBatch): void
  /**
   * Waits for the last commit. Null if it succeeded, or if there was none.
   * @throws what it threw
   */
  settled(): Promise<'taken over' | null>
  /** The job got all its tries again because the import has made progress, so this try is no longer its last. */
  hasRenewedJob(): boolean
}

export type CommitsOptions = {
  importBatches: Pick<ReturnType<typeof importBatchRepository>, 'commit'>
  teamId: string
  /** Counted from 1. */
  attempt: number
}

export function createImportCommits(found: ImportToRun, { importBatches, teamId, attempt }: CommitsOptions): ImportCommits {
  let total = found.total
  let hasRenewed = false
  let last: Promise<'taken over' | null> = Promise.resolve(null)

  async function commit(batch: RowBatch, totalBefore: number): Promise<'taken over' | null> {
    // An import that has made progress since the last try gets all its tries again, so that a long import is not given up because of a week of
    // restarts.
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
      // Reported when it is waited for.
      last.catch(() => {})
    },
    settled: () => last,
    hasRenewedJob: () => hasRenewed,
  }
}
