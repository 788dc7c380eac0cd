// Reads a CSV file of contacts: decodes it, checks its rows, and commits them some thousands at a time. It can stop at any moment; the next try
// skips the rows that are already counted.
import { setImmediate } from 'node:timers/promises'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createCsvFileReader } from '../../../lib/csv/csv-files.ts'
import type { CsvRow } from '../../../lib/csv/csv-rows.ts'
import { createTextDecoder } from '../../../lib/csv/text-encoding.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { refusalByState } from '../../accounts/teams/team-states.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { ImportBatch, importBatchRepository } from './import-batches.repository.ts'
import { type RefusedRow, type RowContact, type RowPerson, readContactRow, refusedRow } from './imported-contact.ts'
import type { ImportToRun } from './imports.repository.ts'
import { REFUSALS_KEPT_MAX } from './imports.schema.ts'
import { endImport, type ImportKey } from './imports.service.ts'

type Context = PlatformContext & AccountsContext & AudienceContext

// Collects the rows of a file into a batch: each address once, later rows over earlier ones.

export type RowBatch = {
  readonly total: number
  /** Characters of its rows in the file. */
  readonly length: number
  add(row: CsvRow): void
  content(): ImportBatch
}

export type RowBatchOptions = Pick<ImportToRun, 'columns' | 'onConflict' | 'topics'> & {
  hashAddress: (email: string) => string
  clock: Clock
}

export function createRowBatch({ columns, onConflict, topics, hashAddress, clock }: RowBatchOptions): RowBatch {
  const hasOptOuts = topics.some(({ subscription }) => subscription === 'opt_out')
  const contacts = new Map<string, ImportBatch['contacts'][number]>()
  const refusals: ImportBatch['refusals'] = []
  const optOuts: ImportBatch['optOuts'] = []
  let total = 0
  let length = 0

  function addContact(contact: RowContact): void {
    const before = contacts.get(contact.email)
    if (!before) {
      contacts.set(contact.email, { ...contact, id: createId(clock), addressHash: hashAddress(contact.email) })
      return
    }
    // An opt-out counts even if the rest of the row is dropped.
    before.unsubscribed ||= contact.unsubscribed
    if (onConflict === 'skip') return
    before.firstName = contact.firstName ?? before.firstName
    before.lastName = contact.lastName ?? before.lastName
    Object.assign(before.properties, contact.properties)
  }

  function refuse({ line, cells = null }: { line: number; cells?: string[] | null }, { problem, person }: RefusedRow): void {
    const isHeard = person !== null && wantsLess(person)
    refusals.push({ line, reason: isHeard ? `${problem} ${HEARD}` : problem, cells })
    if (isHeard) optOuts.push({ addressHash: hashAddress(person.email), unsubscribed: person.unsubscribed })
  }

  const wantsLess = ({ unsubscribed }: RowPerson): boolean => unsubscribed || hasOptOuts

  return {
    get total() {
      return total
    },
    get length() {
      return length
    },
    add(row) {
      total += 1
      length += row.length
      const read = 'problem' in row ? refusedRow(row, columns) : readContactRow(row.cells, columns)
      if ('problem' in read) refuse(row, read)
      else addContact(read)
    },
    content: () => ({
      total,
      contacts: [...contacts.values()],
      repeated: total - refusals.length - contacts.size,
      refusals,
      optOuts,
    }),
  }
}

const HEARD = 'Its opt-out was recorded anyway.'

// Commits the batches of an import one after another, each while the next one is read.

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

type Blobs = Context['gateways']['blobs']
type ImportFile = Pick<ImportToRun, 'blobKey' | 'encoding' | 'delimiter'>

/** Rows that are read at a time. Requests are answered in between. */
const ROWS_IN_ONE_GO = 200

/** The header and the rows after it, a few at a time, with a pause after each few. */
export async function* readRows(blobs: Blobs, { blobKey, encoding, delimiter }: ImportFile): AsyncGenerator<CsvRow[]> {
  if (blobKey === null) throw new Failure('notFound', 'The file of an import that has not ended is not there')
  const decoder = createTextDecoder(encoding)
  const reader = createCsvFileReader(delimiter)
  async function* paced(rows: CsvRow[]): AsyncGenerator<CsvRow[]> {
    for (let from = 0; from < rows.length; from += ROWS_IN_ONE_GO) {
      yield rows.slice(from, from + ROWS_IN_ONE_GO)
      await setImmediate()
    }
  }
  for await (const chunk of await blobs.open(blobKey)) yield* paced(reader.push(decoder.push(chunk)))
  yield* paced(reader.push(decoder.end()))
  yield* paced(reader.end())
}

/** The line where a row begins, counted without the header; null if the file has no such row. */
export async function lineOfRow(blobs: Blobs, file: ImportFile, row: number): Promise<number | null> {
  let before = 0
  for await (const rows of readRows(blobs, file)) {
    const found = rows[row - before]
    if (found) return found.line
    before += rows.length
  }
  return null
}

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'clock' | 'hashAddress' | 'log'>

/** `attempt` is counted from 1. `signal`: the service is stopping. */
export type ImportTask = ImportKey & { attempt: number; isLastTry: boolean; signal: AbortSignal }

/** Rows of a batch, so that a commit is short. */
const BATCH_ROWS_MAX = 2_000
/** Memberships and subscriptions that a batch writes. */
const BATCH_REFERENCES_MAX = 50_000
/** Characters of its rows in the file, which bound its memory. */
const BATCH_LENGTH_MAX = 4 * 1024 * 1024

export async function importContacts(context: Dependencies, task: ImportTask): Promise<void> {
  const { repositories, log } = context
  const { teamId, importId } = task
  if (await isOfStoppedTeam(context, teamId)) return await repositories.contactImports.enqueue(teamId, importId, STOPPED_LOOK_SECONDS)
  const found = await repositories.contactImports.begin(teamId, importId)
  if (!found) return
  const commits = createImportCommits(found, { ...task, importBatches: repositories.importBatches })
  const end = await readFile(context, found, { ...task, commits }).catch(async (error): Promise<End> => {
    // The commit in progress may still renew the job.
    await commits.settled().catch(() => {})
    if (error instanceof Failure && error.kind === 'forbidden') return { refused: error.message }
    // Who canceled it has taken the file away.
    if (await hasEnded(context, task)) return 'taken over'
    if (!task.isLastTry || commits.hasRenewedJob()) throw error
    log.error({ err: error, importId }, 'import given up')
    return 'given up'
  })
  if (end === 'stopped') return await repositories.contactImports.enqueue(teamId, importId)
  if (end === 'team stopped') return await repositories.contactImports.enqueue(teamId, importId, STOPPED_LOOK_SECONDS)
  if (end === 'taken over') return
  if (end === 'given up') return await giveUp(context, task)
  const isRead = end === 'read'
  const reason = isRead ? '' : `${end.refused} The rows that are counted were imported.`
  await endImport(context, task, isRead ? { status: 'completed' } : { status: 'failed', reason })
}

/** An import of a team that is suspended or deleted waits, and looks again after this time. */
const STOPPED_LOOK_SECONDS = 30

const isOfStoppedTeam = async ({ repositories }: Dependencies, teamId: string): Promise<boolean> =>
  refusalByState(await repositories.teams.stateOf(teamId), { writes: true }) !== null

async function hasEnded({ repositories }: Dependencies, { teamId, importId }: ImportKey): Promise<boolean> {
  const found = await repositories.contactImports.find(teamId, importId)
  return found === null || found.completedAt !== null
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
  const reason = `The file could not be read to its end after several attempts. The rows that are counted were imported; rows ${read} were not read, and opt-outs in them were not recorded. Import those rows in a new file.`
  await endImport(context, { teamId, importId }, { status: 'failed', reason })
}

/** `refused`: the team has as many contacts as it may have. */
type End = 'read' | 'stopped' | 'team stopped' | 'taken over' | 'given up' | { refused: string }

async function readFile(
  context: Dependencies,
  found: ImportToRun,
  { teamId, signal, commits }: Pick<ImportTask, 'teamId' | 'signal'> & { commits: ImportCommits },
): Promise<End> {
  const { gateways, clock, hashAddress } = context
  const rowsMax = Math.min(
    BATCH_ROWS_MAX,
    Math.max(1, Math.floor(BATCH_REFERENCES_MAX / (found.segmentIds.length + found.topics.length || 1))),
  )
  const newBatch = () => createRowBatch({ ...found, hashAddress: (email) => hashAddress(teamId, email), clock })
  let rowsRead = -1
  let batch = newBatch()

  for await (const rows of readRows(gateways.blobs, found)) {
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
    if (await isOfStoppedTeam(context, teamId)) return 'team stopped'
    commits.begin(batch)
    batch = newBatch()
  }
  for (const last of [null, batch]) {
    if (last && last.total > 0) commits.begin(last)
    if ((await commits.settled()) === 'taken over') return 'taken over'
  }
  return 'read'
}
