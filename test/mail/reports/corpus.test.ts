import { describe, expect, it } from 'vitest'
import { readReport } from '../../../src/mail/reports/report.ts'
import { inWords, specimens } from './corpus.ts'

async function* bytesOf(raw: string) {
  yield Buffer.from(raw.replace(/\r?\n/g, '\r\n'))
}

describe('the corpus', () => {
  it.each(specimens())('$name', async ({ raw, expected }) => expect(inWords(await readReport(bytesOf(raw)))).toBe(expected))
})
