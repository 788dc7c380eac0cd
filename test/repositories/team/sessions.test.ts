import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { digestOf } from '../../../src/lib/tokens.ts'
import { SESSIONS_PER_KEY_MAX } from '../../../src/repositories/team/sessions.ts'
import { sweepSessions } from '../../../src/workers/sweep.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/moving-clock.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const HOUR_MS = 60 * 60 * 1_000

let service: TestService
let clock: MovingClock

beforeAll(async () => {
  clock = createMovingClock()
  service = await startTestService({ clock })
})
beforeEach(() => service.database.execute('delete from sessions'))
afterAll(() => service.close())

const repositories = () => service.service.context.repositories
const holderOf = async (token: string) => {
  const holder = await repositories().apiKeys.recognizeAcrossTeams(digestOf(token))
  if (!holder) throw new Error('The key of a test is not known')
  return holder
}
const begun = () => ({
  ...{ id: createId(clock), method: 'api_key' as const, person: null, address: '192.0.2.1', browser: 'b', createdAt: clock.now() },
})
/** A session that ends `hours` from now, under the name of its digest. */
async function add(digest: string, hours: number, token = service.token): Promise<boolean> {
  const { teamId, apiKeyId } = await holderOf(token)
  return repositories().sessions.add({ ...begun(), digest, teamId, apiKeyId, expiresAt: new Date(clock.now().getTime() + hours * HOUR_MS) })
}
const stored = async () =>
  (await service.database.execute<{ digest: string }>('select digest from sessions order by digest')).map(({ digest }) => digest)

describe('sessions', () => {
  it('are so many of one key at most: one more ends the one that would expire first', async () => {
    const digests = Array.from({ length: SESSIONS_PER_KEY_MAX }, (_, index) => `session-${String(index).padStart(3, '0')}`)
    for (const [index, digest] of digests.entries()) await add(digest, 2 + index)
    await add('of-another-key', 1, service.other.token)

    await add('session-new', 1_000)

    expect(await stored()).toEqual(['of-another-key', ...digests.slice(1), 'session-new'])
  })

  it('are no more than that when many sign in at once', async () => {
    for (let index = 0; index < SESSIONS_PER_KEY_MAX - 1; index += 1) await add(`old-${index}`, 1)
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((digest) => add(digest, 2)))).toEqual([true, true, true, true])
    expect(await stored()).toHaveLength(SESSIONS_PER_KEY_MAX)
    expect((await stored()).slice(0, 4)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('cannot begin for a key that is gone, that may only send, or that another team has', async () => {
    const token = await service.createKey(service.teamId)
    const gone = await holderOf(token)
    await repositories().apiKeys.remove(gone.teamId, gone.apiKeyId)
    const expiresAt = new Date(clock.now().getTime() + HOUR_MS)
    const sending = await holderOf(service.sendingToken)
    const mine = await holderOf(service.token)

    for (const { teamId, apiKeyId } of [gone, sending, { ...mine, teamId: service.other.teamId }])
      expect(await repositories().sessions.add({ ...begun(), digest: 'none', teamId, apiKeyId, expiresAt })).toBe(false)
    expect(await stored()).toEqual([])
  })

  it('go with their key', async () => {
    const token = await service.createKey(service.teamId)
    await add('kept', 1)
    await add('gone', 1, token)
    const { teamId, apiKeyId } = await holderOf(token)
    await repositories().apiKeys.remove(teamId, apiKeyId)
    expect(await stored()).toEqual(['kept'])
  })

  it('are removed by the sweep once they have expired, and not before', async () => {
    await add('short', 1)
    await add('long', 2, service.other.token)
    clock.advance(HOUR_MS - 1)
    await sweepSessions(service.service.context)
    expect(await stored()).toEqual(['long', 'short'])
    clock.advance(1)
    await sweepSessions(service.service.context)
    expect(await stored()).toEqual(['long'])
  })
})
