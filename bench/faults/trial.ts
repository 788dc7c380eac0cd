// One fault while clients send and workers deliver, and what became of every email.
import { setTimeout as wait } from 'node:timers/promises'
import { startLoad } from '../../test/support/builders/load.ts'
import { until } from '../../test/support/clocks/until.ts'
import type { SharedPostgres } from './shared-postgres.ts'
import { REPLY_DELAY_MS, type Stage } from './stage.ts'

const CLIENTS = 16
/** Between two emails of a client: about 250 a second in all. */
const PAUSE_MS = 50
/** Clients send until the fault is over, and a little longer. This limits how much. */
const EMAILS_MAX = 100_000
const SENT_AFTERWARDS_MS = 1_000
/** For everything after the fault: the lease of the dead, a restart, and the rest of the load. */
const END_MS_MAX = 120_000
/** A transaction that was begun before the fault has ended by then: three delayed replies, and some room. */
const TRANSACTION_MS = 3 * REPLY_DELAY_MS + 20

export type FaultOptions = { shared: SharedPostgres; emails: number; isQuick: boolean }

export type Fault = { name: string; run(options: FaultOptions): Promise<Row[]> }

export type Row = { fault: string; remark: string } & ({ notRun: true } | ({ notRun: false } & Result))

export type Result = {
  accepted: number
  delivered: number
  lost: number
  duplicates: number
  inFlight: number
  refused: number
  /** From the fault to the first delivery that was begun after it, and to the last one. */
  firstMs: number | null
  /** The longest time without any delivery while clients were sending; null where they were done at once. */
  pauseMs: number | null
  allMs: number
  /** What should not have happened; empty when all is well. */
  problems: string[]
}

export type Struck = {
  /** Open attempts when the fault was made: at most this many messages may arrive twice. */
  inFlight: number
  remark?: string
  problems?: string[]
}

export type Trial = {
  fault: string
  /** At least; more when the fault lasts longer. */
  emails: number
  /** Where the next request goes. */
  url: () => string
  /**
   * Makes the fault, and ends it unless the service does that itself. `now` is called at the moment it is made. `accepted` counts the answers with 200
   * so far.
   */
  strike: (now: () => void, accepted: () => number) => Promise<Struck>
  /** Called when all is over. */
  afterwards?: () => Promise<Partial<Struck>>
}

export async function runTrial(stage: Stage, { fault, emails, url, strike, afterwards }: Trial): Promise<Row> {
  const load = startLoad({
    url,
    token: stage.place.token,
    count: EMAILS_MAX,
    clients: CLIENTS,
    pauseMs: PAUSE_MS,
    // A client that got no answer asks again with the same key, so an email is accepted once.
    request: (index) => ({ key: `email-${index}` }),
  })
  await until(
    () => {
      expectCount(acceptedIds(load.accepted), emails / 4)
      expectCount(stage.arrivals, emails / 10)
    },
    { timeout: END_MS_MAX, interval: 5 },
  )
  let struckAtMs = performance.now()
  const struck = await strike(
    () => {
      struckAtMs = performance.now()
    },
    () => load.statuses['200'] ?? 0,
  )
  const problems = [...(struck.problems ?? [])]
  await wait(SENT_AFTERWARDS_MS)
  await until(() => expectCount(acceptedIds(load.accepted), emails), { timeout: END_MS_MAX }).catch((error: Error) =>
    problems.push(error.message),
  )
  load.stop()
  const isAccepted = await Promise.race([load.done.then(() => true), wait(END_MS_MAX, false, { ref: false })])
  const sentUntilMs = performance.now()
  if (!isAccepted) problems.push('not everything was accepted in time')
  await untilSettled(stage).catch((error: Error) => problems.push(error.message))
  const last = await afterwards?.()
  const accepted = acceptedIds(load.accepted)
  const stored = await stage.count('from emails')
  if (stored !== accepted.length) problems.push(`${stored} emails are stored`)
  const notDelivered = await stage.count(`from emails where last_event <> 'delivered'`)
  if (notDelivered > 0) problems.push(`${notDelivered} emails are not marked as delivered`)
  const told = await stage.count('from (select from notifications group by subject_id, type having count(*) > 1) twice')
  if (told > 0) problems.push(`${told} events were told twice`)
  return {
    fault,
    remark: [struck.remark, last?.remark].filter((part) => part).join('; '),
    ...account(stage, {
      accepted,
      inFlight: last?.inFlight ?? struck.inFlight,
      refused: refusedOf(load.statuses),
      struckAtMs,
      sentUntilMs,
      problems: [...problems, ...(last?.problems ?? []), ...unexpected(load.statuses)],
    }),
  }
}

function expectCount(what: unknown[], count: number): void {
  if (what.length < count) throw new Error(`Only ${what.length} of ${count} emails are through`)
}

/** Nothing is left to deliver, and no attempt is without an outcome. */
export const untilSettled = (stage: Stage): Promise<void> =>
  until(
    async () => {
      const deliveries = await stage.count('from deliveries')
      if (deliveries > 0) throw new Error(`${deliveries} deliveries are left`)
      const open = await stage.count('from attempts where outcome is null')
      if (open > 0) throw new Error(`${open} attempts have no outcome`)
    },
    { timeout: END_MS_MAX, interval: 100 },
  )

type Account = Pick<Result, 'inFlight' | 'refused' | 'problems'> & {
  accepted: string[]
  struckAtMs: number
  sentUntilMs?: number
  /** What was begun before the fault has ended by then. */
  transactionMs?: number
  bounced?: number
}

/** The result of one row: which emails were accepted, and how often each arrived. */
export function account(
  stage: Pick<Stage, 'arrivals'>,
  { accepted, bounced = 0, inFlight, refused, struckAtMs, sentUntilMs, transactionMs = TRANSACTION_MS, problems }: Account,
): { notRun: false } & Result {
  const arrived = new Set(stage.arrivals.map(({ emailId }) => emailId))
  const delivered = accepted.filter((id) => arrived.has(id)).length
  const lost = accepted.length - delivered - bounced
  const duplicates = stage.arrivals.length - arrived.size
  const after = stage.arrivals.map(({ atMs }) => atMs - struckAtMs).filter((ms) => ms > 0)
  return {
    notRun: false,
    accepted: accepted.length,
    delivered,
    lost,
    duplicates,
    inFlight,
    refused,
    firstMs: after.find((ms) => ms > transactionMs) ?? null,
    pauseMs: sentUntilMs === undefined ? null : longestPause(after, sentUntilMs - struckAtMs),
    allMs: after.at(-1) ?? 0,
    problems: [
      ...problems,
      ...(lost === 0 ? [] : [`${lost} lost`]),
      ...(duplicates <= inFlight ? [] : [`${duplicates} duplicates of ${inFlight} in flight`]),
    ],
  }
}

function longestPause(arrivals: number[], untilMs: number): number {
  const moments = [0, ...arrivals.filter((ms) => ms < untilMs), untilMs]
  return Math.max(...moments.map((ms, index) => ms - (moments[index - 1] ?? 0)))
}

/** While the load runs, ids are missing where no answer has arrived yet. */
export const acceptedIds = (accepted: string[]): string[] => accepted.filter((id) => id !== undefined)

export const refusedOf = (statuses: Record<string, number>): number => (statuses['503'] ?? 0) + (statuses.none ?? 0)

/** A fault on our side is no fault of the request. */
export const unexpected = (statuses: Record<string, number>): string[] =>
  Object.entries(statuses).flatMap(([status, count]) =>
    ['200', '503', 'none'].includes(status) ? [] : [`${count} answers were ${status}`],
  )
