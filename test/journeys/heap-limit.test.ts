import { afterEach, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import type { Place, ServiceProcess } from '../support/processes/processes.ts'

let place: Place
afterEach(() => place.close())

/** Node.js runs it at the beginning of the process, and of each of its threads. */
const TELL = `import { getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'
console.log((isMainThread ? 'process ' : 'thread ') + process.pid + ' may take ' + Math.round(getHeapStatistics().heap_size_limit / 1048576) + ' MB')`
/** Long enough for a thread. */
const LONG = `<p>${'A line of a long text.\n'.repeat(10_000)}</p>`

const start = (...flags: string[]): Promise<ServiceProcess> =>
  place.start({
    command: [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(TELL)}`, ...flags, 'posthaste.js', 'start'],
  })

/** What the process with this id, and no other, said last. */
const told = ({ output, pid }: ServiceProcess, who: 'process' | 'thread'): number =>
  Number([...output().matchAll(new RegExp(`^${who} ${pid} may take (\\d+) MB$`, 'gm'))].at(-1)?.[1])

async function sendLongText({ url }: ServiceProcess): Promise<void> {
  const email = { from: 'a@example.com', to: 'delivered@simulator.test', subject: 'Long', html: LONG }
  const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/emails`, { method: 'POST', headers, body: JSON.stringify(email) })
  expect(status).toBe(200)
}

it('with MEMORY_MB, the heap of the process and of each thread is limited to half of it, under the id with which the process began', async () => {
  place = await createPreparedPlace({ MEMORY_MB: '512', SIMULATOR_DOMAINS: 'simulator.test' })
  const service = await start()
  expect(told(service, 'process')).toBe(256)

  await sendLongText(service)
  await until(() => expect(told(service, 'thread')).toBe(256))
  expect(await service.signal('SIGTERM')).toEqual({ status: 0, signal: null })
})

it('a limit that the operator has given to Node.js stays', async () => {
  place = await createPreparedPlace({ MEMORY_MB: '512' })
  const service = await start('--max-old-space-size=400')
  expect(told(service, 'process')).toBeGreaterThanOrEqual(400)
})
