// Reads a CSV file of contacts: decodes it, checks its rows, and commits them some thousands at a time. It can stop at any moment; the next try
// skips the rows that are already counted.
import type { Context } from '../../context.ts'
import type { ImportToRun } from '../../repositories/imports/contact-imports.ts'
import { createImportCommits, type ImportCommits } from './import-commits.ts'
import { lineOfRow, rowsOf } from './import-rows.ts'
import { createRowBatch } from './row-batch.ts'

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'clock' | 'hashAddress' | 'log'>

/** `attempt` is counted from 1. `signal`: the service is stopping. */
export type ImportTask = ImportKey & { attempt: number; isLastTry: boolean; signal: AbortSignal }

type ImportKey = { teamId: string; importId: string }

/** Rows of a batch, so that a commit is short. */
const BATCH_ROWS_MAX = 2_000
/** Memberships and subscriptions that a batch writes. */
const BATCH_REFERENCES_MAX = 50_000
/** Characters of its rows in the file, which bound its memory. */
const BATCH_LENGTH_MAX = 4 * 1024 * 1024

export async function importContacts(context: Dependencies, task: ImportTask): Promise<void> {
  const { repositories, log } = context
  const { teamId, importId } = task
  const found = await repositories.contactImports.begin(teamId, importId)
  if (!found) return
  const commits = createImportCommits(found, { ...task, importBatches: repositories.importBatches })
  const end = await readFile(context, found, { ...task, commits }).catch(async (error): Promise<End> => {
    // The commit in progress may still renew the job.
    await commits.settled().catch(() => {})
    if (!task.isLastTry || commits.hasRenewedJob()) throw error
    log.error({ err: error, importId }, 'import given up')
    return 'given up'
  })
  if (end === 'stopped') return await repositories.contactImports.enqueue(teamId, importId)
  if (end === 'taken over') return
  if (end === 'given up') return await giveUp(context, task)
  await endImport(context, task, { status: 'completed' })
}

/** What was committed stays. The file is removed, because it holds personal data. */
async function endImport(
  { repositories, gateways, log }: Dependencies,
  { teamId, importId }: ImportKey,
  outcome: { status: 'completed' } | { status: 'failed'; reason: string },
): Promise<void> {
  const ended = await repositories.contactImports.end(teamId, importId, outcome)
  if (!ended) return
  log.info({ importId, teamId, outcome: outcome.status }, 'import ended')
  if (ended.blobKey === null) return
  // An import that has ended is not tried again. If the file stays, the sweep of blobs removes it.
  await gateways.blobs.remove(ended.blobKey).catch((error) => log.warn({ err: error, importId }, 'file of an import not removed'))
}

/** Fails imports whose every try ended with its process or while the database was away, so that their end could not be written. */
export async function failStuckImports(context: Dependencies): Promise<void> {
  for (const stuck of await context.repositories.contactImports.listStuckAcrossTeams()) await giveUp(context, stuck)
}

/** Says how far the file was read, because someone has to import the rest of it. */
async function giveUp(context: Dependencies, { teamId, importId }: ImportKey): Promise<void> {
  const found = await context.repositories.contactImports.begin(teamId, importId)
  if (!found) return
  // If the file is missing, or broken before this row, only the count is known.
  const line = await lineOfRow(context.gateways.blobs, found, found.total).catch(() => null)
  const read = line === null ? `after the first ${found.total}` : `after line ${line}`
  const reason = `The file could not be read to its end, although it was tried several times. The rows that are counted were imported; rows ${read} were not read, and opt-outs in them were not taken.`
  await endImport(context, { teamId, importId }, { status: 'failed', reason })
}

type End = 'read' | 'stopped' | 'taken over' | 'given up'

async function readFile(
  { gateways, clock, hashAddress }: Dependencies,
  found: ImportToRun,
  { teamId, signal, commits }: Pick<ImportTask, 'teamId' | 'signal'> & { commits: ImportCommits },
): Promise<End> {
  const rowsMax = Math.min(
    BATCH_ROWS_MAX,
    Math.max(1, Math.floor(BATCH_REFERENCES_MAX / (found.segmentIds.length + found.topics.length || 1))),
  )
  const newBatch = () => createRowBatch({ ...found, hashAddress: (email) => hashAddress(teamId, email), clock })
  let rowsRead = -1
  let batch = newBatch()

  for await (const rows of rowsOf(gateways.blobs, found)) {
    if (signal.aborted) {
      await commits.settled()
      return 'stopped'
    }
    for (const row of rows) {
      rowsRead += 1
      // The first is the header.
      if (rowsRead > 0 && rowsRead > found.total) batch.add(row)
    }
    if (batch.total < rowsMax && batch.length < BATCH_LENGTH_MAX) continue
    if ((await commits.settled()) === 'taken over') return 'taken over'
    commits.begin(batch)
    batch = newBatch()
  }
  for (const last of [null, batch]) {
    if (last && last.total > 0) commits.begin(last)
    if ((await commits.settled()) === 'taken over') return 'taken over'
  }
  return 'read'
}
