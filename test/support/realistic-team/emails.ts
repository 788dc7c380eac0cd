// Three thousand emails of ninety days in all states, as deliveries and readers leave them.
import { notificationRows } from '../../../src/db/outbox.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { createId, LOWEST_ID } from '../../../src/lib/ids.ts'
import type { NewNotification } from '../../../src/lib/notifications.ts'
import { suppressedBy } from '../../../src/modules/delivery/engine/refusals.ts'
import { sentNotification, suppressedWithoutAttempt, toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import type { ClaimedDelivery, Settlement } from '../../../src/modules/delivery/queue/deliveries.repository.ts'
import type { SuppressionOrigin } from '../../../src/modules/suppressions/suppressions.schema.ts'
import type { Customer } from './audience.ts'
import { at } from './past.ts'
import { type Fate, outcomeOf, replyTo } from './replies.ts'
import { type ShopMail, writeShopMail } from './shop-mail.ts'
import { act, ago, DAYS, insertRows, type Team } from './team.ts'
import { ADA, pick, providerOf, SHOP } from './words.ts'

const EMAILS = 2_420
const FIRST_ORDER = 47_180
/** Programs that load what mail holds, among all readers. */
const MACHINES = 0.12
const READERS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
]

type Notified = NewNotification & { createdAt: Date }
type Filled = {
  emails: object[]
  recipients: object[]
  attempts: object[]
  notifications: Notified[]
  suppressions: object[]
  logs: object[]
}
type Sent = { customer: Customer; time: Date; number: number; mail: ShopMail }

export async function fillEmails(team: Team, customers: Customer[]): Promise<void> {
  const { service, random } = team
  const filled: Filled = { emails: [], recipients: [], attempts: [], notifications: [], suppressions: [], logs: [] }
  const suppressed = new Map<string, SuppressionOrigin>()
  const ada = customers.find(({ email }) => email === ADA.email)
  const times = sendingTimes(team)
  for (const [index, time] of times.entries()) {
    const known = customers.filter(({ since }) => since <= time)
    const customer = pick(known, random)
    if (customer.email === ADA.email) continue
    const mail = writeShopMail(FIRST_ORDER + index, customer.firstName, random)
    add(team, filled, suppressed, { customer, time, number: index, mail }, chance(team, customer, time))
  }
  if (ada) addAda(team, filled, suppressed, ada)
  filled.notifications.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  await insertRows(service, 'emails', filled.emails as never)
  await service.database.execute(
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     select team_id, email_count_bucket(created_at), from_domain, $1, 'received', count(*) from emails group by 1, 2, 3`,
    [LOWEST_ID],
  )
  await insertRows(service, 'recipients', filled.recipients as never)
  await insertRows(service, 'attempts', filled.attempts as never)
  await insertRows(service, 'notifications', filled.notifications.map(toRow))
  await insertRows(service, 'suppressions', filled.suppressions as never)
  await insertRows(service, 'request_logs', filled.logs as never)
  const time = ago(team, { hours: 2 })
  const text = 'Your tea is packed tomorrow. Until then you can change your order.'
  const scheduled = { from: SHOP.orders, to: ['ruth.keller@gmail.com'], subject: 'Packed tomorrow', text }
  await act(team, ['POST', '/emails'], { time, body: { ...scheduled, scheduled_at: ago(team, { hours: -22 }).toISOString() } })
}

const toRow = ({ id, teamId, type, subjectId, data, createdAt }: Notified) => ({
  ...{ id, type, data },
  ...{ team_id: teamId, subject_id: subjectId, created_at: createdAt },
})

/** More in the evening and on weekdays, and more with time; the last of them a minute ago. */
function sendingTimes(team: Team): Date[] {
  const { now, random } = team
  const times: Date[] = []
  while (times.length < EMAILS) {
    const time = new Date(now.getTime() - MINUTE_MS - random() * (DAYS - 1.5) * DAY_MS)
    const age = (now.getTime() - time.getTime()) / (DAYS * DAY_MS)
    const hour = time.getUTCHours()
    const likely = (1 - 0.55 * age) * (hour < 6 ? 0.12 : hour < 17 ? 0.7 : 1) * (time.getUTCDay() % 6 === 0 ? 0.6 : 1)
    if (random() < likely) times.push(time)
  }
  return times.sort((a, b) => a.getTime() - b.getTime())
}

/** What the server of the recipient answers. For two days, one provider let everyone wait. */
function chance({ now, random }: Team, { email }: Customer, time: Date): Fate {
  const { domain, bounces } = providerOf(email)
  const daysAgo = (now.getTime() - time.getTime()) / DAY_MS
  if (domain === 'yahoo.com' && daysAgo > 22 && daysAgo < 24.5) return 'slow'
  const drawn = random()
  if (drawn < bounces) return 'unknown user'
  if (drawn < bounces * 1.6) return 'mailbox full'
  if (drawn < bounces * 1.6 + 0.012) return 'slow'
  if (drawn < bounces * 1.6 + 0.0135) return 'complaint'
  return 'accepted'
}

/** She bounced, and gets nothing since. */
function addAda(team: Team, filled: Filled, suppressed: Map<string, SuppressionOrigin>, ada: Customer): void {
  const mails: [hours: number, kind: Fate][] = [
    [76 * 24, 'accepted'],
    [31 * 24, 'accepted'],
    [12 * 24 + 4, 'unknown user'],
    [3 * 24 + 1, 'accepted'],
    [5, 'accepted'],
  ]
  for (const [index, [hours, kind]] of mails.entries()) {
    const mail = writeShopMail(46_880 + 71 * index, ada.firstName, () => 0.1)
    add(team, filled, suppressed, { customer: ada, time: ago(team, { hours }), number: index, mail }, kind)
  }
}

function add(team: Team, filled: Filled, suppressed: Map<string, SuppressionOrigin>, sent: Sent, kind: Fate): void {
  const { service, random, ids } = team
  const { customer, time, number, mail } = sent
  const [emailId, recipientId] = at(time, () => [createId(), createId()])
  const delivery = {
    ...DELIVERY,
    id: recipientId,
    emailId,
    teamId: service.teamId,
    address: customer.email,
    destination: providerOf(customer.email).domain,
  }
  const told = (notification: NewNotification, createdAt: Date) => filled.notifications.push(...notificationRows([notification], createdAt))
  const becomes = { state: 'sent', final: null as Date | null, opened: null as Date | null, clicked: null as Date | null, attempts: 0 }

  const origin = suppressed.get(customer.email)
  const suppress = (by: SuppressionOrigin, since: Date) => {
    if (suppressed.has(customer.email)) return
    suppressed.set(customer.email, by)
    filled.suppressions.push(toSuppression(since, { teamId: service.teamId, email: customer.email, sourceId: emailId, origin: by }))
  }
  if (origin !== undefined) {
    const settled = at(after(time, 900), () => suppressedWithoutAttempt(delivery, suppressedBy(origin)))
    for (const notification of settled.notifications) told(notification, after(time, 900))
    Object.assign(becomes, { state: 'suppressed', final: after(time, 900) })
  } else {
    told(
      at(after(time, 700), () => sentNotification(delivery)),
      after(time, 700),
    )
    for (const reply of replyTo(kind, customer.email, random)) {
      const [begun, ended] = [after(time, 800 + reply.afterMs), after(time, 800 + reply.afterMs + reply.durationMs)]
      if (ended > team.now) break
      const attemptId = at(begun, () => createId())
      const settled = at(ended, () =>
        toSettlement({ ...delivery, delays: becomes.attempts }, attemptId, outcomeOf(reply), { now: ended, random }),
      )
      becomes.attempts += 1
      if (settled.state) becomes.state = settled.state.to
      if (settled.retryAt === null) becomes.final = ended
      for (const notification of settled.notifications) told(notification, ended)
      filled.attempts.push(toAttempt(settled, { number: becomes.attempts, recipientId, begun, ended, teamId: service.teamId }))
      if (settled.suppression) suppress('bounce', ended)
    }
    if (becomes.state === 'delivered') read(team, sent, becomes, { emailId, isComplaint: kind === 'complaint' }, told)
    if (becomes.state === 'complained') suppress('complaint', becomes.final ?? time)
  }

  const { html, text, subject, from, tags } = mail
  const apiKeyId = number % 9 === 0 ? ids['key warehouse'] : ids['key shop']
  filled.emails.push({
    ...{ id: emailId, team_id: service.teamId, api_key_id: apiKeyId, from_domain: SHOP.domain, from, to: [toOf(customer)] },
    ...{ subject, html, text, tags, content_bytes: html.length, created_at: time, state: 'queued', last_event: becomes.state },
    ...{ opened_at: becomes.opened, clicked_at: becomes.clicked, final_at: becomes.final },
  })
  filled.recipients.push({
    ...{ id: recipientId, team_id: service.teamId, email_id: emailId, address: customer.email, state: becomes.state },
    ...{ attempt_count: becomes.attempts, is_refused: kind === 'unknown user' && becomes.state === 'bounced' },
  })
  filled.logs.push({
    ...{ id: at(after(time, 10), () => createId()), team_id: service.teamId, api_key_id: apiKeyId, method: 'POST', endpoint: '/emails' },
    ...{
      response_status: 200,
      user_agent: number % 9 === 0 ? 'warehouse-scanner/2.4.1' : 'resend-node:6.38.0',
      created_at: after(time, 10),
    },
    ...{ request_body: { from, to: toOf(customer), subject, tags }, response_body: { id: emailId } },
    ...{ request_body_truncated: false, response_body_truncated: false },
  })
}

const DELIVERY: Omit<ClaimedDelivery, 'id' | 'teamId' | 'emailId' | 'destination' | 'address'> = {
  ...{ class: 'transactional', claims: 1, delays: 0, attemptCount: 0, recipientState: 'queued', contentBytes: 2_000 },
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms)
const toOf = ({ firstName, lastName, email }: Customer): string =>
  firstName && lastName
    ? `${/^[\p{L} -]+$/u.test(`${firstName} ${lastName}`) ? `${firstName} ${lastName}` : `"${firstName} ${lastName}"`} <${email}>`
    : email

type Ending = { number: number; recipientId: string; begun: Date; ended: Date; teamId: string }

const toAttempt = ({ attempt, emailId }: Settlement, { number, recipientId, begun, ended, teamId }: Ending) => ({
  ...{ id: attempt?.id, team_id: teamId, email_id: emailId, recipient_id: recipientId, number, outcome: attempt?.outcome },
  ...{ host: attempt?.host, tls: attempt?.tls, code: attempt?.code, enhanced_code: attempt?.enhancedCode, text: attempt?.text },
  ...{ duration_ms: attempt?.durationMs, started_at: begun, ended_at: ended },
})

const toSuppression = (
  time: Date,
  { teamId, email, sourceId, origin }: { teamId: string; email: string; sourceId: string; origin: string },
) => ({
  ...{ id: at(time, () => createId()), team_id: teamId, email, origin, source_id: sourceId, created_at: time },
})

type Becomes = { state: string; final: Date | null; opened: Date | null; clicked: Date | null }

/** What the reader does: opens it now or then, and follows its link or reports it. */
function read(
  { service, random, now }: Team,
  { customer, time, mail }: Sent,
  becomes: Becomes,
  { emailId, isComplaint }: { emailId: string; isComplaint: boolean },
  told: (notification: NewNotification, createdAt: Date) => void,
): void {
  const facts = () => ({ id: createId(), teamId: service.teamId, subjectId: emailId })
  const to = [customer.email]
  const arrived = becomes.final ?? time
  const isUrgent = mail.tags.some(({ value }) => value === 'sign-in' || value === 'password')
  if (random() < MACHINES) {
    const loaded = after(arrived, 1_500)
    told(
      at(loaded, () => ({
        ...facts(),
        type: 'email.opened',
        data: { to, detail: { is_machine: true, machine_rule: 'apple-privacy-proxy' } },
      })),
      loaded,
    )
  }
  if (isComplaint) {
    const reported = after(arrived, 5 * HOUR_MS)
    if (reported > now) return
    told(
      at(reported, () => ({ ...facts(), type: 'email.complained', data: { to, detail: { complaint: { type: 'abuse' } } } })),
      reported,
    )
    becomes.state = 'complained'
    return
  }
  if (random() > providerOf(customer.email).reads * (isUrgent ? 1.5 : 1)) return
  const opened = after(arrived, isUrgent ? 20_000 + random() * 90_000 : 2 * MINUTE_MS + random() ** 3 * 30 * HOUR_MS)
  if (opened > now) return
  told(
    at(opened, () => ({ ...facts(), type: 'email.opened', data: { to, detail: { is_machine: false } }, firstOf: 'email' })),
    opened,
  )
  Object.assign(becomes, { state: 'opened', opened })
  if (random() > (isUrgent ? 0.9 : 0.3)) return
  const clicked = after(opened, 4_000 + random() * 3 * MINUTE_MS)
  if (clicked > now) return
  const click = {
    ipAddress: `198.51.100.${Math.floor(random() * 250)}`,
    link: mail.link,
    timestamp: clicked.toISOString(),
    userAgent: pick(READERS, random),
  }
  told(
    at(clicked, () => ({ ...facts(), type: 'email.clicked', data: { to, detail: { click, is_machine: false } }, firstOf: 'email' })),
    clicked,
  )
  Object.assign(becomes, { state: 'clicked', clicked })
}
