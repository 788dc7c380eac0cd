import { describe, expect, it } from 'vitest'
import { until } from '../../../support/clocks/until.ts'
import { hold, MESSAGE, recipients, TWO_HOSTS, useDirectDelivery } from '../../../support/servers/direct-delivery.ts'

const { start, startSink, startSinks, send, delivery } = useDirectDelivery()

describe('connections', () => {
  const ONE_HOST = { 'example.test': { A: ['127.0.0.1'] } }

  it('are used again, by all domains with the same hosts, for their share of messages', async () => {
    const sink = await startSink('127.0.0.1')
    await start(
      { 'one.test': { MX: [[5, 'mx.test']] }, 'two.test': { MX: [[10, 'mx.test']] }, 'mx.test': { A: ['127.0.0.1'] } },
      { limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 3 }) },
    )
    for (const domain of ['one.test', 'two.test', 'one.test', 'two.test', 'one.test', 'two.test', 'one.test']) await send(`to@${domain}`)
    expect(sink.messages).toHaveLength(7)
    expect(sink.connectionCount()).toBe(3)
  })

  it('are no more than the limit of the set, also when its domains name its hosts in another order', async () => {
    const held = hold()
    const [first, second] = [await startSink('127.0.0.1', held.options), await startSink('127.0.0.2', held.options)]
    await start(
      {
        ...TWO_HOSTS,
        'reversed.test': {
          MX: [
            [1, 'second.test'],
            [2, 'first.test'],
          ],
        },
      },
      { limitsOf: () => ({ connectionsMax: 3, messagesPerConnectionMax: 50 }) },
    )
    const sending = Promise.all(Array.from({ length: 12 }, (_, index) => send(`to@${index % 2 === 0 ? 'example' : 'reversed'}.test`)))
    await held.reached(3)
    expect(first.openConnectionCount() + second.openConnectionCount()).toBe(3)
    held.release()
    expect((await sending).map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'delivered'))
    expect(held.most()).toBe(3)
  })

  it('to all hosts together are no more than their number, and every message gets a turn', async () => {
    const held = hold()
    const domains = Array.from({ length: 8 }, (_, index) => `d${index}.test`)
    const all = await startSinks(8, held.options)
    await start(Object.fromEntries(domains.map((domain, index) => [domain, { A: [`127.0.0.${index + 1}`] }])), { connectionsMax: 3 })
    const sending = Promise.all(domains.flatMap((domain) => [send(`a@${domain}`), send(`b@${domain}`)]))
    await held.reached(3)
    held.release()
    expect((await sending).map(({ kind }) => kind)).toEqual(Array.from({ length: 16 }, () => 'delivered'))
    expect(all.map(({ messages }) => messages.length)).toEqual(Array.from({ length: 8 }, () => 2))
    expect(held.most()).toBeLessThanOrEqual(3)
  })

  it('that are idle make room for others', async () => {
    const all = await startSinks(2)
    await start({ 'one.test': { A: ['127.0.0.1'] }, 'two.test': { A: ['127.0.0.2'] } }, { connectionsMax: 1 })
    for (const domain of ['one.test', 'two.test', 'one.test', 'two.test'])
      expect(await send(`to@${domain}`)).toMatchObject({ kind: 'delivered' })
    expect(all.map(({ messages }) => messages.length)).toEqual([2, 2])
    await until(() => expect(all.map((sink) => sink.openConnectionCount())).toEqual([0, 1]))
  })

  it('are closed when they were idle for a while', async () => {
    const sink = await startSink('127.0.0.1')
    await start(ONE_HOST, { idleMsMax: 20 })
    await send('to@example.test')
    await until(() => expect(sink.openConnectionCount()).toBe(0))
  })

  it('that the server closed meanwhile are replaced', async () => {
    const sink = await startSink('127.0.0.1')
    await start(ONE_HOST)
    await send('one@example.test')
    sink.dropConnections()
    expect(await send('two@example.test')).toMatchObject({ kind: 'delivered' })
    expect(recipients(sink)).toEqual(['one@example.test', 'two@example.test'])
  })

  it('are waited for only so long, which is a shortage of our own', async () => {
    const held = hold()
    await startSink('127.0.0.1', held.options)
    await start(ONE_HOST, { connectionsMax: 1, waitMsMax: 1_000 })
    const first = send('first@example.test')
    await held.reached(1)
    expect(await send('second@example.test')).toMatchObject({ kind: 'delayed', code: null, enhancedCode: '4.4.5', stage: 'connect' })
    held.release()
    expect(await first).toMatchObject({ kind: 'delivered' })
  })

  it('follow the domain to new addresses while older ones are in use', async () => {
    const held = hold()
    const sinks = await startSinks(2, held.options)
    await start(ONE_HOST)
    const sendTo = (address: string) =>
      delivery().send({
        domain: 'example.test',
        set: { key: 'mx.test', hosts: [{ name: 'mx.test', preference: 0, addresses: [address] }] },
        envelope: { from: 'from@sender.test', to: 'to@example.test' },
        message: MESSAGE,
        mayContinue: () => true,
      })
    const first = sendTo('127.0.0.1')
    await held.reached(1)
    const second = sendTo('127.0.0.2')
    await held.reached(2)
    held.release()
    await Promise.all([first, second])
    expect(sinks.map(({ messages }) => messages.length)).toEqual([1, 1])
  })
})

describe('closing', () => {
  it('lets running transactions end and refuses new ones', async () => {
    const held = hold()
    const sink = await startSink('127.0.0.1', held.options)
    await start(TWO_HOSTS)
    const running = send('running@example.test')
    await held.reached(1)
    const closing = delivery().close()
    expect(await send('late@example.test')).toMatchObject({ kind: 'abandoned' })
    held.release()
    await closing
    expect(await running).toMatchObject({ kind: 'delivered' })
    expect(recipients(sink)).toEqual(['running@example.test'])
  })

  it('destroys what does not end in time, which stays unknown', async () => {
    const held = hold()
    await startSink('127.0.0.1', held.options)
    await start(TWO_HOSTS)
    const running = send('running@example.test')
    await held.reached(1)
    await delivery().close(0)
    expect(await running).toMatchObject({ kind: 'delayed', stage: 'end', unknown: true })
    held.release()
  })
})
