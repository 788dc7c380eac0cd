import { open } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { toTimestamp } from '../lib/clock.ts'
import { csvLine } from '../lib/csv/csv-files.ts'
import { createEncodingGuess, createTextDecoder, type EncodingGuess, type TextEncoding } from '../lib/csv/text-encoding.ts'
import { Failure, invalid } from '../lib/failure.ts'
import { quotedValue } from '../lib/problem.ts'
import { contactReference } from '../mail/address-forms.ts'
import { type FileOptions, suppressibleAddress } from '../modules/suppressions/suppression-files.ts'
import { toSuppressionSummary } from '../modules/suppressions/suppressions.routes.ts'
import { SUPPRESSION_ORIGINS, type SuppressionOrigin } from '../modules/suppressions/suppressions.schema.ts'
import { addSuppressions, type ImportedSuppressions, importSuppressions } from '../modules/suppressions/suppressions.service.ts'
import type { Repositories } from '../repositories.ts'
import { findTeam, withRepositories } from './database.ts'
import { counted, formatTime, grouped, type JsonOption, jsonOption, print, printJson, printTable, say, write } from './output.ts'

/** What is looked at to find the encoding of an input that can be read only once. */
const LOOKED_AT_BYTES_MAX = 4 * 1024 * 1024

/** `pieces` is the text, piece by piece. */
export type TextInput = { encoding: TextEncoding; pieces: AsyncIterable<string> }

/**
 * Finds the encoding of a file and opens it; `-` is standard input.
 * @throws Failure if it is no text
 */
export async function openText(path: string): Promise<TextInput> {
  const guess = createEncodingGuess(path === '-' ? 'The standard input' : `The file "${path}"`)
  if (path === '-') return openStream(process.stdin, guess)
  const file = await open(path)
  try {
    if (!(await file.stat()).isFile()) return await openStream(file.createReadStream(), guess)
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) guess.see(chunk)
    const encoding = guess.encoding()
    return { encoding, pieces: decoded(file.createReadStream({ start: 0 }), encoding) }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** What arrives after the bytes that are looked at cannot change the encoding. */
async function openStream(source: AsyncIterable<Buffer>, guess: EncodingGuess): Promise<TextInput> {
  const chunks = source[Symbol.asyncIterator]()
  const seen: Buffer[] = []
  for (let bytes = 0; bytes < LOOKED_AT_BYTES_MAX; ) {
    const next = await chunks.next()
    if (next.done) break
    guess.see(next.value)
    bytes += next.value.length
    seen.push(next.value)
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* seen
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  const encoding = guess.encoding()
  return { encoding, pieces: decoded(all(), encoding) }
}

async function* decoded(chunks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = createTextDecoder(encoding)
  for await (const chunk of chunks) yield decoder.push(chunk)
  yield decoder.end()
}

// Suppressions as files, of any length: they are read, written and kept in the database piece by piece.

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
    if (encoding !== 'utf-8') say(`The file is read in the encoding ${encoding}.`)
    return importSuppressions(repositories, teamId, pieces, {
      ...options,
      simulatorDomains,
      howToName: NAME_COLUMN,
      onSource: (source) => say(`The file is read as the ${source}, because it has its columns.`),
      onRefused,
    })
  }
  const counts = await read().catch((error) => {
    throw isUnreadable(error) ? new Failure('notFound', `The file "${path}" cannot be read: ${error.message}`) : error
  })
  if (shown > REFUSALS_SHOWN_MAX) say(`and ${grouped(shown - REFUSALS_SHOWN_MAX)} more lines that were refused.`)
  print(importSummary(counts))
  // As for `suppressions remove`: the others are done, but not all that was asked for.
  if (counts.refused > 0) process.exitCode = 1
}

const importSummary = ({ added, existing, refused }: ImportedSuppressions): string =>
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

type TeamOption = { team?: string }
type ListOptions = TeamOption & JsonOption & { origin?: SuppressionOrigin; limit: number }

/** Shown at once, by default and at most: more is for a file. */
const LINES = 100
const LINES_MAX = 1_000

const TEAM_WORDS = 'id of the team; not needed when there is only one'

export function suppressionCommands(): Command {
  const team = () => new Option('--team <id>', TEAM_WORDS)
  const suppressions = new Command('suppressions').description('Addresses that get no mail from a team: list, add, remove, import, export.')
  suppressions
    .command('list')
    .description('List the addresses that were suppressed last.')
    .addOption(team())
    .addOption(new Option('--origin <origin>', 'only those of this origin').choices(SUPPRESSION_ORIGINS))
    .addOption(new Option('--limit <number>', 'how many').default(LINES).argParser(parseLimit))
    .addOption(jsonOption())
    .action((options: ListOptions) => withRepositories((repositories) => list(repositories, options)))
  suppressions
    .command('add')
    .description('Suppress addresses.')
    .argument('<address...>', 'email addresses')
    .addOption(team())
    .action((addresses: string[], { team }: TeamOption) =>
      withRepositories(async (repositories, config) => {
        refuseWrongAddress(addresses, config)
        const named = addresses.map((text) => ({ field: 'address', text }))
        await addSuppressions({ repositories, config }, await findTeam(repositories, team), named)
        for (const address of addresses) print(`${address} is suppressed.`)
      }),
    )
  suppressions
    .command('remove')
    .description('Let addresses get mail again, until the next bounce or complaint.')
    .argument('<address...>', 'email addresses, or ids of suppressions')
    .addOption(team())
    .action((addresses: string[], { team }: TeamOption) => withRepositories((repositories) => remove(repositories, addresses, team)))
  suppressions.addCommand(suppressionImport('import'))
  suppressions
    .command('export')
    .description('Print all suppressions as CSV, newest first.')
    .addOption(team())
    .addOption(new Option('--origin <origin>', 'only those of this origin').choices(SUPPRESSION_ORIGINS))
    .action(({ team, origin }: TeamOption & { origin?: SuppressionOrigin }) =>
      withRepositories(async (repositories) => exportSuppressions(repositories, await findTeam(repositories, team), origin ?? null)),
    )
  return suppressions
}

/** @param name `suppressions import`, as what a team has, and `import suppressions`, as what it brings. */
export const suppressionImport = (name: string): Command =>
  new Command(name)
    .description('Suppress the addresses in a CSV file. It may be interrupted and repeated: what is on the list stays as it is.')
    .argument('<file>', 'path of the file; - reads standard input')
    .option('--team <id>', TEAM_WORDS)
    .option('--column <name>', 'column with the addresses, or its place from 1; not needed for files that are recognized')
    .addOption(new Option('--origin <origin>', 'the origin of rows that name none').choices(SUPPRESSION_ORIGINS))
    .addHelpText('after', FILE_WORDS)
    .action((path: string, { team, ...options }: TeamOption & SuppressionFileOptions) =>
      withRepositories(async (repositories, config) =>
        importSuppressionFile(repositories, config, { teamId: await findTeam(repositories, team), path, ...options }),
      ),
    )

const FILE_WORDS = `
The lists of Amazon SES, SendGrid, Mailgun and Postmark are recognized by their first line, which names the columns, and their reasons become \`bounce\`,
\`complaint\` or \`manual\`; unsubscribes become \`manual\` too. In other files the first line names a column \`email\`, and \`origin\` if there is
one. Other columns are not read. A file without such a line has one address on each line. \`suppressions export\` writes such a file.`

/** Before anything is added; in words for arguments, which are no fields. */
function refuseWrongAddress(addresses: string[], { simulatorDomains }: Config): void {
  for (const text of addresses) {
    const email = suppressibleAddress(text, simulatorDomains)
    if (typeof email !== 'string') throw invalid(`The address ${email.problem}.${quotedValue(text)}`)
  }
}

async function list(repositories: Repositories, { team, origin, limit, json }: ListOptions): Promise<void> {
  const teamId = await findTeam(repositories, team)
  const { rows, hasMore } = await repositories.suppressions.list(teamId, origin ?? null, { limit, after: null, before: null })
  if (json) return printJson(rows.map(toSuppressionSummary))
  if (rows.length === 0)
    return say(`This team has ${origin === undefined ? 'no suppression' : `no suppression with the origin ${origin}`}.`)
  printTable(
    ['ADDRESS', 'ORIGIN', 'SINCE', 'EMAIL'],
    rows.map(({ email, origin, createdAt, sourceId, softBounces }) => [
      ...[email, softBounces === null ? origin : `${origin} (soft)`, formatTime(createdAt)],
      sourceId ?? '',
    ]),
  )
  if (hasMore) say(`These are the newest ${grouped(limit)}; \`suppressions export\` prints all.`)
}

async function remove(repositories: Repositories, texts: string[], team: string | undefined): Promise<void> {
  const teamId = await findTeam(repositories, team)
  const missing: string[] = []
  for (const text of texts) {
    const reference = contactReference(text)
    const removed = reference && (await repositories.suppressions.deleteSuppression(teamId, reference))
    if (removed) print(`${removed.email} is no longer suppressed.`)
    else missing.push(text)
  }
  if (missing.length > 0) throw new Failure('notFound', `Not on the suppression list of this team: ${missing.join(', ')}.`)
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > LINES_MAX)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LINES_MAX}.`)
  return limit
}
