// When a message that an endpoint did not accept is tried again.
import { HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'

const SECOND_MS = 1_000

/** What is waited for after each failure. After the last, the message is given up. */
export const RETRY_WAITS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS]
export const ATTEMPTS_MAX = RETRY_WAITS_MS.length + 1
export const LONGEST_WAIT_MS = Math.max(...RETRY_WAITS_MS)

/** Varies each wait, so that messages that failed together do not come back together. */
const JITTER = 0.1

/**
 * @param failures of this message, this one included
 * @param retryAfterMs what the endpoint asked for with Retry-After; null if it did not. It is never waited for longer than the longest wait.
 * @returns null if the message is given up
 */
export function nextAttemptAt(
  { failures, retryAfterMs }: { failures: number; retryAfterMs: number | null },
  { now, random }: { now: Date; random: () => number },
): Date | null {
  const waitMs = RETRY_WAITS_MS[failures - 1]
  if (waitMs === undefined) return null
  const jittered = waitMs * (1 + JITTER * random())
  return new Date(now.getTime() + Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS)))
}

/** A webhook whose attempts have failed for so long is disabled. */
export const FAILING_DAYS_MAX = 5
export const FAILING_MS_MAX = FAILING_DAYS_MAX * 24 * HOUR_MS

// Chooses which webhooks are sent to next: a pure choice. A team has only some of the places, and a webhook only some of its team's. The last places
// are kept for those that have few requests running, so that endpoints that never answer delay no others.

export type WaitingWebhook = {
  webhookId: string
  teamId: string
  /** Requests that it may have running. */
  runningMax: number
}
export type WebhookAllotment = { webhookId: string; count: number }

/** How many requests are running, by webhook and by team. Those that have none are absent. */
export type RunningRequests = { ofWebhook: ReadonlyMap<string, number>; ofTeam: ReadonlyMap<string, RunningOfTeam>; total: number }
export type RunningOfTeam = { requests: number; webhooks: number }

export type Places = { all: number; reserved: number }

/** Requests of a process at once: twice those of a team. */
export const PLACES: Places = { all: 560, reserved: 100 }
/** The places of one team: enough for ten endpoints with all of their usual requests, while another endpoint lets all of its requests hang. */
export const PLACES_OF_TEAM: Places = { all: 280, reserved: 50 }

/**
 * Teams take turns, and the webhooks of a team that have the fewest requests running come first.
 *
 * @returns at most `max` places over all allotments
 */
export function chooseWebhooks(
  waiting: readonly WaitingWebhook[],
  running: RunningRequests,
  { max, places = PLACES, placesOfTeam = PLACES_OF_TEAM }: { max: number; places?: Places; placesOfTeam?: Places },
): WebhookAllotment[] {
  const teams = teamsInTurn(waiting, running)
  const teamCount = new Set([...running.ofTeam.keys(), ...teams.map(({ teamId }) => teamId)]).size
  let given = 0
  let isAnyGiven = true
  while (isAnyGiven && given < max) {
    isAnyGiven = false
    for (const team of teams) {
      if (given >= max || !hasPlace(places, { taken: running.total + given, own: team.requests, sharers: teamCount })) continue
      const next = team.webhooks.find(
        ({ requests, runningMax }) =>
          requests < runningMax && hasPlace(placesOfTeam, { taken: team.requests, own: requests, sharers: team.webhookCount }),
      )
      if (!next) continue
      next.requests += 1
      next.given += 1
      team.requests += 1
      given += 1
      isAnyGiven = true
      // Its turn comes again after the others have had theirs.
      team.webhooks.push(...team.webhooks.splice(team.webhooks.indexOf(next), 1))
    }
  }
  return teams.flatMap(({ webhooks }) => webhooks.flatMap(({ webhookId, given: count }) => (count > 0 ? [{ webhookId, count }] : [])))
}

/** Once the places that are not reserved are taken, each may have only its share of the reserved ones; there is always a share for one more. */
function hasPlace({ all, reserved }: Places, { taken, own, sharers }: { taken: number; own: number; sharers: number }): boolean {
  if (taken >= all) return false
  return taken < all - reserved || own < Math.max(1, Math.floor(reserved / (sharers + 1)))
}

type WebhookInTurn = WaitingWebhook & { requests: number; given: number }
type TeamInTurn = { teamId: string; requests: number; webhookCount: number; webhooks: WebhookInTurn[] }

function teamsInTurn(waiting: readonly WaitingWebhook[], { ofWebhook, ofTeam }: RunningRequests): TeamInTurn[] {
  const teams = new Map<string, TeamInTurn>()
  for (const webhook of waiting) {
    const { teamId, webhookId } = webhook
    const known = ofTeam.get(teamId) ?? { requests: 0, webhooks: 0 }
    const team = teams.get(teamId) ?? { teamId, requests: known.requests, webhookCount: known.webhooks, webhooks: [] }
    teams.set(teamId, team)
    const requests = ofWebhook.get(webhookId) ?? 0
    if (requests === 0) team.webhookCount += 1
    team.webhooks.push({ ...webhook, requests, given: 0 })
  }
  for (const { webhooks } of teams.values()) webhooks.sort((a, b) => a.requests - b.requests)
  return [...teams.values()].sort((a, b) => a.requests - b.requests)
}
