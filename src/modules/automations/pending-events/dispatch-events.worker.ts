// Tells automations what happened. What cannot be dispatched together is dispatched one by one, and what cannot be dispatched alone is set aside.

import { isCanceled, isDeadlock, isSerializationFailure, isUnavailable } from '../../../db/database-errors.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { LOWEST_ID } from '../../../lib/ids.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import { chooseLanes, NEW_ROUND_ROBIN } from '../../delivery/lanes.ts'
import type { AutomationsContext } from '../automations.context.ts'
import type { TeamQuota, TeamsWithWork } from '../runs/due-runs.repository.ts'
import { NotDispatched } from './notified-runs.repository.ts'
import type { DispatchOptions, DispatchOutcome, Wanted } from './occurrences.repository.ts'

type Context = PlatformContext & AudienceContext & AutomationsContext

// Whose turn it is when several teams have work and not all of it fits into one batch: as with mail, the team that has waited longest is next, however
// much another one has.

/** `look`: which teams after this one have work. */
export function createTeamRoundRobin(look: (after: string) => Promise<TeamsWithWork>) {
  let turns = NEW_ROUND_ROBIN
  let after: string = LOWEST_ID

  return {
    /** Shares the places among the teams that have work. Nothing is shared out if none of those that were looked at has any. */
    async share(places: number, { except }: { except: ReadonlySet<string> } = { except: new Set() }): Promise<TeamQuota[]> {
      const { teamIds, lookOnAfter } = await look(after)
      after = lookOnAfter ?? LOWEST_ID
      const lanes = teamIds
        .filter((teamId) => !except.has(teamId))
        .map((teamId) => ({ class: 'transactional', teamId, destination: '' }) as const)
      const chosen = chooseLanes(lanes, { free: places, freeForBulk: 0, at: () => Number.POSITIVE_INFINITY }, turns)
      turns = chosen.turns
      return chosen.allotments.map(({ teamId, count }) => ({ teamId, count }))
    },
  }
}

/** Told in one batch. */
const OCCURRENCES_MAX = 200
/** Events that are dispatched alone before others are dispatched together again. */
const SUSPECTS_MAX = 1_000
/** A failure that took longer holds up the others. */
const SLOW_MS = 1_000
/** After such a failure, what may fail of the same team rests so many times as long. */
const REST_FACTOR = 9

const SET_ASIDE_EVERY_MS = 1_000

export type EventDispatcher = ReturnType<typeof createEventDispatcher>

type Dependencies = Pick<Context, 'repositories' | 'hashAddress' | 'clock' | 'log'>
type Suspect = NotDispatched['events'][number]

export function createEventDispatcher({ repositories, hashAddress, clock, log }: Dependencies) {
  const { automationOccurrences } = repositories
  const turns = createTeamRoundRobin((after) => automationOccurrences.teamsAcrossTeams(after))
  let isBehind = false
  /** Events of batches that failed, in their order. Until each is dispatched alone or set aside, nothing else of their teams is dispatched. */
  let suspects: Suspect[] = []
  /** When there was last nothing set aside whose time had come. */
  let noneSetAsideMs = Number.NEGATIVE_INFINITY
  /** Until when nothing of a team is dispatched that may fail. */
  const restsUntilMs = new Map<string, number>()

  const dispatchWanted = (wanted: Wanted, claiming?: DispatchOptions['claiming']): Promise<DispatchOutcome> =>
    automationOccurrences.dispatchAcrossTeams({ hashAddress, ...(claiming && { claiming }) }, wanted)

  const isResting = ({ teamId }: Suspect): boolean => (restsUntilMs.get(teamId) ?? 0) > clock.monotonicMs()

  /** Returns whether there may be more. If not all fits into one batch, the teams take turns until there is nothing to tell. */
  async function dispatchNext(claiming: DispatchOptions['claiming']): Promise<boolean> {
    if (suspects.length > SUSPECTS_MAX) return false
    const except = new Set(suspects.map(({ teamId }) => teamId))
    const shares = isBehind || except.size > 0 ? await turns.share(OCCURRENCES_MAX, { except }) : []
    if (shares.length === 0 && except.size > 0) return false
    try {
      const wanted = shares.length > 0 ? { kind: 'shares' as const, shares } : { kind: 'first' as const, occurrencesMax: OCCURRENCES_MAX }
      const result = await dispatchWanted(wanted, claiming)
      if (result === 'another worker dispatches') return false
      isBehind = shares.length > 0 || result === 'some'
      return isBehind
    } catch (error) {
      const events = undispatchedIn(error)
      log.warn({ err: error, events: events.length }, 'events not dispatched together')
      suspects.push(...events)
      return true
    }
  }

  /** At most one at a look, of a team that need not rest. Returns whether there may be more, or runs that it has started. */
  async function dispatchSuspect(): Promise<boolean> {
    const suspect = suspects.find((each) => !isResting(each))
    if (!suspect) return dispatchSetAside()
    const result = await dispatchAlone({ kind: 'one', seq: suspect.seq })
    if (result === 'all') suspects = suspects.filter((each) => each !== suspect)
    return result === 'all' || suspects.some((each) => !isResting(each))
  }

  /** What is set aside rests for a minute at least, so it need not be looked for at every look. */
  async function dispatchSetAside(): Promise<boolean> {
    const nowMs = clock.now().getTime()
    if (Math.abs(nowMs - noneSetAsideMs) < SET_ASIDE_EVERY_MS) return false
    const hasMore = (await dispatchAlone({ kind: 'set aside', exceptTeams: [...restsUntilMs.keys()] })) === 'some'
    if (!hasMore) noneSetAsideMs = nowMs
    return hasMore
  }

  async function dispatchAlone(wanted: Wanted): Promise<DispatchOutcome> {
    const beganMs = clock.monotonicMs()
    try {
      return await dispatchWanted(wanted)
    } catch (error) {
      const [event] = undispatchedIn(error)
      if (!event) throw error
      const tookMs = clock.monotonicMs() - beganMs
      if (tookMs > SLOW_MS) restsUntilMs.set(event.teamId, clock.monotonicMs() + REST_FACTOR * tookMs)
      const until = await automationOccurrences.setAsideAcrossTeams(event.seq)
      log.error({ err: error, ...event, until }, 'event not dispatched')
      return wanted.kind === 'one' ? 'all' : 'some'
    }
  }

  return {
    /** A bounded part of what there is to tell. Returns whether there may be more. `claiming`: what is done with it, if something is dispatched. */
    async dispatch(claiming?: DispatchOptions['claiming']): Promise<boolean> {
      for (const [teamId, untilMs] of restsUntilMs) if (untilMs <= clock.monotonicMs()) restsUntilMs.delete(teamId)
      return dispatchNext(claiming)
    },

    dispatchSuspect,

    /** Tries what is no longer tried by itself. */
    async dispatchAgain(): Promise<void> {
      const count = await automationOccurrences.dispatchAgainAcrossTeams(null)
      if (count > 0) log.info({ count }, 'events dispatched again')
    },
  }
}

/** Returns the occurrences that were not told, unless retrying them can help. */
function undispatchedIn(error: unknown): Suspect[] {
  if (!(error instanceof NotDispatched) || isTransient(error)) throw error
  return error.events
}

/** A statement that takes too long may do so because of one of them. */
const isTransient = (error: unknown): boolean =>
  (isUnavailable(error) && !isCanceled(error)) || isDeadlock(error) || isSerializationFailure(error)
