import { beforeAll, describe, expect, it } from 'vitest'
import { readReceived } from '../../../src/modules/inbound/received.worker.ts'
import { CORPUS } from '../../support/builders/received-corpus.ts'
import { storeReceived } from '../../support/builders/received-emails.ts'
import { EXPECTED, type Expected } from '../../support/builders/received-message-parts.ts'
import { forEvery } from '../../support/for-every.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const NO_DNS = { DNS_SERVERS: '127.0.0.1:9' }

const ids = new Map<string, string>()
const service = shared(() => startTestService({ environment: NO_DNS }), 120_000)
beforeAll(async () => {
  for (const { name, content } of CORPUS) ids.set(name, (await storeReceived(service, { content })).id)
  await readReceived(service.service.context)
})

type Email = {
  from: string | null
  to: string[]
  subject: string | null
  text: string | null
  html: string | null
  problem: string | null
  is_auto_reply: boolean
  attachments: { filename: string | null; content_type: string; content_disposition: never; content_id: string | null; size: number }[]
  raw: { download_url: string }
}

const retrieve = async (name: string) => (await service.call('GET', `/emails/receiving/${ids.get(name)}`)).body as Email

describe('every message of the corpus', () => {
  it('is read', () =>
    forEvery(
      CORPUS,
      async ({ name, expected }) => {
        const { from, to, subject, text, html, problem, is_auto_reply: isAutoReply, attachments } = await retrieve(name)
        const read: Expected = {
          ...{ from, to, subject, text, html, isAutoReply },
          files: attachments.map((file) => [file.filename, file.content_type, file.content_disposition, file.content_id, file.size]),
          problem: problem?.slice(0, expected.problem?.length) ?? null,
        }
        expect(read).toEqual({ ...EXPECTED, ...expected })
      },
      ({ name }) => name,
    ))

  it('is kept byte by byte', () =>
    forEvery(
      CORPUS,
      async ({ name, content }) => {
        const { raw } = await retrieve(name)
        const answer = await fetch(`${service.url}${new URL(raw.download_url).pathname}`)
        expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(content))).toBe(true)
      },
      ({ name }) => name,
    ))
})

it('has at least 80 messages, all of which are listed, each with one event', async () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(80)
  const { body } = await service.call('GET', '/emails/receiving')
  expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([...ids.values()].toReversed())
  const told = await service.database.execute<{ id: string }>(
    `select subject_id as id from notifications where type = 'email.received' order by subject_id desc`,
  )
  expect(told.map(({ id }) => id)).toEqual([...ids.values()].toReversed())
})
