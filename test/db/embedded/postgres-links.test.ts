import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeMissingLinks } from '../../../src/db/embedded/postgres-links.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'posthaste-test-links-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('the links of the embedded PostgreSQL', () => {
  it('are made if the install scripts of npm did not run, and stay as they are otherwise', () => {
    const folder = packageFolder([{ source: 'native/lib/libicu.so.60.2', target: 'native/lib/libicu.so.60' }])

    makeMissingLinks(folder)
    makeMissingLinks(folder)

    expect(readlinkSync(join(folder, 'native/lib/libicu.so.60'))).toBe('libicu.so.60.2')
    expect(readFileSync(join(folder, 'native/lib/libicu.so.60'), 'utf8')).toBe('library')
  })

  it('are made in the folder of the package alone', () => {
    const folder = packageFolder([{ source: 'native/lib/libicu.so.60.2', target: '../outside.so' }])

    makeMissingLinks(folder)

    expect(existsSync(join(folder, '../outside.so'))).toBe(false)
  })

  it('that cannot be made are named, with the command that makes them', () => {
    const folder = packageFolder([{ source: 'native/lib/libicu.so.60.2', target: 'native/missing/libicu.so.60' }])

    expect(() => makeMissingLinks(folder)).toThrow(/native\/missing\/libicu\.so\.60.*run npm rebuild/)
  })
})

function packageFolder(links: { source: string; target: string }[]): string {
  const folder = join(root, 'package')
  mkdirSync(join(folder, 'native/lib'), { recursive: true })
  writeFileSync(join(folder, 'native/lib/libicu.so.60.2'), 'library')
  writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))
  return folder
}
