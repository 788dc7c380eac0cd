// Tells automations what happened. What cannot be told together is told one by one, and what cannot be told alone is set aside.
import type { Context } from '../../context.ts'
import { NotTold } from '../../lib/automations/not-told.ts'
import { isCanceled, isDeadlock, isSerializationFailure, isUnavailable } from '../../lib/database-errors.ts'
import type { Telling, Told, Wanted } from '../../repositories/automations/occurrences.ts'
import { createTeamTurns } from './team-turns.ts'

/** Told in one batch. */
const OCCURRENCES_MAX = 200
/** Events that are told alone before others are told together again. */
const SUSPECTS_MAX = 1_000
/** A failure that took longer holds up the others. */
const SLOW_MS = 1_000
/** After such a failure, what may fail of the same team rests so many times as long. */
const REST_FACTOR = 9

const SET_ASIDE_EVERY_MS = 1_000

export type Teller = ReturnType<typeof createTeller>

type Dependencies = Pick<Context, 'repositories' | 'hashAddress' | 'clock' | 'log'>
type Suspect = NotTold['events'][number]

export function createTeller({ repositories, hashAddress, clock, log }: Dependencies) {
  const { automationOccurrences } = repositories
  const turns = createTeamTurns((after) => automationOccurrences.teamsAcrossTeams(after))
  let isBehind = false
  /** Events of batches that failed, in their order. Until each is told alone or set aside, their teams are told nothing else. */
  let suspects: Suspect[] = []
  /** When there was last nothing set aside whose time had come. */
  let noneSetAsideMs = Number.NEGATIVE_INFINITY
  /** Until when a team is told nothing that may fail. */
  const restsUntilMs = new Map<string, number>()

  const tellWanted = (wanted: Wanted, claiming?: Telling['claiming']): Promise<Told> =>
    automationOccurrences.tellAcrossTeams({ hashAddress, ...(claiming && { claiming }) }, wanted)

  const isResting = ({ teamId }: Suspect): boolean => (restsUntilMs.get(teamId) ?? 0) > clock.monotonicMs()

  /** Returns whether there may be more. If not all fits into one batch, the teams take turns until there is nothing to tell. */
  async function tellNext(claiming: Telling['claiming']): Promise<boolean> {
    if (suspects.length > SUSPECTS_MAX) return false
    const except = new Set(suspects.map(({ teamId }) => teamId))
    const shares = isBehind || except.size > 0 ? await turns.share(OCCURRENCES_MAX, { except }) : []
    if (shares.length === 0 && except.size > 0) return false
    try {
      const wanted = shares.length > 0 ? { kind: 'shares' as const, shares } : { kind: 'first' as const, occurrencesMax: OCCURRENCES_MAX }
      const told = await tellWanted(wanted, claiming)
      if (told === 'another worker tells') return false
      isBehind = shares.length > 0 || told === 'some'
      return isBehind
    } catch (error) {
      const events = notTold(error)
      log.warn({ err: error, events: events.length }, 'events not told to automations together')
      suspects.push(...events)
      return true
    }
  }

  /** At most one at a look, of a team that need not rest. Returns whether there may be more, or runs that it has started. */
  async function tellSuspect(): Promise<boolean> {
    const suspect = suspects.find((each) => !isResting(each))
    if (!suspect) return tellSetAside()
    const told = await tellAlone({ kind: 'one', seq: suspect.seq })
    if (told === 'all') suspects = suspects.filter((each) => each !== suspect)
    return told === 'all' || suspects.some((each) => !isResting(each))
  }

  /** What is set aside rests for a minute at least, so it need not be looked for at every look. */
  async function tellSetAside(): Promise<boolean> {
    const nowMs = clock.now().getTime()
    if (Math.abs(nowMs - noneSetAsideMs) < SET_ASIDE_EVERY_MS) return false
    const hasMore = (await tellAlone({ kind: 'set aside', exceptTeams: [...restsUntilMs.keys()] })) === 'some'
    if (!hasMore) noneSetAsideMs = nowMs
    return hasMore
  }

  async function tellAlone(wanted: Wanted): Promise<Told> {
    const beganMs = clock.monotonicMs()
    try {
      return await tellWanted(wanted)
    } catch (error) {
      const [event] = notTold(error)
      if (!event) throw error
      const tookMs = clock.monotonicMs() - beganMs
      if (tookMs > SLOW_MS) restsUntilMs.set(event.teamId, clock.monotonicMs() + REST_FACTOR * tookMs)
      const until = await automationOccurrences.setAsideAcrossTeams(event.seq)
      log.error({ err: error, ...event, until }, 'event not told to automations')
      return wanted.kind === 'one' ? 'all' : 'some'
    }
  }

  return {
    /** A bounded part of what there is to tell. Returns whether there may be more. `claiming`: what is done with it, if something is told. */
    async tell(claiming?: Telling['claiming']): Promise<boolean> {
      for (const [teamId, untilMs] of restsUntilMs) if (untilMs <= clock.monotonicMs()) restsUntilMs.delete(teamId)
      return tellNext(claiming)
    },

    tellSuspect,

    /** Tries what is no longer tried by itself. */
    async tellAgain(): Promise<void> {
      const count = await automationOccurrences.tellAgainAcrossTeams(null)
      if (count > 0) log.info({ count }, 'events told to automations again')
    },
  }
}

/** Returns the occurrences that were not told, unless retrying them can help. */
function notTold(error: unknown): Suspect[] {
  if (!(error instanceof NotTold) || isOfMoment(error)) throw error
  return error.events
}

/** A statement that takes too long may do so because of one of them. */
const isOfMoment = (error: unknown): boolean =>
  (isUnavailable(error) && !isCanceled(error)) || isDeadlock(error) || isSerializationFailure(error)
