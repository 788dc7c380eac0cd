// Reads a file of contacts: decodes it, checks its rows, and commits them some thousands at a time. It can end at any moment: whoever goes on reads
// past the rows that are counted already.
import { setImmediate } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type CsvRow, createCsvReader } from '../lib/csv-rows.ts'
import { Failure } from '../lib/failure.ts'
import type { ImportToRun } from '../repositories/contact-imports.ts'
import type { BatchProblem } from '../repositories/import-batches.ts'
import { REFUSALS_KEPT_MAX } from '../schemas/contact-imports.ts'
import { createRowBatch, type RowBatch } from './row-batch.ts'

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'clock' | 'hashAddress' | 'log'>

/** `attempt`: from 1. `signal`: the service is stopping. */
export type ImportTask = { teamId: string; importId: string; attempt: number; isLastTry: boolean; signal: AbortSignal }

/** Rows of a batch, so that a commit takes a moment. */
const BATCH_ROWS_MAX = 2_000
/** Memberships and subscriptions that a batch writes. */
const BATCH_REFERENCES_MAX = 50_000
/** Characters of its rows in the file, which bound its memory. */
const BATCH_LENGTH_MAX = 4 * 1024 * 1024
/** Rows that are read in one go: requests are answered in between. */
const ROWS_IN_ONE_GO = 200

export async function importContacts(context: Dependencies, task: ImportTask): Promise<void> {
  const { repositories, log } = context
  const { teamId, importId } = task
  const found = await repositories.contactImports.begin(teamId, importId)
  if (!found) return
  try {
    const end = await readFile(context, found, task)
    if (end === 'stopped') return await repositories.contactImports.enqueue(teamId, importId)
    if (end === 'taken over') return
    await endImport(context, { teamId, importId, reason: end === 'read' ? null : end.reason })
  } catch (error) {
    if (!task.isLastTry) throw error
    log.error({ err: error, importId }, 'import given up')
    await endImport(context, { teamId, importId, reason: GIVEN_UP })
  }
}

/** What was committed stays. The file is removed: it holds what people are called. */
async function endImport(
  { repositories, gateways, log }: Dependencies,
  { teamId, importId, reason }: { teamId: string; importId: string; reason: string | null },
): Promise<void> {
  const outcome = reason === null ? { status: 'completed' as const } : { status: 'failed' as const, reason }
  const blobKey = await repositories.contactImports.end(teamId, importId, outcome)
  if (blobKey !== null) await gateways.blobs.remove(blobKey)
  log.info({ importId, teamId, outcome: outcome.status }, 'import ended')
}

/** Imports whose every try ended with its process. */
export async function failStuckImports(context: Dependencies): Promise<void> {
  for (const { teamId, importId } of await context.repositories.contactImports.listStuckAcrossTeams())
    await endImport(context, { teamId, importId, reason: GIVEN_UP })
}

const GIVEN_UP = 'The file could not be read to its end, although it was tried several times. The rows that are counted were imported.'

type End = 'read' | 'stopped' | 'taken over' | { reason: string }

async function readFile(context: Dependencies, found: ImportToRun, task: ImportTask): Promise<End> {
  const { repositories, gateways, clock, hashAddress } = context
  const { teamId, attempt, signal } = task
  const rowsMax = Math.min(
    BATCH_ROWS_MAX,
    Math.max(1, Math.floor(BATCH_REFERENCES_MAX / (found.segmentIds.length + found.topics.length || 1))),
  )
  const newBatch = () => createRowBatch({ ...found, hashAddress: (email) => hashAddress(teamId, email), clock })
  let committed = found.total
  let rowsRead = -1
  let batch = newBatch()
  /** The commit of the batch before: it goes on while the next one is read. */
  let committing: Promise<BatchProblem | null> = Promise.resolve(null)

  function commit(full: RowBatch): Promise<BatchProblem | null> {
    const totalBefore = committed
    committed += full.total
    // Who has come further than the try before gets all tries again: a long import is not given up for the restarts of a week.
    const renewsJob = attempt > 1 && totalBefore === found.total
    const running = repositories.importBatches.commit(teamId, found, full.content(), {
      totalBefore,
      renewsJob,
      refusalsKeptMax: REFUSALS_KEPT_MAX,
    })
    // Heard of when it is waited for.
    running.catch(() => {})
    return running
  }

  for await (const rows of rowsOf(gateways.blobs, found)) {
    if (signal.aborted) {
      await committing
      return 'stopped'
    }
    for (const row of rows) {
      rowsRead += 1
      // The first is the header.
      if (rowsRead > 0 && rowsRead > found.total) batch.add(row)
    }
    if (batch.total < rowsMax && batch.length < BATCH_LENGTH_MAX) continue
    const problem = await committing
    if (problem) return endOf(problem, found)
    committing = commit(batch)
    batch = newBatch()
  }
  for (const last of [null, batch]) {
    if (last && last.total > 0) committing = commit(last)
    const problem = await committing
    if (problem) return endOf(problem, found)
  }
  return 'read'
}

/** A few rows at a time, with a pause behind each few. */
async function* rowsOf(blobs: Dependencies['gateways']['blobs'], { blobKey, encoding, delimiter }: ImportToRun): AsyncGenerator<CsvRow[]> {
  if (blobKey === null) throw new Failure('notFound', 'The file of an import that has not ended is not there')
  const decoder = new TextDecoder(encoding)
  const reader = createCsvReader(delimiter)
  async function* paced(rows: CsvRow[]): AsyncGenerator<CsvRow[]> {
    for (let from = 0; from < rows.length; from += ROWS_IN_ONE_GO) {
      yield rows.slice(from, from + ROWS_IN_ONE_GO)
      await setImmediate()
    }
  }
  for await (const chunk of await blobs.open(blobKey)) yield* paced(reader.push(decoder.decode(chunk, { stream: true })))
  yield* paced(reader.push(decoder.decode()))
  yield* paced(reader.end())
}

function endOf(found: BatchProblem, { segmentIds, topics }: ImportToRun): End {
  switch (found.problem) {
    case 'taken over':
      return 'taken over'
    case 'deleted property':
      return { reason: `The property \`${found.key}\` was deleted while the file was read.` }
    case 'unknown topic':
      return { reason: `The topic ${topics[found.index]?.id} was deleted while the file was read.` }
    case 'unknown segment':
      return { reason: `The segment ${segmentIds[found.index]} was deleted while the file was read.` }
    default:
      return { reason: `The segment ${segmentIds[found.index]} finds its contacts by itself: nobody can be put into it.` }
  }
}
