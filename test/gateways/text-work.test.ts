import { afterEach, describe, expect, it } from 'vitest'
import { createTextWork, type TextWork } from '../../src/gateways/text-work.ts'
import { textFromHtml } from '../../src/mail/html/text-from-html.ts'

const ILL_BEHAVED = new URL('../support/processes/text-thread-process.ts', import.meta.url)
const DEADLINE_MS = 200

let work: TextWork
afterEach(() => work.close())

const read = (teamId: string, html: string, options = {}) => work.do(teamId, { kind: 'textFromHtml', html }, options)

describe('work on long texts', () => {
  it('comes to the same in a thread', async () => {
    work = createTextWork()
    const html = '<h1>Hello</h1><p>Read <a href="https://example.com">this</a>.</p>'
    expect(await read('a team', html)).toBe(textFromHtml(html))
  })

  it('for one team leaves room for that of another, however much the first asks for', async () => {
    work = createTextWork({ file: ILL_BEHAVED, deadlineMs: 60_000 })
    const busy = ['waits', 'one', 'two', 'three'].map((html) => read('busy', html).catch((error) => String(error)))
    expect(await read('other', 'its text')).toBe('read its text')
    await work.close()
    expect(await Promise.all(busy)).toHaveLength(4)
  })

  it.each([
    ['never ends', 'outlasts its deadline'],
    ['dies', 'ends the thread'],
  ])('that %s is refused if a request gave it, and tried again if not', async (html) => {
    work = createTextWork({ file: ILL_BEHAVED, deadlineMs: DEADLINE_MS })
    await expect(read('a team', html, { isOfRequest: true })).rejects.toMatchObject({ kind: 'validation', message: /10 seconds/ })
    await expect(read('a team', html)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await read('a team', 'the next')).toBe('read the next')
  })

  it('ends with the service', async () => {
    work = createTextWork({ file: ILL_BEHAVED, deadlineMs: 60_000 })
    const reading = read('a team', 'never ends').catch((error) => String(error))
    const waiting = read('a team', 'waits for it').catch((error) => String(error))
    await work.close()
    expect(await reading).toMatch(/ended/)
    expect(await waiting).toMatch(/later/)
  })
})
