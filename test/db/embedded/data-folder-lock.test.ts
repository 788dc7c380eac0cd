import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DataFolderInUse, lockDataFolder } from '../../../src/db/embedded/data-folder-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modes = () => Object.fromEntries(readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]))
const CLOSED = { 'postgres.lock': '600', 'postgres.owner': '600' }

// Anyone who can open the file can hold its lock, and so keep the service from starting.
describe('the lock of a data folder', () => {
  it('is a file that its owner alone may open', () => {
    lockDataFolder(folder).release()
    expect(modes()).toEqual(CLOSED)
  })

  it('is closed to others where an older version has left it open', () => {
    writeFileSync(join(folder, 'postgres.lock'), '')
    chmodSync(join(folder, 'postgres.lock'), 0o644)
    lockDataFolder(folder).release()
    expect(modes()).toEqual(CLOSED)
  })

  it('stays held when the same process asks for it again', () => {
    const lock = lockDataFolder(folder)
    expect(() => lockDataFolder(folder)).toThrow(DataFolderInUse)
    expect(() => lockDataFolder(folder)).toThrow(DataFolderInUse)
    lock.release()
    lockDataFolder(folder).release()
  })
})
