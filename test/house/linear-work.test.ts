// Everything that reads text from strangers takes time in proportion to its length, whatever the text.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOSTILE_PARTS } from './hostile-parts.ts'
import { TEXT_READERS } from './text-readers/text-readers.ts'

const LENGTH = 1_000_000

/** A linear reader takes less than a tenth of it. One whose time grows with the square takes many times as long. */
const CPU_MS_MAX = 2_000

/**
 * Time of this thread alone: what else the machine does is not counted. A small part first, and four times as much each time: a slow reader is
 * caught before it takes hours, and one so quick that it would be in time even if it took the square of it for the whole is not asked further.
 */
async function cpuMs(read: (text: string) => unknown, part: string, maxMs = CPU_MS_MAX): Promise<number> {
  let spentMs = 0
  for (const length of [LENGTH / 64, LENGTH / 16, LENGTH / 4, LENGTH]) {
    const text = `${part.repeat(Math.ceil(length / part.length))}x`
    const before = process.threadCpuUsage()
    await read(text)
    const { user, system } = process.threadCpuUsage(before)
    spentMs = (user + system) / 1_000
    if (spentMs > maxMs || spentMs * (LENGTH / length) ** 2 <= maxMs) break
  }
  return spentMs
}

describe('a megabyte of any part', () => {
  it.each(TEXT_READERS)('is read by %s in time', { timeout: 600_000 }, async (_name, read) => {
    const slow: Record<string, number> = {}
    for (const part of HOSTILE_PARTS) {
      const spentMs = await cpuMs(read, part)
      if (spentMs > CPU_MS_MAX) slow[part] = spentMs
    }
    expect(slow).toEqual({})
  })
})

/** Files of src/mail that read only what other files have read, the service's own words, or numbers. */
const NO_READERS = [
  'advances',
  'advancesAfterDelivery',
  'allOf',
  'asArray',
  'broadcastHtml',
  'bytesOf',
  'calendarPeriods',
  'canonicalAddress',
  'checkPayload',
  'composeSignedMessage',
  'contactOf',
  'createActWindow',
  'createBodyHashes',
  'createDestinationLimits',
  'createFingerprint',
  'createReadContents',
  'encodedSize',
  'faultOfSmtpCode',
  'fillBroadcast',
  'firstOf',
  'graphProblem',
  'htmlPartOf',
  'inStep',
  'installationRecords',
  'instantsAt',
  'isAboutSender',
  'isDaemonMail',
  'isInDigest',
  'isReturned',
  'isTroubled',
  'judgeClearWeb',
  'judgeClock',
  'keyNameOf',
  'lastEventOf',
  'listed',
  'mergeOriginals',
  'metricsSpan',
  'mtaStsPolicy',
  'namedInGraph',
  'noLongerVerified',
  'notOfKey',
  'notVerified',
  'outcomeSummary',
  'periodCount',
  'readCalendarTime',
  'readGraph',
  'readShortContent',
  'reasonOf',
  'receivedFile',
  'referenceProblem',
  'refusedRow',
  'relaxedField',
  'shownTexts',
  'signMessage',
  'signatureFields',
  'stateWords',
  'storedFields',
  'subjectParts',
  'submittedMessage',
  'submittedStream',
  'suppressionLayout',
  'templateSource',
  'textsOf',
  'timeOfParameter',
  'timeZoneNamed',
  'valuesOf',
  'wallClockAt',
  'zoneLines',
]

it('every function of src/mail that reads text is among them', async () => {
  const read = new Set(TEXT_READERS.map(([name]) => name.split(' ')[0]))
  const unread: string[] = []
  for (const file of await readdir('src/mail', { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const module: Record<string, unknown> = await import(join('../..', file.parentPath, file.name))
    unread.push(...Object.keys(module).filter((name) => typeof module[name] === 'function' && !read.has(name)))
  }
  expect(unread.sort()).toEqual(NO_READERS)
})

it('would tell of a pattern that is not linear', async () => {
  const quadratic = (text: string) => /<img\b[^>]*\bsrc="/i.test(text)
  // A quarter of a second is a hundred times what it takes to look at each character of a megabyte once.
  expect(await cpuMs(quadratic, '<img ', 250)).toBeGreaterThan(250)
}, 60_000)
