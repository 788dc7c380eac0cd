import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { SESSIONS_PER_PERSON_MAX } from '../../../../src/modules/accounts/sessions/sessions.repository.ts'
import { sweepSessions } from '../../../../src/server/sweeps.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HOUR_MS = 60 * 60 * 1_000

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeEach(() => service.database.execute('delete from sessions'))

const repositories = () => service.service.context.repositories
const persons: Record<string, string> = {}
beforeAll(async () => {
  for (const name of ['ada', 'ben']) persons[name] = (await repositories().persons.ensureAcrossTeams(`${name}@people.example`, name)).id
})
const begun = () => ({
  id: createId(clock),
  method: 'link' as const,
  teamId: null,
  address: '192.0.2.1',
  browser: 'b',
  createdAt: clock.now(),
  confirmedAt: null,
  operatorUntil: null,
})
/** A session that ends `hours` from now, under the name of its digest. */
const add = (digest: string, hours: number, name = 'ada'): Promise<boolean> =>
  repositories().sessions.add({
    ...begun(),
    digest,
    personId: persons[name] ?? '',
    expiresAt: new Date(clock.now().getTime() + hours * HOUR_MS),
  })
const stored = async () =>
  (await service.database.execute<{ digest: string }>('select digest from sessions order by digest')).map(({ digest }) => digest)

describe('sessions', () => {
  it('are so many of one person at most: one more ends the one that would expire first', async () => {
    const digests = Array.from({ length: SESSIONS_PER_PERSON_MAX }, (_, index) => `session-${String(index).padStart(3, '0')}`)
    for (const [index, digest] of digests.entries()) await add(digest, 2 + index)
    await add('of-another', 1, 'ben')

    await add('session-new', 1_000)

    expect(await stored()).toEqual(['of-another', ...digests.slice(1), 'session-new'])
  })

  it('are no more than that when many sign in at once', async () => {
    for (let index = 0; index < SESSIONS_PER_PERSON_MAX - 1; index += 1) await add(`old-${index}`, 1)
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((digest) => add(digest, 2)))).toEqual([true, true, true, true])
    expect(await stored()).toHaveLength(SESSIONS_PER_PERSON_MAX)
    expect((await stored()).slice(0, 4)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('cannot begin for a person who is gone, and go with theirs', async () => {
    const eve = await repositories().persons.ensureAcrossTeams('eve@people.example', 'Eve')
    persons.eve = eve.id
    await add('kept', 1)
    await add('gone', 1, 'eve')
    await service.database.execute('delete from persons where id = $1', [eve.id])
    expect(await add('none', 1, 'eve')).toBe(false)
    expect(await stored()).toEqual(['kept'])
  })

  it('are removed by the sweep once they have expired, and not before', async () => {
    await add('short', 1)
    await add('long', 2, 'ben')
    clock.advance(HOUR_MS - 1)
    await sweepSessions(service.service.context)
    expect(await stored()).toEqual(['long', 'short'])
    clock.advance(1)
    await sweepSessions(service.service.context)
    expect(await stored()).toEqual(['long'])
  })
})
