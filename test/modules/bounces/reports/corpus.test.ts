import { describe, expect, it } from 'vitest'
import { readReport } from '../../../../src/modules/bounces/reports/report.ts'
import { forEvery } from '../../../support/for-every.ts'
import { inWords, specimens } from './corpus.ts'

async function* bytesOf(raw: string) {
  yield Buffer.from(raw.replace(/\r?\n/g, '\r\n'))
}

describe('the corpus', () => {
  it('has hundreds of messages of many dialects', () => {
    expect(specimens().length).toBeGreaterThan(350)
    expect(new Set(specimens().map(({ dialect }) => dialect)).size).toBeGreaterThan(150)
  })

  it('is read, each message as it says', () =>
    forEvery(
      specimens(),
      async ({ raw, expected }) => expect(inWords(await readReport(bytesOf(raw)))).toBe(expected),
      ({ name }) => name,
    ))
})
