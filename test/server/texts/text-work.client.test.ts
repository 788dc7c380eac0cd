import { afterEach, describe, expect, it } from 'vitest'
import type { TextTask } from '../../../src/mail/text-tasks.ts'
import { doTextTask } from '../../../src/server/texts/text-tasks.ts'
import { type ClosableTextWork, createTextWork } from '../../../src/server/texts/text-work.ts'

const ILL_BEHAVED = new URL('../../support/processes/text-thread-process.ts', import.meta.url)
const DEADLINE_MS = 200

let work: ClosableTextWork
afterEach(() => work.close())

/** A thread hands on the bytes of a buffer. */
const plain = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'content' in result && result.content instanceof Uint8Array
    ? { ...result, content: Buffer.from(result.content).toString() }
    : result

const read = (teamId: string, html: string, options = {}) => work.do(teamId, { kind: 'textFromHtml', html }, options)

describe('work on long texts', () => {
  it('comes to the same in a thread', async () => {
    work = createTextWork()
    const html = '<h1>Hello</h1><p>Read <a href="https://example.com">this</a> <img src="cid:a"><img src="https://example.com/a.png">.</p>'
    const tasks: TextTask[] = [
      { kind: 'textFromHtml', html },
      { kind: 'containedHtml', html, addresses: new Map([['a', '/images/a']]) },
      { kind: 'mentionsRemoteImages', html },
      { kind: 'encodedText', text: html.repeat(1_000) },
      { kind: 'encodedText', text: '東京\n'.repeat(1_000) },
      { kind: 'quotedPrintableText', text: html },
    ]
    for (const task of tasks) {
      const here = await doTextTask(task)
      expect(plain(await work.do('a team', task))).toEqual(plain('done' in here ? here.done : here))
    }
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
