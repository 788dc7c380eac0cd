import { join } from 'node:path'
import { email } from './email.ts'
import { type Place, TOKEN } from './place.ts'
import { freePort, run, stop, until } from './processes.ts'
import { atMost, type Row } from './table.ts'

const STARTS = 5
const MS_MAX = 2_000
const LIMIT_MS = 30_000
const EMAILS = 100

/** From the command to the first answer, with the embedded PostgreSQL and a data folder that has been used. */
export async function measureStart({ dataDir }: Place): Promise<Row[]> {
  const environment = { DATA_DIR: join(dataDir, 'start'), BOOTSTRAP_API_KEY: TOKEN, RATE_LIMIT_PER_SECOND: '1000000' }
  await startOnce(environment, async (url) => {
    for (let index = 0; index < EMAILS; index++) {
      const answer = await fetch(`${url}/emails`, { method: 'POST', headers, body: JSON.stringify(email(index)) })
      if (answer.status !== 200) throw new Error(`An email was not accepted: ${await answer.text()}`)
    }
  })
  const times: number[] = []
  for (let index = 0; index < STARTS; index++) times.push(await startOnce(environment, async () => {}))
  const slowest = Math.max(...times)
  return [
    {
      what: `start: to the first answer, slowest of ${STARTS}`,
      result: `${(slowest / 1_000).toFixed(2)} s`,
      wanted: atMost(slowest, MS_MAX, `under ${MS_MAX / 1_000} s`),
    },
  ]
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

/** @returns how long it took until a list of emails was answered. */
async function startOnce(environment: Record<string, string>, visit: (url: string) => Promise<void>): Promise<number> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedMs = performance.now()
  const service = run('posthaste.js', ['start'], { environment: { ...environment, PORT: String(port) } })
  await until(
    async () => (await fetch(`${url}/emails`, { headers }).catch(() => null))?.status === 200,
    () => `The service did not answer within ${LIMIT_MS / 1_000} s`,
    LIMIT_MS,
  )
  const tookMs = performance.now() - startedMs
  await visit(url)
  await stop(service)
  return tookMs
}
