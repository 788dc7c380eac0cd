// Whatever is submitted: it is refused with a sentence, or what is sent of it is a message that every reader reads alike.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import { createFormWatch, readHead } from '../../../src/mail/message-head.ts'
import type { StoreFile } from '../../../src/mail/mime-parts.ts'
import { submittedMessage, withHtml } from '../../../src/modules/emails/submitted-message.ts'
import { readReceivedMessage } from '../../../src/modules/inbound/content/received-content.ts'
import { readSubmissionContent } from '../../../src/modules/submission/submission-content.ts'
import { blindCopies, draftSubmission } from '../../../src/modules/submission/submission-draft.ts'
import { readSubmissionHeaders } from '../../../src/modules/submission/submission-headers.ts'
import { anySubmission } from '../../support/builders/any-submission.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 3_000)
const ID = '<id@example.com>'

const storeFile: StoreFile = async (file) => ({ blobKey: 'a', bytes: (await buffer(file)).length })
/** Its HTML and its text are those of its parts alone: a reader adds to each what stands in the other. */
async function contentOf(message: Buffer) {
  const { html, text } = await readSubmissionContent(message, { storeFile, hasFingerprint: false })
  return { ...(await readReceivedMessage(Readable.from([message], { objectMode: false }), storeFile)), html, text }
}

/** Null if it is refused. */
async function read(message: Buffer) {
  try {
    const head = readHead(message)
    const headers = readSubmissionHeaders(head)
    const content = await readSubmissionContent(message, { storeFile, hasFingerprint: true })
    if (content.refusal !== null) return null
    const [recipients, body] = [['ada@example.com'], message.subarray(head.bodyStart)]
    const given = { recipients, head, headers, bcc: blindCopies(recipients, headers), content, body }
    const { submitted, ...draft } = draftSubmission(given, {
      received: 'Received: from a by b; x',
      messageId: ID,
      now: new Date('2024-01-01'),
    })
    if (submitted === undefined) throw new Error('A message that was submitted is sent as it is')
    return { draft, content, htmlPart: content.htmlPart, head: submitted.head, body }
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** What the SMTP server refuses does not come so far. */
const hasForm = (message: Buffer): boolean => createFormWatch()(message) === null && !/\r(?!\n)|(?<!\r)\n/.test(message.toString('latin1'))

/** In ASCII, and not of white space only. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: old programs write them, and servers pass them on.
const LINE = /^(?=[\t ]*[^\t ])[\x01-\x09\x0b\x0c\x0e-\x7f]{1,998}$/

let accepted = 0

it('any message is refused, or can be stored and sent', { timeout: Math.max(300_000, RUNS * 40) }, async () => {
  await fc.assert(
    fc.asyncProperty(anySubmission, async (text) => {
      const message = Buffer.from(text, 'latin1')
      if (!hasForm(message)) return
      const result = await read(message)
      if (result === null) return
      accepted += 1
      const { draft, content, htmlPart, head, body } = result
      expect(JSON.stringify({ draft, content })).not.toMatch(/\\u0000|\\ud[89a-f]/)
      for (const line of head.split('\r\n')) expect(line).toMatch(LINE)
      const sent = submittedMessage(head, body)
      const again = readHead(sent)
      expect(sent.subarray(again.bodyStart).equals(body)).toBe(true)
      const names = again.fields.map(({ name }) => name)
      expect(names.filter((name) => ['from', 'message-id', 'date'].includes(name)).toSorted()).toEqual(['date', 'from', 'message-id'])
      expect(
        names.filter((name) => /^(?:bcc|sender|return-path|resent-|arc-|dkim-|authentication-|x-tags|idempotency)/.test(name)),
      ).toEqual([])
      if (htmlPart !== null) await expectTracked(sent, htmlPart)
    }),
    { numRuns: RUNS },
  )
  expect(accepted).toBeGreaterThan(RUNS / 10)
})

it('HTML that says nothing, and has no empty line after its header, is not tracked', async () => {
  const lines = ['From: a@example.com', 'Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/html', '--b--', '']
  expect(await read(Buffer.from(lines.join('\r\n')))).toMatchObject({ htmlPart: null, content: { html: '' } })
})

/** The HTML that is put there is what is read, and all else is as it was. */
async function expectTracked(sent: Buffer, place: number): Promise<void> {
  const [before, tracked] = [await contentOf(sent), await withHtml(sent, { place, html: '<p>Grüße</p>' })]
  if (!Buffer.isBuffer(tracked)) throw new Error('What is in memory stays there')
  const { html, ...after } = await contentOf(tracked)
  expect(String(html).trimEnd()).toBe('<p>Grüße</p>')
  const { html: _, headers: _before, ...rest } = before
  expect({ ...after, headers: undefined }).toEqual({ ...rest, headers: undefined })
}
