import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { LONGEST_FILES, longestFirst } from '../support/longest-first.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

it('the files that begin first exist', () => {
  expect(LONGEST_FILES.filter((name) => !existsSync(pathOf(name)))).toEqual([])
})

it('the longest files begin first, and the files of other projects come after all files of theirs', () => {
  const [longest = '', second = ''] = LONGEST_FILES
  const quick = { project: 'quick', moduleId: pathOf('lib/ids.test.ts') }
  const short = { project: 'slow', moduleId: pathOf('house/longest-first.test.ts') }
  const long = [longest, second].map((name) => ({ project: 'slow', moduleId: pathOf(name) }))
  expect(longestFirst([quick, short, ...long.toReversed()])).toEqual([...long, short, quick])
})
