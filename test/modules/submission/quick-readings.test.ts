// What is read in a shorter way because most messages are small and plain is read alike.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import { expect, it } from 'vitest'
import type { StoreFile } from '../../../src/mail/mime-parts.ts'
import { readSubmissionContent } from '../../../src/modules/submission/submission-content.ts'
import { addressesIn } from '../../../src/modules/submission/submission-headers.ts'
import { anySubmission } from '../../support/builders/any-submission.ts'

const storeFile: StoreFile = async (file) => ({ blobKey: 'a', bytes: (await buffer(file)).length })
const content = (message: Buffer | Readable) => readSubmissionContent(message, { storeFile, hasFingerprint: true })

async function expectAlike(text: string): Promise<void> {
  const message = Buffer.from(text, 'latin1')
  const [whole, streamed] = [await content(message), await content(Readable.from([message], { objectMode: false }))]
  expect(whole.refusal).toBe(streamed.refusal)
  // Nothing of a refused message is used.
  if (whole.refusal === null) expect(whole).toEqual(streamed)
}

it('a message that is read whole', () => fc.assert(fc.asyncProperty(anySubmission, expectAlike), { numRuns: 1_000 }))

it.each([
  [
    'thirty levels',
    Array.from({ length: 30 }, (_one, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`).join(''),
  ],
  ['1,100 parts', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(1_100)}`],
  ['nothing', ''],
  ['a line without an end', 'Subject: a'],
])('a message of %s', (_what, text) => expectAlike(text))

it('addresses', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9._+ -]{1,12}$/)
  const address = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.example`)
  const mailbox = fc.oneof(
    address,
    fc.tuple(word, address).map(([name, alone]) => `${name} <${alone}>`),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        mailbox,
        fc.array(mailbox, { maxLength: 3 }).map((all) => all.join(', ')),
      ),
      (value) => {
        expect(addressesIn(value)).toEqual(addressparser(value))
      },
    ),
    { numRuns: 5_000 },
  )
})
