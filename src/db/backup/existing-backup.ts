// A backup that is there: its manifest, and whether every file is what that says.

import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Digest, digestOfFile } from '../../io/files/digested-files.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { createReader } from '../../lib/validation/body-validator.ts'
import { BLOB_LIST, checkBlobs } from './backed-up-blobs.ts'
import { BACKUP_FORMAT, BackupManifest, type BackupTable } from './backup-tables.ts'

export const MANIFEST = 'manifest.json'
/** A file in the form of `sha256sum`. */
export const MANIFEST_DIGEST = 'manifest.json.sha256'
export const SECRET_KEY_FILE = 'secrets/secret-key'
/** What the manifest says of all files but the blobs, in the form of `sha256sum`, so that a backup can be checked without Posthaste. */
export const FILE_LIST = 'files.sha256'

export type ExistingBackup = { folder: string; manifest: BackupManifest /** Of the manifest, and so of everything. */; sha256: string }

/** The name of a table's file is part of the format. */
export const tableFile = ({ of, name }: Pick<BackupTable, 'of' | 'name'>): string =>
  `database/${of === 'queue' ? 'queue.' : ''}${name}.copy`

export const manifestDigestLine = ({ sha256 }: Pick<Digest, 'sha256'>): string => `${sha256}  ${MANIFEST}\n`

export const fileList = (manifest: ListedInManifest): string =>
  listFiles(manifest)
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('')

/** Far beyond what the manifest of a thousand tables has. */
const MANIFEST_BYTES_MAX = 16 * 1024 * 1024

/** @throws StartupProblem if there is no backup, if its manifest was changed, or if a newer version made it. */
export async function readBackup(path: string): Promise<ExistingBackup> {
  const folder = resolve(path)
  const file = join(folder, MANIFEST)
  const size = await stat(file).then(
    ({ size }) => size,
    () => null,
  )
  if (size === null) throw new StartupProblem(`${folder} is no backup, or one that was not finished: it has no ${MANIFEST}.`)
  const damaged = (reason: string) => new StartupProblem(`${file} is damaged (${reason}): use another backup. Nothing was restored.`)
  if (size > MANIFEST_BYTES_MAX) throw damaged('it is too large')
  const { sha256 } = await digestOfFile(file)
  const stated = await readFile(join(folder, MANIFEST_DIGEST), 'utf8').catch(() => null)
  if (stated !== manifestDigestLine({ sha256 }))
    throw damaged(stated === null ? `${MANIFEST_DIGEST} is missing` : `its digest is not that in ${MANIFEST_DIGEST}`)
  const manifest = parsed(await readFile(file, 'utf8'))
  if (manifest === undefined) throw damaged('it is no JSON')
  if (isNewer(manifest))
    throw new StartupProblem(
      `${folder} was made by a newer Posthaste, in a form that this version cannot read. Install that version or a later one.`,
    )
  const read = readManifest(manifest)
  if ('problem' in read) throw damaged(read.problem)
  return { folder, manifest: read.value, sha256 }
}

const readManifest = createReader(BackupManifest)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isNewer = (manifest: unknown): boolean =>
  typeof manifest === 'object' &&
  manifest !== null &&
  'format' in manifest &&
  typeof manifest.format === 'number' &&
  manifest.format > BACKUP_FORMAT

/** Reads every file. @throws StartupProblem that names the first that is missing or damaged. */
export async function checkBackup({ folder, manifest }: ExistingBackup, onChecked: (bytes: number) => void): Promise<void> {
  for (const { name, bytes, sha256 } of listFiles(manifest)) {
    const found = await digestOfFile(join(folder, name)).catch(() => null)
    if (found === null)
      throw new StartupProblem(`${join(folder, name)} is missing or cannot be read: use another backup. Nothing was restored.`)
    if (found.bytes !== bytes || found.sha256 !== sha256) throw damagedFile(folder, name)
    onChecked(bytes)
  }
  const blobs = await checkBlobs(folder, onChecked)
  if (blobs.damaged !== null) throw damagedFile(folder, blobs.damaged)
  if (blobs.count !== manifest.blobs.count || blobs.bytes !== manifest.blobs.stored_bytes) throw damagedFile(folder, BLOB_LIST)
}

type ListedInManifest = Pick<BackupManifest, 'tables' | 'blobs' | 'secret_key'>

const listFiles = (manifest: ListedInManifest): (Digest & { name: string })[] => [
  ...manifest.tables.map((table) => ({ name: tableFile(table), ...digestIn(table) })),
  { name: BLOB_LIST, ...digestIn(manifest.blobs) },
  ...(manifest.secret_key === null ? [] : [{ name: SECRET_KEY_FILE, ...digestIn(manifest.secret_key) }]),
]

const digestIn = ({ bytes, sha256 }: Digest): Digest => ({ bytes, sha256 })

const damagedFile = (folder: string, name: string): StartupProblem =>
  new StartupProblem(
    `${join(folder, name)} is missing or damaged: its content is not what the backup wrote. Use another backup. Nothing was restored.`,
  )

// The wrapped keys in a backup, to try a secret key before anything is restored.

const COLUMNS = ['purpose', 'version', 'wrapped'] as const

/** Reads the table `data_keys` in the text format of COPY: tabs separate the columns, and bytes are `\\x` and hexadecimal digits. */
export async function openDataKeys({
  folder,
  manifest,
}: Pick<ExistingBackup, 'folder' | 'manifest'>): Promise<{ purpose: string; version: number; wrapped: Buffer }[]> {
  const table = manifest.tables.find(({ of, name }) => of === 'service' && name === 'data_keys')
  if (!table) return []
  const places = COLUMNS.map((column) => table.columns.indexOf(column))
  const keys: { purpose: string; version: number; wrapped: Buffer }[] = []
  for await (const line of createInterface({ input: createReadStream(join(folder, tableFile(table))) })) {
    const values = line.split('\t')
    const [purpose = '', version = '', wrapped = ''] = places.map((place) => values[place])
    keys.push({ purpose, version: Number(version), wrapped: Buffer.from(wrapped.replace(/^\\\\x/, ''), 'hex') })
  }
  return keys
}
