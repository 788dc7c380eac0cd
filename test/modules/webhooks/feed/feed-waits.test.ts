import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFeedWaits } from '../../../../src/modules/webhooks/feed/feed-positions.ts'

const EVERY_MS = 500
const forever = { msMax: 25_000, gone: new AbortController().signal }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Waits whose places have news once they are in `news`, and what was asked of them. */
function createWaits(waitingMax = { perTeam: 10, inAll: 20 }) {
  const news = new Set<string>()
  const questions: string[][] = []
  const waits = createFeedWaits<string>({
    everyMs: EVERY_MS,
    waitingMax,
    async findNews(places) {
      questions.push(places)
      return places.map((place) => news.has(place))
    },
  })
  return { waits, news, questions }
}

it('asks about all readers at once, and only while someone waits', async () => {
  const { waits, news, questions } = createWaits()
  const all = ['a', 'b', 'c'].map((place) => waits.wait('team', place, forever))
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  news.add('a').add('b').add('c')
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(await Promise.all(all)).toEqual([true, true, true])
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS)
  expect(questions).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ])
})

it('answers those who have news, and lets the others wait until their time', async () => {
  const { waits, news } = createWaits()
  news.add('a')
  const answered: string[] = []
  for (const place of ['a', 'b']) void waits.wait('team', place, forever).then(() => answered.push(place))
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(answered).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(forever.msMax)
  expect(answered).toEqual(['a', 'b'])
})

it('asks again after a question that failed', async () => {
  let isFailing = true
  const waits = createFeedWaits<string>({
    everyMs: EVERY_MS,
    waitingMax: { perTeam: 1, inAll: 1 },
    findNews: async (places) => {
      if (isFailing) throw new Error('The database is away')
      return places.map(() => true)
    },
  })
  const waiting = waits.wait('team', 'a', forever)
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  isFailing = false
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(await waiting).toBe(true)
})

it('lets so many wait, of a team and in all: refuses those of the team, and answers others at once', async () => {
  const { waits } = createWaits({ perTeam: 1, inAll: 2 })
  const going = new AbortController()
  const first = waits.wait('one', 'a', { ...forever, gone: going.signal })
  expect(await waits.wait('one', 'a', forever)).toBe(false)
  const second = waits.wait('two', 'a', forever)
  expect(await waits.wait('three', 'a', forever)).toBe(true)
  going.abort()
  expect(await first).toBe(true)
  const third = waits.wait('three', 'a', forever)
  waits.end()
  expect(await Promise.all([second, third, waits.wait('four', 'a', forever)])).toEqual([true, true, true])
})
