import { expect, it } from 'vitest'
import { type ContentSource, createReadContents, readContent } from '../../../src/mail/rendering/rendering.ts'

const source = (text: string): ContentSource => ({ subject: '{{{A}}}', html: '<p>{{{B}}}</p>', text, previewText: null })

it('reads each part as what it is', async () => {
  const { subject, html, text, previewText } = await readContent(source('{{{C}}}'))
  expect([subject?.names, html?.names, text?.names, previewText]).toEqual([['A'], ['B'], ['C'], null])
  expect([subject, text].map((part) => part?.parts[0])).toMatchObject([{ place: { kind: 'line' } }, { place: { kind: 'text' } }])
})

const version = (text: string) => ({ source: source(text), about: text.length })

it('reads a version once, also for requests that come together', async () => {
  const contents = createReadContents<number>()
  let loaded = 0
  const load = async () => {
    loaded += 1
    return version('x')
  }
  const [one, two] = await Promise.all([contents('v1', load), contents('v1', load)])
  expect(one?.about).toBe(1)
  expect(one).toBe(two)
  expect(await contents('v1', load)).toBe(one)
  expect(loaded).toBe(1)
})

it('asks again for a version that there was not, or that could not be loaded', async () => {
  const contents = createReadContents()
  expect(await contents('v1', async () => null)).toBeNull()
  await expect(contents('v1', async () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  expect(await contents('v1', async () => version('x'))).toMatchObject({ about: 1 })
})

it('keeps so many characters, and forgets what was not used for the longest time', async () => {
  const contents = createReadContents(25_000)
  const loads: string[] = []
  const read = (id: string, length: number) =>
    contents(id, async () => {
      loads.push(id)
      return version('x'.repeat(length))
    })
  await read('a', 10_000)
  await read('b', 10_000)
  await read('a', 10_000)
  await read('c', 10_000)
  await read('a', 10_000)
  await read('b', 10_000)
  await read('too long', 100_000)
  await read('too long', 100_000)
  expect(loads).toEqual(['a', 'b', 'c', 'b', 'too long', 'too long'])
})
