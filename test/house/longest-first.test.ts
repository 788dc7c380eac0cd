import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { LONGEST_FILES, rankOf } from '../support/longest-first.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

it('the files that begin first exist, and come before all others', () => {
  expect(LONGEST_FILES.filter((name) => !existsSync(pathOf(name)))).toEqual([])
  const ranks = [...LONGEST_FILES, 'house/longest-first.test.ts'].map((name) => rankOf({ moduleId: pathOf(name) }))
  expect(ranks).toEqual(ranks.map((_, place) => place))
})
