// The committed OpenAPI document: generated from the schemas, never written by hand, and compared in every check.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { describeApi } from './compose.ts'
import { Failure } from './lib/failure.ts'

const folder = fileURLToPath(new URL('../openapi/', import.meta.url))

async function generate(): Promise<Map<string, string>> {
  const document = await describeApi()
  return new Map([
    [`${folder}openapi.json`, `${JSON.stringify(document, null, 2)}\n`],
    [`${folder}openapi.yaml`, stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })],
  ])
}

export async function writeOpenapi(): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [path, text] of await generate()) await writeFile(path, text)
}

export async function checkOpenapi(): Promise<void> {
  for (const [path, text] of await generate()) {
    const committed = await readFile(path, 'utf8').catch(() => '')
    if (committed !== text)
      throw new Failure('validation', `${path} differs from the schemas: run \`npm run openapi\` and commit the result.`)
  }
}
