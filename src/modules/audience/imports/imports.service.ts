// Accepts a stored file of contacts: checks its first line, and leaves the rest to a worker. Also ends imports.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { createCsvFileReader } from '../../../lib/csv/csv-files.ts'
import { DELIMITERS, type Delimiter } from '../../../lib/csv/csv-rows.ts'
import { createTextDecoder, type TextEncoding } from '../../../lib/csv/text-encoding.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { explainProblem, isProblem, problem } from '../../../lib/problem.ts'
import { isVisible, plainLine, storableText } from '../../../lib/text.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import { withinStorage } from '../../limits/team-storage.service.ts'
import type { AudienceContext } from '../audience.context.ts'
import { idsOfSegments, referenceSentence } from '../audience-fields.ts'
import { PROPERTIES_MAX, PROPERTY_KEY_LENGTH_MAX } from '../properties/properties.schema.ts'
import { propertyKeyProblem } from '../properties/property-values.ts'
import { type ColumnMap, contactColumns, type KnownProperty } from './contact-columns.ts'
import type { ImportOutcome, ImportProblem } from './imports.repository.ts'
import { type ContactImportCreate, FILE_NAME_LENGTH_MAX } from './imports.schema.ts'

type Context = PlatformContext & LimitsContext & AudienceContext

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'clock' | 'quotas'>

export type ImportFile = { blobKey: string; name: string | null; bytes: number; encoding: TextEncoding }

const HEADER_BYTES_MAX = 64 * 1024

/**
 * @throws Failure about the first problem. Nothing is stored then, and the file is removed. If the outcome of the commit is unknown, the file stays,
 *   and the sweep of blobs decides.
 */
export async function createContactImport(
  context: Dependencies,
  teamId: string,
  { file, input }: { file: ImportFile; input: ContactImportCreate },
): Promise<{ id: string }> {
  return acceptContactImport(context, teamId, { id: createId(context.clock), file, input }).catch(async (error) => {
    if (error instanceof Failure) await context.gateways.blobs.discard([file.blobKey])
    throw error
  })
}

/** @throws Failure about the first problem. Nothing is stored then, and the file stays, so that another answer can be given for it. */
export async function acceptContactImport(
  { repositories, gateways, quotas }: Dependencies,
  teamId: string,
  { id, file, input }: { id: string; file: ImportFile; input: ContactImportCreate },
): Promise<{ id: string }> {
  const map = input.column_map ?? {}
  const topics = input.topics ?? []
  refuseKeys(Object.keys(map.properties ?? {}))
  const { delimiter, columns } = chooseColumns(await readHeaders(gateways, file), map, await repositories.contactProperties.all(teamId))
  if (isProblem(columns)) throw invalid(explainProblem('file', columns))
  const created = await withinStorage({ repositories, quotas }, { teamId, bytes: file.bytes }, () =>
    repositories.contactImports.create(
      teamId,
      {
        id,
        blobKey: file.blobKey,
        fileName: file.name === null ? null : shownFileName(file.name),
        size: file.bytes,
        encoding: file.encoding,
        delimiter,
        columns,
        onConflict: input.on_conflict ?? 'upsert',
        segmentIds: idsOfSegments(input.segments ?? []),
        topics,
      },
      PROPERTIES_MAX,
    ),
  )
  if ('problem' in created) throw invalid(problemSentence(created))
  return created
}

/** One line that can be seen; null if there is nothing to see. */
function shownFileName(given: string): string | null {
  const name = storableText(plainLine(given), FILE_NAME_LENGTH_MAX)
  return isVisible(name) && name !== NAME_OF_NO_FILE ? name : null
}

/** What `FormData` calls a file for which no name was given. */
const NAME_OF_NO_FILE = 'blob'

/** The first line as each delimiter splits it, the most columns first. */
async function readHeaders(gateways: Dependencies['gateways'], file: ImportFile): Promise<Header[]> {
  if (file.bytes === 0) throw invalid(EMPTY)
  return parseHeaders(await readStart(gateways, file), file.bytes > HEADER_BYTES_MAX)
}

function problemSentence(found: ImportProblem): string {
  if (found.problem === 'too many properties')
    return `The \`column_map.properties\` field names more new properties than a team can have: at most ${PROPERTIES_MAX} in all. Name fewer, or delete others first.`
  if (found.problem === 'property of another type')
    return `The \`column_map.properties.${found.key}.type\` field is not the type of this property. Give its type, or none.`
  return referenceSentence(found)
}

async function readStart(gateways: Dependencies['gateways'], { blobKey, encoding, bytes: size }: ImportFile): Promise<string> {
  const stream = await gateways.blobs.open(blobKey)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= HEADER_BYTES_MAX) break
  }
  const decoder = createTextDecoder(encoding)
  const start = decoder.push(Buffer.concat(chunks).subarray(0, HEADER_BYTES_MAX))
  return size > HEADER_BYTES_MAX ? start : start + decoder.end()
}

type Header = { delimiter: Delimiter; names: string[] }

function parseHeaders(start: string, hasMore: boolean): Header[] {
  const headers: Header[] = []
  let broken: string | null = null
  for (const delimiter of DELIMITERS) {
    const reader = createCsvFileReader(delimiter)
    const [first] = [...reader.push(start), ...(hasMore ? [] : reader.end())]
    if (first && 'problem' in first) broken ??= first.problem
    else if (first) headers.push({ delimiter, names: first.cells })
  }
  if (headers.length > 0) return headers.sort((a, b) => b.names.length - a.names.length)
  if (broken !== null) throw invalid(`The \`file\` field has a header line that cannot be read. ${broken}`)
  throw invalid(hasMore ? TOO_LONG : EMPTY)
}

/** A name may contain another delimiter. The first split that makes sense counts, or else the one with the most columns. */
function chooseColumns(headers: Header[], map: ColumnMap, properties: KnownProperty[]) {
  const choices = headers.map(({ delimiter, names }) => ({ delimiter, columns: contactColumns(names, map, properties) }))
  const choice = choices.find(({ columns }) => !isProblem(columns)) ?? choices[0]
  if (!choice) throw invalid(EMPTY)
  return choice
}

function refuseKeys(keys: string[]): void {
  for (const key of keys) {
    const wrong = key.length > PROPERTY_KEY_LENGTH_MAX ? TOO_LONG_A_KEY : propertyKeyProblem(key)
    if (wrong) throw invalid(explainProblem(`column_map.properties.${key.slice(0, PROPERTY_KEY_LENGTH_MAX).toWellFormed()}`, wrong))
  }
}

const EMPTY = 'The `file` field is empty: it must have a header line with a column `email`.'
const TOO_LONG = `The \`file\` field has a first line of more than ${HEADER_BYTES_MAX / 1024} KB: it must be a header line.`
const TOO_LONG_A_KEY = problem(`has a key of more than ${PROPERTY_KEY_LENGTH_MAX} characters`)

export type ImportKey = { teamId: string; importId: string }

/** What was committed stays. The file is removed, because it holds personal data. False if the import had ended before. */
export async function endImport(
  { repositories, gateways, log }: Pick<PlatformContext & AudienceContext, 'repositories' | 'gateways' | 'log'>,
  { teamId, importId }: ImportKey,
  outcome: ImportOutcome,
): Promise<boolean> {
  const ended = await repositories.contactImports.end(teamId, importId, outcome)
  if (!ended) return false
  log.info({ importId, teamId, outcome: outcome.status }, 'import ended')
  // An import that has ended is not tried again. If the file stays, the sweep of blobs removes it.
  if (ended.blobKey !== null)
    await gateways.blobs.remove(ended.blobKey).catch((error) => log.warn({ err: error, importId }, 'file of an import not removed'))
  return true
}
