import { afterEach, describe, expect, it } from 'vitest'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { type Place, postgresPidOf, queryEmbedded } from '../support/processes/processes.ts'
import { createGate } from '../support/servers/balancer.ts'
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

let place: Place
let sink: SmtpSink

afterEach(async () => {
  await place.close()
  await sink.close()
})

const deliveriesLeft = async (): Promise<number | undefined> =>
  (await queryEmbedded<{ count: number }>(place.dataDir, 'select count(*)::int as count from deliveries'))[0]?.count

const untilDelivered = () => until(async () => expect(await deliveriesLeft()).toBe(0), { timeout: 120_000 })

describe('a database', () => {
  it('that is killed, then restarted, under load is answered with 503 meanwhile, and nothing is lost', async () => {
    sink = await startSmtpSink({ replyDelayMs: 2 })
    place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` })
    const service = await place.start()
    const load = startLoad({ url: () => service.url, token: place.token, count: 600 })
    // What the kernel does when memory runs out, and what an administrator does with `pg_ctl restart`.
    for (const [index, signal] of (['SIGKILL', 'SIGINT'] as const).entries()) {
      await until(() => expect(load.accepted.length).toBeGreaterThanOrEqual((index + 1) * 150), { interval: 10 })
      const postgres = postgresPidOf(place.dataDir)
      if (postgres === null) throw new Error('There is no database')
      process.kill(postgres, signal)
      await until(() => expect(postgresPidOf(place.dataDir)).not.toBe(postgres))
      await until(async () => expect((await fetch(`${service.url}/health/ready`)).status).toBe(200))
    }
    await load.done
    await untilDelivered()

    expect(Object.keys(load.statuses).toSorted()).toEqual(['200', '503'])
    const arrived = new Set(arrivedIds(sink.messages))
    expect(load.accepted.filter((id) => !arrived.has(id))).toEqual([])
    expect(new Set(load.accepted).size).toBe(600)
    expect(service.output()).toContain('database restarted')
    const [open] = await queryEmbedded<{ count: number }>(
      place.dataDir,
      'select count(*)::int as count from attempts where outcome is null',
    )
    expect(open?.count).toBe(0)
    process.stdout.write(
      `Database killed and restarted: ${sink.messages.length - arrived.size} duplicates, answers ${JSON.stringify(load.statuses)}\n`,
    )
  })
})

describe('a mail server', () => {
  it('that disappears and comes back gets everything that was accepted, each once', async () => {
    sink = await startSmtpSink()
    const gate = await createGate(sink.port)
    place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${gate.port}` })
    const service = await place.start()
    const before = startLoad({ url: () => service.url, token: place.token, count: 100 })
    await before.done
    await untilDelivered()

    await gate.shut()
    const during = startLoad({ url: () => service.url, token: place.token, count: 100 })
    await during.done
    await until(async () => {
      const states = await queryEmbedded(
        place.dataDir,
        'select last_event as "lastEvent", count(*)::int as count from emails group by 1 order by 1',
      )
      expect(states).toEqual([
        { lastEvent: 'delivered', count: 100 },
        { lastEvent: 'delivery_delayed', count: 100 },
      ])
    })
    await gate.open()
    // The minute until the next try is over.
    await queryEmbedded(place.dataDir, 'update deliveries set due_at = now()')

    await untilDelivered()
    expect(arrivedIds(sink.messages).toSorted()).toEqual([...before.accepted, ...during.accepted].toSorted())
    const attempts = await queryEmbedded(
      place.dataDir,
      `select outcome, code, text like 'No connection to 127.0.0.1 port %: ECONNREFUSED' as "isRefused", count(*)::int as count from attempts where number = 1 group by 1, 2, 3 order by 1`,
    )
    expect(attempts).toEqual([
      { outcome: 'delayed', code: null, isRefused: true, count: 100 },
      { outcome: 'delivered', code: 250, isRefused: false, count: 100 },
    ])
    await gate.shut()
  })

  it('that is slow, drops the connection after the message, or answers 421, 450 and 550 decides what becomes of each, and delays no other', async () => {
    const codes: Record<string, number> = { 'busy@example.org': 421, 'later@example.org': 450, 'never@example.org': 550 }
    sink = await startSmtpSink({
      replyDelayMs: 100,
      onRecipient: (to) => (codes[to] === undefined ? undefined : { code: codes[to], text: 'said by the journey' }),
      onMessage: ({ to }) => (to.includes('dropped@example.org') ? 'drop' : undefined),
    })
    place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` })
    const service = await place.start()
    const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' }
    const send = async (to: string): Promise<string> => {
      const body = JSON.stringify({ from: 'hello@example.com', to, subject: 'Hello', text: 'Hello.' })
      const answer = await fetch(`${service.url}/emails`, { method: 'POST', headers, body })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { id: string }).id
    }
    const fates: Record<string, string> = {
      'busy@example.org': 'delivery_delayed',
      'later@example.org': 'delivery_delayed',
      'never@example.org': 'bounced',
      'dropped@example.org': 'delivery_delayed',
      'ada@example.org': 'delivered',
      'grace@example.org': 'delivered',
    }
    const sent = await Promise.all(Object.keys(fates).map(async (to) => ({ to, id: await send(to) })))

    await until(async () => {
      const shown = await Promise.all(
        sent.map(async ({ to, id }) => {
          const answer = await fetch(`${service.url}/emails/${id}`, { headers })
          return [to, ((await answer.json()) as { last_event: string }).last_event]
        }),
      )
      expect(Object.fromEntries(shown)).toEqual(fates)
    })
    expect(sink.messages.flatMap(({ to }) => to).toSorted()).toEqual(['ada@example.org', 'grace@example.org'])
  })
})
