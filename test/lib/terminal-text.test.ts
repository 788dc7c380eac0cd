import { afterEach, expect, it, vi } from 'vitest'
import { print, printJson, printTable } from '../../src/cli/output.ts'
import { terminalText } from '../../src/lib/startup-problem.ts'

const NAME = 'Änne \u001b[2J\n\u009b\u202e\u2028\u200b\u{e0001} 🎉'

afterEach(() => vi.restoreAllMocks())

function printed(act: () => void): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  act()
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('')
  write.mockRestore()
  return text
}

it('leaves out what a terminal would obey, turn around or hide', () => {
  expect(terminalText(NAME)).toBe('Änne  [2J       🎉')
})

it('is how commands print lines and tables', () => {
  expect(printed(() => print(NAME))).toBe(`${terminalText(NAME)}\n`)
  expect(printed(() => printTable(['Name'], [[NAME]]))).toBe(`Name\n${terminalText(NAME)}\n`)
})

it('is written by its number in JSON, which means the same', () => {
  const text = printed(() => printJson({ name: NAME }))
  expect(JSON.parse(text)).toEqual({ name: NAME })
  expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
})
