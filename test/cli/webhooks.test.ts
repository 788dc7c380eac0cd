import { describe, expect, it } from 'vitest'
import { createFeedClient } from '../../src/cli/webhooks/feed-client.ts'
import { listen } from '../../src/cli/webhooks/webhook-listen.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { createTopic } from '../support/builders/topics.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { startWebhookSink } from '../support/servers/webhook-sink.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command: commandOf, errorsWith } = useCommandsBesideService()

const command = (...[act = '', ...args]: string[]) => commandOf('webhooks', act, '--team', service().teamId, ...args)
const refused = (errors: string) => ({ status: 1, out: '', errors: errorsWith(errors) })

async function createWebhook(): Promise<string> {
  const body = { endpoint: 'https://hooks.example.com', events: ['topic.created'] }
  return ((await service().call('POST', '/webhooks', { body })).body as { id: string }).id
}
const eventsOf = async (id: string, query = '') =>
  ((await service().call('GET', `/webhooks/${id}/events${query}`)).body as { data: { id: string; type: string; status: string }[] }).data

describe('webhooks list', () => {
  it('shows the state and the health of each', async () => {
    expect(await command('list')).toEqual({ status: 0, out: '', errors: errorsWith('This team has no webhook.\n') })
    const id = await createWebhook()
    const { out } = await command('list')
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ID {36}STATUS {3}HEALTH {12}EVENTS {2}ENDPOINT$/),
      `${id}  enabled  nothing sent yet       1  https://hooks.example.com`,
    ])
    await service().database.execute(`update webhooks set disabled_reason = 'Gone.', status = 'disabled' where id = $1`, [id])
    const { body } = await service().call('GET', '/webhooks')
    const health = { last_success_at: null, last_failure_at: null, failing_since: null, disabled_reason: 'Gone.' }
    expect(JSON.parse((await command('list', '--json')).out)).toEqual([{ ...(body as { data: object[] }).data[0], ...health }])
  })
})

describe('webhooks test', () => {
  it('queues a sample of the type', async () => {
    const id = await createWebhook()
    const { out, status } = await command('test', id, 'email.opened')
    const [event] = await eventsOf(id)
    expect({ out, status, type: event?.type, state: event?.status }).toEqual({
      out: `${event?.id} is sent by the running service.\n`,
      status: 0,
      type: 'email.opened',
      state: 'pending',
    })
  })

  it('puts a sample into the feed of a webhook without an endpoint', async () => {
    const body = { endpoint: null, events: ['topic.created'] }
    const { id } = (await service().call('POST', '/webhooks', { body })).body as { id: string }
    const { out, status } = await command('test', id, 'email.opened')
    const [event] = await eventsOf(id)
    expect({ out, status, state: event?.status }).toEqual({ out: `${event?.id} is in the feed.\n`, status: 0, state: 'success' })
    expect((await command('list')).out).toMatch(new RegExp(`^${id} +enabled +only read +1 +\\(only the feed\\)$`, 'm'))
    await service().call('DELETE', `/webhooks/${id}`)
  })

  it('refuses a webhook that is not there, and a type that is none', async () => {
    expect(await command('test', UNKNOWN_ID, 'email.opened')).toEqual(refused('Webhook not found\n'))
    expect((await command('test', UNKNOWN_ID, 'email.open')).status).toBe(2)
    expect((await command('test', 'first', 'email.opened')).status).toBe(1)
  })
})

describe('webhooks replay', () => {
  it('queues again what was given up since a time', async () => {
    const id = await createWebhook()
    await createTopic(service())
    const [event] = await eventsOf(id)
    await service().call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
    expect(await command('replay', id)).toEqual(refused('This webhook is disabled. Enable it first.\n'))
    await until(async () => expect(await eventsOf(id, '?status=failed')).toHaveLength(1))
    await service().call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } })
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    expect((await command('replay', id, '--since', tomorrow)).out).toBe('0 events are queued again.\n')
    expect((await command('replay', id)).out).toBe('1 event is queued again.\n')
    expect(await eventsOf(id, '?status=pending')).toEqual([{ ...event, status: 'pending' }])
  })
})

describe('webhooks listen', () => {
  const sink = shared(() => startWebhookSink())

  /** Listens until the test stops it. */
  function startListening(key = service().token, url = service().url) {
    const stopping = new AbortController()
    const printed: string[] = []
    const said: string[] = []
    const ended = listen({
      client: createFeedClient({ url, key }),
      forwardTo: `${sink.url}/hook`,
      events: ['topic.created'],
      print: (line) => void printed.push(line),
      say: (line) => void said.push(line),
      stop: stopping.signal,
    })
    return { printed, said, ended, stop: () => stopping.abort() }
  }

  it('forwards events as the service signs them, continues after failures, and leaves no webhook', async () => {
    const before = (await service().call('GET', '/webhooks')).body
    const listening = startListening()
    await until(() => expect(listening.said).toHaveLength(2))
    const [, secret = ''] = listening.said
    sink.expectSecret('/hook', secret)
    await createTopic(service(), { name: 'First' })
    await until(() => expect(listening.printed).toHaveLength(1))
    sink.answer('/hook', (_request, response) => response.writeHead(500).end())
    await createTopic(service(), { name: 'Second' })
    await until(() => expect(listening.printed).toHaveLength(2))
    sink.answer('/hook', (request) => request.socket.destroy())
    await createTopic(service(), { name: 'Third' })
    await until(() => expect(listening.printed).toHaveLength(3))
    listening.stop()
    await listening.ended

    expect(sink.faults).toEqual([])
    expect(sink.hooks.map(({ type, data }) => [type, data.name])).toEqual(
      ['First', 'Second', 'Third'].map((name) => ['topic.created', name]),
    )
    expect(sink.hooks.map(({ headers }) => [headers['webhook-id'], headers['content-type']])).toEqual(
      sink.hooks.map(({ id }) => [id, 'application/json']),
    )
    expect(listening.printed).toEqual([
      expect.stringMatching(/^topic\.created {2}msg_[\w-]{22} {2}200 {2}\d+ ms$/),
      expect.stringMatching(/^topic\.created {2}msg_[\w-]{22} {2}500 {2}\d+ ms$/),
      expect.stringMatching(/^topic\.created {2}msg_[\w-]{22} {2}no answer: .+ {2}\d+ ms$/),
    ])
    const id = /^Webhook (\S+) forwards to \S+ until Ctrl-C\. Its secret:$/.exec(listening.said[0] ?? '')?.[1]
    expect(listening.said.at(-1)).toBe(`Webhook ${id} is deleted.`)
    expect((await service().call('GET', '/webhooks')).body).toEqual(before)
  })

  it('says which webhook it leaves if the service goes before it is deleted', async () => {
    const own = await startTestService()
    const listening = startListening(own.token, own.url)
    await until(() => expect(listening.said).toHaveLength(2))
    await own.close()
    await until(() => expect(listening.said.at(-1)).toMatch(/^The service cannot be reached \(.+\)\. Trying again until it can\.$/))
    listening.stop()
    await expect(listening.ended).rejects.toThrow(/^Webhook \S+ was not deleted: .+\. Delete it once the service is back\.$/)
  })

  it('ends with what the service says if it refuses the key', async () => {
    await expect(startListening('re_unknown').ended).rejects.toThrow(
      'The service answered 403: This API key is not valid. It may have been deleted.',
    )
  })

  it('ends if there is no service, or no program to forward to is named', async () => {
    const args = ['listen', '--forward-to', sink.url, '--url', 'http://127.0.0.1:1', '--key', 're_a']
    expect(await commandOf('webhooks', ...args)).toMatchObject({ status: 1, errors: expect.stringMatching(/^There is no service at http/) })
    expect((await commandOf('webhooks', ...args.slice(0, 1), '--url', service().url, '--key', 're_a')).status).toBe(2)
  })
})
