// docs/console-moves.md says where each page and form of the former console is now: each is tried by a test that exists, or was given up for a reason.
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Row = { former: string; now: string; test: string }

const rows = readFileSync('docs/console-moves.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Former|-{3,}) /.test(line))
  .map((line): Row => {
    const [, former = '', now = '', test = ''] = line.split('|').map((cell) => cell.trim())
    return { former, now, test }
  })

/** Null if all is well. */
function faultOf({ test }: Row): string | null {
  if (/^Given up, because \w/.test(test)) return null
  const [, path = '', name = ''] = /^`(test\/[\w./-]+\.test\.ts)`: (.+)$/.exec(test) ?? []
  if (path === '') return 'names no test, and is not given up'
  if (!existsSync(path)) return `${path} does not exist`
  return readFileSync(path, 'utf8').includes(`it('${name}'`) ? null : `${path} has no test "${name}"`
}

it('names a test that exists for each page and form of the former console, or why it was given up', () => {
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.flatMap((row) => (faultOf(row) === null ? [] : [`${row.former}: ${faultOf(row)}`]))).toEqual([])
  // What is not given up has a place.
  expect(rows.filter(({ now, test }) => now === 'nowhere' && !test.startsWith('Given up'))).toEqual([])
})
