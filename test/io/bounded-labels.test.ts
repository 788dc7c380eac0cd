import { expect, it } from 'vitest'
import { createBoundedLabels } from '../../src/io/metrics.ts'

it('names the first values that are seen often, and calls all others one', () => {
  const label = createBoundedLabels({ labelsMax: 2, seenMin: 3 })
  expect(['a', 'b', 'a', 'a', 'b', 'a'].map(label)).toEqual(['other', 'other', 'other', 'a', 'other', 'a'])
  expect(['b', 'c', 'c', 'c', 'b'].map(label)).toEqual(['b', 'other', 'other', 'other', 'b'])
})

it('makes no more labels for any number of values', () => {
  const label = createBoundedLabels({ labelsMax: 5, seenMin: 2 })
  const labels = Array.from({ length: 30_000 }, (_, index) => label(`v${index % 15_000}`))
  expect(new Set(labels)).toEqual(new Set(['other']))
})
