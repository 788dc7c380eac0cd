// The headers of clients, by POST /emails and over SMTP, as they stand at the server of the recipient.
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { Resend } from 'resend'
import { beforeAll, expect, it } from 'vitest'
import { createVerifiedDomain, resolverOf, type VerifiedDomain } from '../../support/builders/domains.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

let domain: VerifiedDomain
const service = shared(() => startSubmissionService())
beforeAll(async () => {
  domain = await createVerifiedDomain(service)
  service.startWorker()
})

const IDS = Array.from({ length: 200 }, (_, index) => `<${index}.0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76@mail.example.com>`)
const LINK = `<https://example.com/unsubscribe?token=${'a'.repeat(700)}>`
const HEADERS = {
  References: IDS.join(' '),
  'List-Unsubscribe': `${LINK}, ${LINK}`,
  'List-ID': 'Grüße <news.example.com>',
  Comments: 'word '.repeat(2_000).trim(),
  'X-Own': 'Grüße aus Köln '.repeat(60).trim(),
}
const EMAIL = { from: 'Acme <hello@example.com>', to: 'ada@example.org', subject: 'Grüße', text: 'Hello' }

const ROADS: [string, () => Promise<unknown>][] = [
  ['POST /emails', () => new Resend(service.token, { baseUrl: service.url }).emails.send({ ...EMAIL, headers: HEADERS })],
  [
    'SMTP',
    async () => {
      const transport = createTransport({
        host: '127.0.0.1',
        port: service.port,
        ignoreTLS: true,
        auth: { user: 'a', pass: service.token },
      })
      const { References: references, 'List-ID': _list, ...headers } = HEADERS
      await transport.sendMail({
        ...EMAIL,
        references: references.split(' '),
        list: { id: { url: 'news.example.com', comment: 'Grüße' } },
        headers,
      })
      transport.close()
    },
  ],
]

it.each(ROADS)('by %s, a long header is folded, encoded by its grammar, signed, and read back as it was given', async (_road, handIn) => {
  service.sink.messages.length = 0
  await handIn()
  await expect.poll(() => service.sink.messages).toHaveLength(1)
  const raw = Buffer.from(service.sink.messages[0]?.raw ?? '', 'latin1')

  const head = raw.subarray(0, raw.indexOf('\r\n\r\n')).toString('latin1')
  expect(head).toMatch(/^(?:[\t\x20-\x7e]{1,998}(?:\r\n|$))+$/)
  const { results } = await dkimVerify(raw, { resolver: resolverOf(domain.records) })
  expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass'])

  const { headers } = await PostalMime.parse(raw)
  const value = (name: string) => headers.find(({ key }) => key === name)?.value.replace(/\s+/g, ' ')
  expect(value('references')).toBe(HEADERS.References)
  expect(value('list-unsubscribe')).toBe(HEADERS['List-Unsubscribe'])
  expect(value('list-id')).toMatch(/^=\?UTF-8\?\S+\?= <news\.example\.com>$/)
  expect(value('comments')).toBe(HEADERS.Comments)
  expect(value('x-own')).toMatch(/^=\?UTF-8\?/)
})
