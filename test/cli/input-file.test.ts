import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openText } from '../../src/cli/suppressions.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'input-file-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const LONG = 'a@example.com\n'.repeat(400_000)

it.each([
  ['short', 'utf-8', Buffer.from('zoë@example.com\n'), 'zoë@example.com\n'],
  ['short, in windows-1252', 'windows-1252', Buffer.from('zoë@example.com\n', 'latin1'), 'zoë@example.com\n'],
  ['longer than what is looked at', 'utf-8', Buffer.from(`${LONG}zoë@example.com\n`), `${LONG}zoë@example.com\n`],
])('a pipe, which can be read only once, is decoded as a whole: %s', async (_what, encoding, bytes, text) => {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const writing = writeFile(path, bytes)
  const input = await openText(path)
  expect(input.encoding).toBe(encoding)
  let read = ''
  for await (const piece of input.pieces) read += piece
  await writing
  expect(read === text).toBe(true)
})
