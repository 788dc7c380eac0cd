// Whose broadcasts are worked on when several have something to do.
import { afterEach, expect, it } from 'vitest'
import type { Context } from '../../../src/context.ts'
import { createId } from '../../../src/lib/ids.ts'
import {
  type BroadcastSenders,
  CONTACTS_MAX_BESIDE_URGENT_MAIL,
  startSendingBroadcasts,
  TEAMS_AT_ONCE_MAX,
} from '../../../src/modules/broadcasts/broadcasts.worker.ts'
import type { FannedOut } from '../../../src/modules/broadcasts/fan-out.repository.ts'
import { addManyMembers, createBroadcast, emailsOf } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

/** Nothing is looked at by the clock, so that all that happens has a cause. */
const NEVER_MS = 3_600_000
const MEMBERS = 3

const NO_WORK = { urgentMail: { isRecent: () => false }, recentFanOut: { note() {} } }

let senders: BroadcastSenders | null = null
const service = shared(() => startTestService())
afterEach(async () => {
  await senders?.stop()
  senders = null
  await service.database.execute('update broadcasts set due_at = null')
})

async function sendBroadcast(): Promise<string> {
  const segmentId = await addSegment(service)
  await addManyMembers(service, segmentId, MEMBERS)
  return createBroadcast(service, { segment_id: segmentId, send: true })
}

/** One that was sent by another team, which has nothing else. It is a draft until it belongs to that team, so that running senders do not take it for the first team. */
async function sendBroadcastOfNewTeam(): Promise<{ id: string; teamId: string }> {
  const [id, teamId, segmentId] = [await createBroadcast(service), createId(), createId()]
  const { execute } = service.database
  await execute(`insert into teams (id, name, created_at) values ($1, 'Other', now())`, [teamId])
  await execute(`insert into segments (id, team_id, name, created_at) values ($1, $2, 'All', now())`, [segmentId, teamId])
  await addManyMembers({ ...service, teamId }, segmentId, MEMBERS)
  // From the clock of the senders: the column rounds `now()` to milliseconds, often up, and they look only once.
  const dueAt = service.service.context.clock.now()
  await execute(`update broadcasts set team_id = $2, segment_id = $3, status = 'queued', due_at = $4 where id = $1`, [
    id,
    teamId,
    segmentId,
    dueAt,
  ])
  return { id, teamId }
}

/** The service's context, where the fan-outs of some teams wait until they are released, as those with a slow filter do. */
function withSlowTeams(isSlow: (teamId: string) => boolean) {
  const { context } = service.service
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const waiting: string[] = []
  const looks: string[] = []
  const repositories: Context['repositories'] = {
    ...context.repositories,
    broadcastFanOut: {
      async next(teamId, fanOut) {
        if (isSlow(teamId)) {
          waiting.push(teamId)
          await released
        }
        return context.repositories.broadcastFanOut.next(teamId, fanOut)
      },
    },
    dueBroadcasts: {
      ...context.repositories.dueBroadcasts,
      list(teamId, now) {
        looks.push(teamId)
        return context.repositories.dueBroadcasts.list(teamId, now)
      },
    },
  }
  return { context: { ...context, repositories }, release, waiting, looks }
}

const untilMade = (id: string) => until(async () => expect(await emailsOf(service, id)).toHaveLength(MEMBERS))

it('makes the emails of a team while the filter of another one is slow, of which one is run at a time', async () => {
  const [slow, alsoSlow] = [await sendBroadcast(), await sendBroadcast()]
  const quick = await sendBroadcastOfNewTeam()
  const { context, release, waiting } = withSlowTeams((teamId) => teamId === service.teamId)
  senders = startSendingBroadcasts(context, { ...NO_WORK, lookEveryMs: NEVER_MS })
  await until(() => expect(waiting).toEqual([service.teamId]))
  await untilMade(quick.id)
  expect([await emailsOf(service, slow), await emailsOf(service, alsoSlow)]).toEqual([[], []])
  expect(waiting).toEqual([service.teamId])
  release()
  await untilMade(slow)
  await untilMade(alsoSlow)
})

it('works for some teams at once, and for each in its turn', async () => {
  const teams = await Promise.all(Array.from({ length: TEAMS_AT_ONCE_MAX + 2 }, sendBroadcastOfNewTeam))
  const { context, release, waiting } = withSlowTeams(() => true)
  senders = startSendingBroadcasts(context, { ...NO_WORK, lookEveryMs: NEVER_MS })
  await until(() => expect(waiting).toHaveLength(TEAMS_AT_ONCE_MAX))
  senders.wake()
  // Asked after the senders looked again: none of the others has begun.
  const [longest] = await context.repositories.dueBroadcasts.teamsAcrossTeams(new Date(), { except: waiting, max: 1 })
  expect({ waiting: waiting.length, isLeft: longest !== undefined }).toEqual({ waiting: TEAMS_AT_ONCE_MAX, isLeft: true })
  release()
  for (const { id } of teams) await untilMade(id)
})

it('does not ask again and again for what another worker has in its hands', async () => {
  const held = await sendBroadcastOfNewTeam()
  const others = await Promise.all([sendBroadcastOfNewTeam(), sendBroadcastOfNewTeam()])
  const { context, looks } = withSlowTeams(() => false)
  await service.database.transaction(async (inside) => {
    await inside('select from broadcasts where id = $1 for update', [held.id])
    senders = startSendingBroadcasts(context, { ...NO_WORK, lookEveryMs: NEVER_MS })
    for (const { id } of others) await untilMade(id)
    await until(() => expect(looks).toEqual(expect.arrayContaining([held.teamId])))
    expect(looks.filter((teamId) => teamId === held.teamId)).toHaveLength(1)
  })
  senders?.wake()
  await untilMade(held.id)
})

it('makes few emails at a time beside transactional mail, and rests for as long as each step took, up to a second', async () => {
  const { context } = service.service
  const sizes: number[] = []
  const rests: number[] = []
  let nowMs = 0
  let isRecent = true
  let stepMs = 300
  const repositories: Context['repositories'] = {
    ...context.repositories,
    broadcastFanOut: {
      next(teamId, fanOut) {
        sizes.push(fanOut.contactsMax)
        nowMs += stepMs
        return context.repositories.broadcastFanOut.next(teamId, fanOut)
      },
    },
  }
  senders = startSendingBroadcasts(
    { ...context, repositories, clock: { ...context.clock, monotonicMs: () => nowMs } },
    {
      urgentMail: { isRecent: () => isRecent },
      recentFanOut: NO_WORK.recentFanOut,
      lookEveryMs: NEVER_MS,
      async rest(ms) {
        rests.push(ms)
      },
    },
  )
  async function makeAll(): Promise<void> {
    const { id } = await sendBroadcastOfNewTeam()
    senders?.wake()
    await untilMade(id)
  }
  await makeAll()
  stepMs = 5_000
  await makeAll()
  await until(() => expect([...new Set(rests.filter((ms) => ms > 0))]).toEqual([300, 1_000]))
  expect(new Set(sizes)).toEqual(new Set([CONTACTS_MAX_BESIDE_URGENT_MAIL]))
  isRecent = false
  const restsBefore = rests.length
  await makeAll()
  expect({ size: sizes.at(-1), rests: rests.length }).toEqual({ size: 5_000, rests: restsBefore })
})

it('notes steps that follow each other at once, and not those of a rate', async () => {
  const { context } = service.service
  const later = { dueAt: new Date(context.clock.now().getTime() + NEVER_MS) }
  const answers: FannedOut[] = ['more', later, 'more', 'more', later]
  let noted = 0
  const repositories = { ...context.repositories, broadcastFanOut: { next: async () => answers.shift() ?? later } }
  const recentFanOut = {
    note() {
      noted += 1
    },
  }
  senders = startSendingBroadcasts({ ...context, repositories }, { ...NO_WORK, recentFanOut, lookEveryMs: NEVER_MS })
  await sendBroadcastOfNewTeam()
  senders.wake()
  await until(() => expect(answers).toHaveLength(3))
  expect(noted).toBe(0)
  senders.wake()
  await until(() => {
    senders?.wake()
    expect(answers).toEqual([])
  })
  expect(noted).toBe(1)
})

it('ends a rest when it stops', async () => {
  const { context } = service.service
  const { promise: resting, resolve: beginRest } = Promise.withResolvers<void>()
  senders = startSendingBroadcasts(context, {
    ...NO_WORK,
    urgentMail: { isRecent: () => true },
    lookEveryMs: NEVER_MS,
    rest: (_ms, stopping) =>
      new Promise((resolve) => {
        stopping.addEventListener('abort', resolve)
        beginRest()
      }),
  })
  await sendBroadcastOfNewTeam()
  senders.wake()
  await resting
  await senders.stop()
})
