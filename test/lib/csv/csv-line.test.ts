import { expect, it } from 'vitest'
import { csvLine } from '../../../src/lib/csv/csv-files.ts'

it.each([
  [['1', 'plain'], '1,plain\r\n'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
  [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx\r\n"],
])('writes %j so that no spreadsheet runs it', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})
