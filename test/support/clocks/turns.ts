// The longest time of a processor that this thread spent without letting others have a turn. The time of other programs is not counted, nor that of the
// system, which grows several times on a busy virtual machine, nor that of collecting memory, which any turn may have to pay for all that were before.
import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HOSTILE_PARTS } from '../../house/hostile-parts.ts'
import { CORPUS } from '../builders/received-corpus.ts'

export const TURN_MS_MAX = 100
export const ATTEMPTS = 5

/**
 * Measures each case, and measures those that took too long four times more, after all the others: the machine may have stood still.
 *
 * @returns the cases that took too long in every attempt, with the milliseconds of each.
 */
export async function slowCases<T>(
  cases: readonly [string, T][],
  act: (value: T, name: string, attempt: number) => Promise<unknown>,
): Promise<Record<string, number[]>> {
  const slow: Record<string, number[]> = {}
  let left = cases
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stillSlow: [string, T][] = []
    for (const [name, value] of left) {
      const turns = watchTurns()
      await act(value, name, attempt)
      const longestMs = await turns.stop()
      if (longestMs <= TURN_MS_MAX) continue
      slow[name] = [...(slow[name] ?? []), Math.round(longestMs)]
      stillSlow.push([name, value])
    }
    left = stillSlow
  }
  return Object.fromEntries(left.map(([name]) => [name, slow[name] ?? []]))
}

type Turn = { startedAt: number; endedAt: number; cpuMs: number }

function watchTurns(): { /** @returns milliseconds */ stop(): Promise<number> } {
  const collections: PerformanceEntry[] = []
  const collected = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  collected.observe({ entryTypes: ['gc'] })
  let longestMs = 0
  const longTurns: Turn[] = []
  let startedAt = performance.now()
  let before = process.threadCpuUsage()
  const endTurn = () => {
    const cpuMs = process.threadCpuUsage(before).user / 1_000
    const endedAt = performance.now()
    if (cpuMs > TURN_MS_MAX) longTurns.push({ startedAt, endedAt, cpuMs })
    else longestMs = Math.max(longestMs, cpuMs)
    startedAt = endedAt
    before = process.threadCpuUsage()
  }
  const look = () => {
    endTurn()
    looking = setImmediate(look)
  }
  let looking = setImmediate(look)
  return {
    async stop() {
      clearImmediate(looking)
      endTurn()
      // What was collected is told in a later turn.
      if (longTurns.length > 0) for (let turn = 0; turn < 3; turn += 1) await nextTurn()
      collected.disconnect()
      const withoutCollecting = longTurns.map((turn) => turn.cpuMs - collectingMs(collections, turn))
      return Math.max(longestMs, ...withoutCollecting)
    },
  }
}

function collectingMs(collections: readonly PerformanceEntry[], { startedAt, endedAt }: Turn): number {
  const within = collections.filter(({ startTime }) => startTime >= startedAt && startTime < endedAt)
  return within.reduce((sum, { duration }) => sum + duration, 0)
}

// Messages that take a processor the longest.

/** That of most of them. */
export const COSTLY_HEAD = 'From: a@example.com\r\nTo: ada@example.com\r\n'
const LINE_LENGTH = 900
const MIB = 1024 * 1024

const lines = (part: string, length: number): string =>
  `${part.repeat(Math.floor(LINE_LENGTH / part.length))}\r\n`.repeat(length / LINE_LENGTH)
/** A field of so many bytes, in lines that may be sent. */
const folded = (name: string, part: string, length: number): string =>
  `${name}: x\r\n ${lines(part, length).trimEnd().replaceAll('\r\n', '\r\n ')}\r\n`
export const costlyText = (type: string, part: string, length: number): Buffer =>
  Buffer.from(`${COSTLY_HEAD}Content-Type: text/${type}\r\n\r\n${lines(part, length)}`, 'latin1')

/**
 * The parts whose headers took the longest when all HOSTILE_PARTS were measured; the others took little more than a message without them. That a
 * reader is slow at one of the others would show in linear-work.test.ts.
 */
const COSTLY_PARTS: readonly (typeof HOSTILE_PARTS)[number][] = [
  ...(['a-', 'a.', 'a', '&amp;', '&', ',cid:x', ',', '{},', 'en;q=1,', '<a@', '@a', '@', '<div>', '<table>', '<p>', '</x>', '<'] as const),
  ...(['()', '[', ']', "; filename*=utf-8''", '; a=', 'text/plain; ', '=0a', '=?utf-8?q?', '"a" ', '"', '\ufffd', 'url(', '%E0'] as const),
  ...(['1 hour ', '<![CDATA[', '<img src="'] as const),
]
const HOSTILE = COSTLY_PARTS.map((part) => Buffer.from(part).toString('latin1'))

export const COSTLY_MESSAGES: [string, string | Buffer][] = [
  ...CORPUS.map(({ name, content }): [string, string | Buffer] => [name, content]),
  ...HOSTILE.map((part): [string, Buffer] => [
    `a header of ${JSON.stringify(part)}`,
    Buffer.from(
      `${folded('To', part, 25_000)}${folded('Cc', part, 12_000)}${folded('Subject', part, 10_000)}${folded('Content-Type', part, 6_000)}${folded('X-Mailer', part, 6_000)}From: a@example.com\r\n\r\nx`,
      'latin1',
    ),
  ]),
  ['small Japanese text of no letters', costlyText('plain; charset=iso-2022-jp', '\xff', 60_000)],
  ['small Chinese text of no letters', costlyText('plain; charset=gb18030', '\xff', 60_000)],
  [
    'a thousand small parts',
    `${COSTLY_HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/html\r\n\r\nx\r\n'.repeat(999)}--b--`,
  ],
  [
    'a hundred small files',
    `${COSTLY_HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: image/png\r\n\r\nx\r\n'.repeat(100)}--b--`,
  ],
  [
    'Japanese text and HTML of no letters',
    Buffer.from(
      `${COSTLY_HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${['plain', 'html'].map((type) => `--b\r\nContent-Type: text/${type}; charset=iso-2022-jp\r\n\r\n${lines('\xff', 5 * MIB)}`).join('')}--b--`,
      'latin1',
    ),
  ],
  ['Japanese text', costlyText('plain; charset=iso-2022-jp', '\x1b$B$3$s\x1b(B', 5 * MIB)],
  ['Chinese text of no letters', costlyText('plain; charset=gb18030', '\xff', 5 * MIB)],
  ['flowed text', costlyText('plain; format=flowed', '> a ', 5 * MIB)],
  ['HTML', costlyText('html', '<p>a&amp;', 5 * MIB)],
  [
    'quoted-printable',
    Buffer.from(`${COSTLY_HEAD}Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines('=C3=A9', 8 * MIB)}`),
  ],
  [
    'a file of 30 MB',
    Buffer.from(
      `${COSTLY_HEAD}Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(19)}\r\n`.concat(
        `${'QUJD'.repeat(19)}\r\n`.repeat(390_000),
      ),
    ),
  ],
]
