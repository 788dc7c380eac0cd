import { createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createMessageFilter, type FilterAnswer } from '../../../../src/modules/inbound/filter/message-filter.client.ts'
import { readReceived } from '../../../../src/modules/inbound/received.worker.ts'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import { type InboundService, startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'
import { startClamd, startRspamd } from './filter-servers.ts'

const STORED = /^250 2\.6\.0 Stored as [0-9a-f-]{36}$/
const EICAR = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`

function rspamdSays(content: string) {
  const [, action, score] = /^X-Test: ([a-z ]+), (-?[0-9.]+)\r$/m.exec(content) ?? []
  return action === undefined ? ('{"no": "answer"}' as const) : { action, score: Number(score) }
}
const clamdSays = (content: string) => (content.includes('EICAR') ? 'stream: Eicar-Signature FOUND' : 'stream: OK')

const services: InboundService[] = []
const clamd = shared(() => startClamd(clamdSays))
const rspamd = shared(() => startRspamd(rspamdSays))
afterAll(async () => {
  for (const service of services) await service.close()
})

async function startWith(filterUrl: string): Promise<InboundService> {
  const service = await startInboundService({ environment: { INBOUND_FILTER_URL: filterUrl } })
  services.push(service)
  await createReceivingDomain(service, service.teamId, 'one.example')
  return service
}

async function send(service: InboundService, content: string): Promise<string> {
  const client = await service.connect()
  return client.sendMessage('a@one.example', content, 'ada@example.org')
}

/** What the API shows of all that was received. */
async function shown(service: InboundService): Promise<unknown[]> {
  await readReceived(service.service.context)
  const { body } = await service.call('GET', '/emails/receiving')
  const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id)
  return Promise.all(ids.map(async (id) => ((await service.call('GET', `/emails/receiving/${id}`)).body as { filter: unknown }).filter))
}

async function blobsOf({ service: { context } }: InboundService): Promise<number> {
  let count = 0
  for await (const keys of context.gateways.blobs.keysBefore(new Date(8.64e15))) count += keys.length
  return count
}

describe('with an rspamd', () => {
  let service: InboundService
  beforeAll(async () => {
    service = await startWith(rspamd.url)
  })
  afterEach(() => service.database.execute('truncate received_emails, received_recipients'))

  it('asks it with the envelope and the whole message', async () => {
    rspamd.checked.length = 0
    const content = 'X-Test: no action, -1.5\r\nSubject: Hello\r\n\r\n..Hello'
    expect(await send(service, content)).toMatch(STORED)
    expect(rspamd.checked).toEqual([
      {
        headers: expect.objectContaining({ ip: '127.0.0.1', from: 'ada@example.org', helo: expect.any(String) }),
        rcpt: ['a@one.example'],
        content: expect.stringMatching(/^X-Test: no action, -1\.5\r\nSubject: Hello\r\n\r\n\.Hello\r\n$/),
      },
    ])
    expect(await shown(service)).toEqual([{ name: 'rspamd', verdict: 'clean', score: -1.5, detail: 'no action' }])
  })

  it.each(['add header', 'rewrite subject'])('takes what it would mark (%s), and says so', async (action) => {
    expect(await send(service, `X-Test: ${action}, 7.25\r\n\r\nHi`)).toMatch(STORED)
    expect(await shown(service)).toEqual([{ name: 'rspamd', verdict: 'spam', score: 7.25, detail: action }])
  })

  it.each([
    ['reject', '554 5.7.1 The message was refused, because it looks like spam'],
    ['soft reject', '451 4.7.1 The message is not accepted at the moment, please try again later'],
  ])('refuses what it refuses (%s), and keeps nothing of it', async (action, reply) => {
    const before = await blobsOf(service)
    expect(await send(service, `X-Test: ${action}, 20\r\n\r\nHi`)).toBe(reply)
    expect(await service.database.execute('select from received_emails')).toEqual([])
    expect(await blobsOf(service)).toBe(before)
  })

  it('takes a message that it cannot read the answer to, and says that it was not checked', async () => {
    expect(await send(service, 'Subject: Hello\r\n\r\nHi')).toMatch(STORED)
    expect(await shown(service)).toEqual([{ name: 'rspamd', verdict: 'not_checked', score: null, detail: 'The filter did not answer.' }])
  })

  it('asks nothing about mail that came back', async () => {
    rspamd.checked.length = 0
    const { address } = await service.newReturnPath()
    const client = await service.connect()
    expect(await client.sendMessage(address, 'Subject: Bounce\r\n\r\nHi', '')).toMatch(STORED)
    expect(rspamd.checked).toEqual([])
  })
})

describe('with a clamd', () => {
  it('refuses a virus, takes the others, and says what it said', async () => {
    const service = await startWith(clamd.url)
    expect(await send(service, `Subject: Virus\r\n\r\n${EICAR}`)).toBe('554 5.7.1 The message was refused, because it has a virus')
    expect(await send(service, `Subject: Big\r\n\r\n${`${'x'.repeat(900)}\r\n`.repeat(1_000)}`)).toMatch(STORED)
    expect(await shown(service)).toEqual([{ name: 'clamd', verdict: 'clean', score: null, detail: null }])
    expect(clamd.checked.at(-1)?.content).toHaveLength(16 + 902_000 + 2)
  })
})

it('takes mail while the filter is down, and says that it was not checked', async () => {
  const service = await startWith('tcp://127.0.0.1:9')
  expect(await send(service, 'Subject: Hello\r\n\r\nHi')).toMatch(STORED)
  expect(await shown(service)).toEqual([{ name: 'clamd', verdict: 'not_checked', score: null, detail: 'The filter did not answer.' }])
})

describe('a filter', () => {
  const message = (bytes = 5) => ({
    ...{ mailFrom: 'a@b.example', recipients: ['c@d.example'], peer: '192.0.2.1', helo: 'x', bytes },
    open: async () => Readable.from([Buffer.from('hello')]),
  })
  const verdictOf = ({ result, refuses }: FilterAnswer) => [result.verdict, result.detail, refuses]
  const SLOW = ['not_checked', 'The filter did not answer.', 'not']

  let silent: Server
  beforeAll(async () => {
    silent = createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => silent.close())
  const port = () => (silent.address() as { port: number }).port

  it.each(['tcp', 'http'])(
    'that is silent (%s) holds up a message for a bounded time, and is not asked again for a while',
    async (scheme) => {
      let failures = 0
      const filter = createMessageFilter({
        url: new URL(`${scheme}://127.0.0.1:${port()}`),
        timeMsMax: 50,
        onFailure: () => {
          failures += 1
        },
      })
      const answers: unknown[] = []
      for (let count = 0; count < 12; count += 1) answers.push(verdictOf(await filter.check(message())))
      const paused = ['not_checked', 'The filter was down.', 'not']
      expect(answers).toEqual([...Array(10).fill(SLOW), paused, paused])
      expect(failures).toBe(10)
    },
  )

  it('is not asked about a message that is very large', async () => {
    const filter = createMessageFilter({ url: new URL(clamd.url) })
    expect(verdictOf(await filter.check(message(20 * 1024 * 1024 + 1)))).toEqual([
      'not_checked',
      'The message is larger than what is checked.',
      'not',
    ])
  })

  it.each([
    ['too much', () => `{"action":"no action","score":1,"x":"${'y'.repeat(1024 * 1024)}"}`],
    ['what is no JSON', () => 'hello'],
    ['nothing', () => 'silence' as const],
  ])('that answers %s has not checked it', async (_what, answer) => {
    const server = await startRspamd(answer)
    const filter = createMessageFilter({ url: new URL(server.url), timeMsMax: 500 })
    expect(verdictOf(await filter.check(message()))).toEqual(SLOW)
    await server.close()
  })

  it('that fails to look has not checked it', async () => {
    const server = await startClamd(() => 'INSTREAM size limit exceeded. ERROR')
    const filter = createMessageFilter({ url: new URL(server.url) })
    expect(verdictOf(await filter.check(message()))).toEqual(SLOW)
    await server.close()
  })
})
