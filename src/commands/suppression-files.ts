// Suppressions as files, of any length: they are read, written and kept in the database piece by piece.
import type { Config } from '../config.ts'
import { openText } from '../gateways/files/input-file.ts'
import { csvLine } from '../lib/csv/csv-line.ts'
import { Failure } from '../lib/failure.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { FileOptions } from '../mail/audience/suppression-rows.ts'
import type { Repositories } from '../repositories/repositories.ts'
import type { SuppressionOrigin } from '../schemas/suppressions.ts'
import { type ImportedSuppressions, importSuppressions } from '../services/import-suppressions.ts'
import { print, say, write } from './output.ts'
import { counted, grouped } from './tables.ts'

export type SuppressionFileOptions = Pick<FileOptions, 'column' | 'origin'>

const NAME_COLUMN = ' Name the column with --column.'

/** Each is a line on the terminal. A file with more has another problem than its rows. */
const REFUSALS_SHOWN_MAX = 100

const ROWS_PER_QUERY = 1_000

export async function importSuppressionFile(
  repositories: Repositories,
  { simulatorDomains }: Config,
  { teamId, path, ...options }: SuppressionFileOptions & { teamId: string; path: string },
): Promise<void> {
  let shown = 0
  const onRefused = (line: number, problem: string): void => {
    shown += 1
    if (shown <= REFUSALS_SHOWN_MAX) say(`Line ${line}: ${problem}`)
  }
  async function read(): Promise<ImportedSuppressions> {
    const { encoding, pieces } = await openText(path)
    if (encoding !== 'utf-8') say(`The file is encoded in ${encoding}, and is read so.`)
    return importSuppressions(repositories, teamId, pieces, {
      ...options,
      simulatorDomains,
      howToName: NAME_COLUMN,
      onSource: (source) => say(`The file has the columns of the ${source}, and is read so.`),
      onRefused,
    })
  }
  const counts = await read().catch((error) => {
    throw isUnreadable(error) ? new Failure('notFound', `The file "${path}" cannot be read: ${error.message}`) : error
  })
  if (shown > REFUSALS_SHOWN_MAX) say(`and ${grouped(shown - REFUSALS_SHOWN_MAX)} more lines that were refused.`)
  print(resultOf(counts))
  // As for `suppressions remove`: the others are done, but not all that was asked for.
  if (counts.refused > 0) process.exitCode = 1
}

const resultOf = ({ added, existing, refused }: ImportedSuppressions): string =>
  [
    `${counted(added, 'address is', 'addresses are')} suppressed now`,
    ...(existing > 0 ? [`${grouped(existing)} already ${existing === 1 ? 'was' : 'were'}`] : []),
    ...(refused > 0 ? [`${counted(refused, 'line was', 'lines were')} refused`] : []),
  ]
    .join('; ')
    .concat('.')

export async function exportSuppressions({ suppressions }: Repositories, teamId: string, origin: SuppressionOrigin | null): Promise<void> {
  let isRead = await write(csvLine(['email', 'origin', 'source_id', 'created_at']))
  for (let after: string | null = null, hasMore = true; hasMore && isRead; ) {
    const page: Awaited<ReturnType<typeof suppressions.list>> = await suppressions.list(teamId, origin, {
      limit: ROWS_PER_QUERY,
      after,
      before: null,
    })
    const lines = page.rows.map((row) => csvLine([row.email, row.origin, row.sourceId ?? '', toTimestamp(row.createdAt)]))
    isRead = lines.length === 0 || (await write(lines.join('')))
    after = page.rows.at(-1)?.id ?? null
    hasMore = page.hasMore
  }
}

/** What the operating system says of a path, such as ENOENT. */
const isUnreadable = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && ['open', 'read'].includes(String(error.syscall))
