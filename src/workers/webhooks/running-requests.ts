import type { RunningOfTeam, RunningRequests } from '../../lib/webhooks/places.ts'

type Requested = { webhookId: string; teamId: string }

/** Counts the requests that are running. */
export function createRunningRequests(): RunningRequests & { begin(request: Requested): void; end(request: Requested): void } {
  const ofWebhook = new Map<string, number>()
  const ofTeam = new Map<string, RunningOfTeam>()
  let total = 0

  function change({ webhookId, teamId }: Requested, by: 1 | -1): void {
    const requests = (ofWebhook.get(webhookId) ?? 0) + by
    const team = ofTeam.get(teamId) ?? { requests: 0, webhooks: 0 }
    const isFirstOrLast = requests === Math.max(by, 0)
    if (requests > 0) ofWebhook.set(webhookId, requests)
    else ofWebhook.delete(webhookId)
    const now = { requests: team.requests + by, webhooks: team.webhooks + (isFirstOrLast ? by : 0) }
    if (now.requests > 0) ofTeam.set(teamId, now)
    else ofTeam.delete(teamId)
    total += by
  }

  return {
    ofWebhook,
    ofTeam,
    get total() {
      return total
    },
    begin: (request) => change(request, 1),
    end: (request) => change(request, -1),
  }
}
