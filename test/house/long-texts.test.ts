// What makes the content of emails tells of a long text that comes to it on the main thread. Which libraries may do so is a rule of `npm run layers`.
import { expect, it } from 'vitest'
import { guardMainThread, MAIN_THREAD_BYTES_MAX } from '../../src/lib/main-thread.ts'
import { CONTENT_READERS } from './text-readers/contents.ts'

/** Functions that search for one kind of place, in pieces or quicker than `JSON.parse`, or get a value or a link. */
const MAY_BE_LONG = [
  'askedVariables',
  'atPlace',
  'broadcastWarnings',
  'checkInlineStyle',
  'checkLink',
  'checkStyleSheet',
  'checkTemplateFields',
  'contactPlaceholders',
  'contactValues',
  'contentWarnings',
  'createUrlFinder',
  'escapeHtml',
  'filledLengthMax',
  'filledSubject',
  'findMachineRule',
  'findUnsubscribeLinks',
  'hasLineBreak',
  'isOfContact',
  'isReserved',
  'linkAsWritten',
  'onOneLine',
  'percentEncoded',
  'placeholderLookAlikes',
  'preheader',
  'propertiesNamed',
  'readPlaceholders',
  'sentenceAboutBroken',
  'sentenceAboutMissing',
  'templateWarnings',
  'textOfValue',
  'trackableLink',
  'typeProblem',
  'unknownPlaceholders',
  'urlPlace',
  'withImageAddresses',
  'withoutOwnTracking',
]

async function isTold(read: (text: string) => unknown, text: string): Promise<boolean> {
  const told: Error[] = []
  const guard = guardMainThread((error) => told.push(error))
  try {
    await read(text)
  } finally {
    guard.end()
  }
  return told.length > 0
}

it('every function that renders, reads, tracks or encodes a text tells of a long one on the main thread, and of no other', async () => {
  const silent = new Set<string>()
  const loud: string[] = []
  for (const [name, read] of Object.entries(CONTENT_READERS)) {
    // Eight times as long, because one letter of a placeholder of seven is read as HTML.
    if (!(await isTold(read, `<p>${'a'.repeat(8 * MAIN_THREAD_BYTES_MAX)}</p>`))) silent.add(name.split(' ')[0] ?? name)
    if (await isTold(read, '<p>a</p>')) loud.push(name)
  }
  expect({ silent: [...silent].sort(), loud }).toEqual({ silent: MAY_BE_LONG, loud: [] })
})
