// Delivers what broadcasts and automations have written, at the time of the moved clock, and lets people read it.

import { HOUR_MS } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { unsubscribeUrl } from '../../../src/modules/audience/unsubscribe/unsubscribe-links.service.ts'
import { toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import { claimAndBegin } from '../builders/engine.ts'
import { ONE_CLICK, submit } from '../builders/topics.ts'
import { at, moveTo } from './past.ts'
import { outcomeOf, replyTo } from './replies.ts'
import type { Team } from './team.ts'
import { pick, providerOf } from './words.ts'

const WORKER = createId()
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'

export type Delivered = { emailId: string; recipientId: string; email: string }

/** All that is due. Returns what arrived. */
export async function deliverDue({ service, random }: Team): Promise<Delivered[]> {
  const now = new Date()
  const begun = await claimAndBegin(service, WORKER, now)
  if (begun.length === 0) return []
  const settlements = begun.map(({ delivery, attemptId }) => {
    const kind = random() < providerOf(delivery.address).bounces * 0.9 ? 'unknown user' : 'accepted'
    const [reply] = replyTo(kind, delivery.address, random)
    if (!reply) throw new Error('There is no reply')
    return toSettlement(delivery, attemptId, outcomeOf(reply), { now, random })
  })
  await service.service.context.repositories.deliveries.settle(WORKER, settlements, now)
  return begun.flatMap(({ delivery }, index) =>
    settlements[index]?.state?.to === 'delivered' ? [{ emailId: delivery.emailId, recipientId: delivery.id, email: delivery.address }] : [],
  )
}

type Habits = { links: readonly string[]; openShare: number; clickShare: number; hours: number; until: Date }

/** People open it within these hours, most of them soon, and some follow a link. Leaves the clock of the process where it moved it. */
export async function readMail({ service, random }: Team, delivered: readonly Delivered[], habits: Habits): Promise<void> {
  const { links, openShare, clickShare, hours } = habits
  const start = new Date()
  const read = delivered.filter(({ email }) => random() < openShare * (providerOf(email).reads + 0.5))
  const acts = read.flatMap((reader) => {
    const opened = new Date(start.getTime() + 3 * 60_000 + random() ** 2.5 * hours * HOUR_MS)
    const clicked = new Date(opened.getTime() + 10_000 + random() * 200_000)
    const open = { ...reader, kind: 'open' as const, time: opened, target: '' }
    return random() < clickShare ? [open, { ...reader, kind: 'click' as const, time: clicked, target: pick(links, random) }] : [open]
  })
  const byHour = Map.groupBy(
    acts.filter(({ time }) => time < habits.until).sort((a, b) => a.time.getTime() - b.time.getTime()),
    ({ time }) => Math.floor(time.getTime() / HOUR_MS),
  )
  for (const hour of byHour.values()) {
    const last = hour.at(-1)?.time ?? start
    await at(last, () =>
      service.service.context.repositories.trackedEvents.recordAcrossTeams(
        hour.map(({ kind, emailId, recipientId, email, time, target }) => ({
          ...{ kind, teamId: service.teamId, emailId, recipientId, address: email, at: time, machineRule: null, target },
          ...{ writtenLink: null, userAgent: PHONE, ipAddress: `203.0.113.${Math.floor(random() * 250)}` },
        })),
        last,
      ),
    )
  }
}

/** Some have had enough, and say so by the link in the mail. */
export async function leave(
  { service }: Team,
  delivered: readonly Delivered[],
  { count, time }: { count: number; time: Date },
): Promise<void> {
  moveTo(time)
  for (const { emailId, email } of delivered.slice(0, count)) {
    const url = unsubscribeUrl(service.service.context, { teamId: service.teamId, email, topicId: null, emailId })
    await submit(service, new URL(url).pathname, ONE_CLICK)
  }
}
