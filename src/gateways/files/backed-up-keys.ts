// The wrapped keys in a backup, to try a secret key before anything is restored.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type ExistingBackup, tableFile } from './existing-backup.ts'

const COLUMNS = ['purpose', 'version', 'wrapped'] as const

/** Reads the table `data_keys` in the text format of COPY: tabs separate the columns, and bytes are `\\x` and hexadecimal digits. */
export async function dataKeysOf({
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
