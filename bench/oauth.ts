import { BUILT_IN_CLIENT, codeFor, post, type Tokens } from '../test/support/clients/oauth-client.ts'
import { generateLoad, type Load } from './load.ts'
import { createDatabase, dropDatabase, environmentOf, type Place, query, startService, TOKEN } from './place.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { atLeast, atMost, mean, percentile, perSecond, type Row } from './table.ts'

const FULL = { warmUp: 2, seconds: 3, rounds: 5, refreshes: 4_000 }
const QUICK = { warmUp: 1, seconds: 1, rounds: 1, refreshes: 200 }
/** Programs that refresh at once, each its own grant. */
const PROGRAMS = 20
const CONNECTIONS = 10
const REFRESHES_PER_SECOND_MIN = 500
const SLOWER_MAX = 1.1
const REDIRECT_URI = 'http://127.0.0.1:1/oauth/callback'

/** New tokens for refresh tokens, and requests with an access token beside the same with a key. */
export async function measureOAuth(place: Place): Promise<Row[]> {
  const size = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_oauth')
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api', RATE_LIMIT_PER_SECOND: '0' })
  try {
    const [team] = await query<{ id: string }>(databaseUrl, 'select id from teams order by id limit 1')
    const site = { url: service.url, token: TOKEN, teamId: team?.id ?? '' }
    const programs = await Promise.all(Array.from({ length: PROGRAMS }, () => begin(site)))
    await refreshAll(site, programs, size.refreshes / 4)
    const pid = service.child.pid ?? 0
    const cpu = () => ({ service: processCpuMs(pid), postgres: postgresCpuMs(place.dataDir) })
    const before = cpu()
    const startedAt = performance.now()
    const durations = await refreshAll(site, programs, size.refreshes)
    const rate = (durations.length * 1_000) / (performance.now() - startedAt)
    const after = cpu()
    const perRefresh = (process: 'service' | 'postgres') => `${((after[process] - before[process]) / durations.length).toFixed(2)} ms`

    const url = `${service.url}/domains`
    const load = (token: string, seconds: number) => generateLoad({ url, connections: CONNECTIONS, seconds, method: 'GET', token })
    const access = programs[0]?.access_token ?? ''
    for (const token of [TOKEN, access]) await load(token, size.warmUp)
    const keys: Load[] = []
    const tokens: Load[] = []
    for (let round = 0; round < size.rounds; round += 1) {
      keys.push(await load(TOKEN, size.seconds))
      tokens.push(await load(access, size.seconds))
    }
    const meanOf = (loads: Load[], of: keyof Load) => mean(loads.map((one) => one[of]))
    const slower = meanOf(keys, 'perSecond') / meanOf(tokens, 'perSecond')
    const rowOf = (what: string, loads: Load[]): Row => ({
      what,
      result: perSecond(meanOf(loads, 'perSecond')),
      p50: meanOf(loads, 'p50'),
      p99: meanOf(loads, 'p99'),
    })
    return [
      {
        what: 'oauth: refresh tokens exchanged',
        result: perSecond(rate),
        p50: percentile(durations, 0.5),
        p99: percentile(durations, 0.99),
        wanted: atLeast(rate, REFRESHES_PER_SECOND_MIN),
      },
      { what: 'oauth: processor time of a refresh', result: `${perRefresh('service')}, and ${perRefresh('postgres')} of PostgreSQL` },
      rowOf('oauth: GET /domains with a key', keys),
      {
        ...rowOf('oauth: the same with an access token, in turns', tokens),
        ratio: slower,
        wanted: atMost(slower, SLOWER_MAX, `ratio at most ${SLOWER_MAX}`),
      },
    ]
  } finally {
    await service.stop()
    await dropDatabase(place, 'bench_oauth')
  }
}

type Site = { url: string; token: string; teamId: string }

async function begin(site: Site): Promise<Tokens> {
  const { fields } = await codeFor(site, BUILT_IN_CLIENT, { redirect_uri: REDIRECT_URI })
  return (await post(site, '/oauth/token', fields)).body as Tokens
}

/** Each program exchanges one token after the other. Returns how long each exchange took, in milliseconds. */
async function refreshAll(site: Site, programs: Tokens[], count: number): Promise<number[]> {
  const durations: number[] = []
  await Promise.all(
    programs.map(async (program) => {
      while (durations.length < count) {
        const startedAt = performance.now()
        const fields = { grant_type: 'refresh_token', client_id: BUILT_IN_CLIENT, refresh_token: program.refresh_token }
        const { status, body } = await post(site, '/oauth/token', fields)
        if (status !== 200) throw new Error(`Not refreshed: ${JSON.stringify(body)}`)
        Object.assign(program, body)
        durations.push(performance.now() - startedAt)
      }
    }),
  )
  return durations
}
