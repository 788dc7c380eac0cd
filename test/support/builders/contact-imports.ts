// The files in a folder of blobs, whole or half-written: all but the mark that says whose they are.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { STORE_MARK } from '../../../src/io/blobs/store-mark.ts'
import { importContacts } from '../../../src/modules/audience/imports/imports.worker.ts'
import { startWorker, type Worker } from '../../../src/server/worker.ts'
import { until } from '../clocks/until.ts'
import type { Answer, TestService } from '../servers/service.ts'

export async function storedFilesIn(blobFolder: string): Promise<{ name: string; path: string }[]> {
  const entries = await readdir(blobFolder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name !== STORE_MARK)
    .map(({ parentPath, name }) => ({ name, path: join(parentPath, name) }))
}

// Imports for tests: sent as a form, and read by a worker until the import has ended.

export type ImportForm = { file?: string | Uint8Array<ArrayBuffer>; fileName?: string; [part: string]: unknown }

/** Parts that are not text are sent as JSON. `fileName`: that of the file. */
export async function sendImport(service: TestService, { fileName, ...form }: ImportForm, token = service.token): Promise<Answer> {
  const body = new FormData()
  for (const [name, value] of Object.entries(form)) {
    if (name === 'file' && value !== undefined) body.append('file', new Blob([value as string]), fileName)
    else if (value !== undefined) body.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const response = await fetch(`${service.url}/contacts/imports`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

export type ImportRecord = {
  object: string
  id: string
  status: string
  created_at: string
  completed_at: string | null
  counts: Record<'total' | 'created' | 'updated' | 'skipped' | 'failed', number>
  encoding: string
  ignored_columns: string[]
  reason: string | null
  report_url: string | null
  file_name: string | null
}

export async function readImport(service: TestService, id: string): Promise<ImportRecord> {
  const { body } = await service.call('GET', `/contacts/imports/${id}`)
  return body as ImportRecord
}

export const startImporting = ({ service, database }: TestService): Worker =>
  startWorker(service.context, { pool: database.pool, maintainPartitions: async () => {} })

/** One try to read an import, without a worker. */
export const tryImport = (service: TestService, importId: string, task: Partial<Parameters<typeof importContacts>[1]> = {}) =>
  importContacts(service.service.context, {
    teamId: service.teamId,
    importId,
    attempt: 1,
    isLastTry: false,
    signal: new AbortController().signal,
    ...task,
  })

/** Sends a file, and reads it in one try. */
export async function importAtOnce(service: TestService, form: ImportForm): Promise<ImportRecord> {
  const { status, body } = await sendImport(service, form)
  if (status !== 201) throw new Error(`The file was not taken: ${JSON.stringify(body)}`)
  const { id } = body as { id: string }
  await tryImport(service, id)
  return readImport(service, id)
}

export async function untilEnded(service: TestService, id: string): Promise<ImportRecord> {
  return until(async () => {
    const found = await readImport(service, id)
    if (found.status !== 'completed' && found.status !== 'failed') throw new Error(`The import is ${found.status}`)
    return found
  })
}

export async function importFile(service: TestService, form: ImportForm): Promise<ImportRecord> {
  const { status, body } = await sendImport(service, form)
  if (status !== 201) throw new Error(`The file was not taken: ${JSON.stringify(body)}`)
  return untilEnded(service, (body as { id: string }).id)
}

/** The lines of the report without its header. */
/** The line and the reason of each row, as they stand in the file, without what the row said. */
export async function readReport(service: TestService, { report_url: url }: ImportRecord): Promise<string[]> {
  const { text } = await service.call('GET', new URL(url ?? '').pathname, { token: null })
  return [...text.matchAll(LINE)].map(([, line, reason]) => `${line},${reason}`).slice(1)
}
const LINE = /^("(?:[^"]|"")*"|[^,\r\n]*),("(?:[^"]|"")*"|[^,\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^,\r\n]*))*\r\n/gm

export async function storedFiles({ config }: TestService): Promise<string[]> {
  return (await storedFilesIn(config.blobFolder)).map(({ name }) => name)
}
