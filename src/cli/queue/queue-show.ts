import { toTimestamp } from '../../lib/clock.ts'
import { covers, type QueuePart } from '../../modules/delivery/lanes.ts'
import type { QueuedAttempt, QueuedEmail, QueuedRecipient } from '../../modules/delivery/queue/queue-view.repository.ts'
import { outcomeSummary } from '../../modules/emails/email-states.ts'
import type { Repositories } from '../../repositories.ts'
import { formatTime, print, printJson, relative, shortened, tableLines } from '../output.ts'
import { formatOptions } from './queue-list.ts'

/** Servers may answer at any length. */
const ANSWER_LENGTH_MAX = 120
export const ATTEMPTS_SHOWN_MAX = 200

export async function printEmail(repositories: Repositories, email: QueuedEmail, now: Date): Promise<void> {
  const team = await repositories.teams.find(email.teamId)
  const alive = new Set((await repositories.workerLeases.list()).map(({ id }) => id))
  const pauses = await repositories.queuePauses.listAcrossTeams()
  const isOfThisEmail = (recipient: QueuedRecipient) => (pause: QueuePart) => holds(pause, email.teamId, recipient)

  for (const line of tableLines(
    [`Email ${email.id}`, ''],
    [
      ['  Subject', email.subject],
      ['  From', email.from],
      ['  Team', `${email.teamId}  ${team?.name ?? ''}`],
      ['  State', describeState(email)],
      ['  Accepted', `${formatTime(email.createdAt)} (${relative(email.createdAt, now)})`],
      ...(email.scheduledAt ? [['  Scheduled for', `${formatTime(email.scheduledAt)} (${relative(email.scheduledAt, now)})`]] : []),
      ...(email.isFetching ? [['  Attachments', 'still being fetched; deliveries begin when they are there']] : []),
    ],
  ))
    print(line)

  print('')
  const recipients = email.recipients.map((one) => [
    `  ${one.address}`,
    one.state,
    one.attemptCount,
    workLeft(one, { now, alive, isPaused: pauses.some(isOfThisEmail(one)) }),
  ])
  for (const line of tableLines(['  RECIPIENT', 'STATE', 'ATTEMPTS', 'WHAT IS LEFT'], recipients)) print(line)

  print('')
  if (email.attempts.length === 0) print('  No attempts so far.')
  else
    for (const line of tableLines(['  ATTEMPT', 'RECIPIENT', 'NO.', 'OUTCOME', 'HOST', 'TOOK', 'ANSWER'], email.attempts.map(attemptCells)))
      print(line)
  if (email.attempts.length === ATTEMPTS_SHOWN_MAX) print(`  Only the newest ${ATTEMPTS_SHOWN_MAX} are shown.`)

  const inTheWay = pauses.filter((pause) => email.recipients.some((recipient) => isOfThisEmail(recipient)(pause)))
  if (inTheWay.length > 0) print('')
  for (const pause of inTheWay) print(`Paused: resume with \`queue resume ${formatOptions(pause)}\`.`)
}

/** Prints for programs what `printEmail` prints for people. */
export async function printEmailAsJson(repositories: Repositories, email: QueuedEmail): Promise<void> {
  const pauses = await repositories.queuePauses.listAcrossTeams()
  printJson({
    id: email.id,
    team_id: email.teamId,
    subject: email.subject,
    from: email.from,
    last_event: email.lastEvent,
    created_at: toTimestamp(email.createdAt),
    scheduled_at: toTimestamp(email.scheduledAt),
    is_fetching: email.isFetching,
    recipients: email.recipients.map((one) => ({
      address: one.address,
      state: one.state,
      attempt_count: one.attemptCount,
      // Null if nothing is left to do for it.
      delivery: one.hasDelivery
        ? {
            class: one.class,
            destination: one.destination,
            is_ready: one.isReady,
            is_parked: one.isParked,
            is_paused: pauses.some((pause) => holds(pause, email.teamId, one)),
            due_at: toTimestamp(one.dueAt),
            leased_by: one.leasedBy,
          }
        : null,
    })),
    attempts: email.attempts.map((one) => ({
      address: one.address,
      number: one.number,
      outcome: one.outcome,
      host: one.host,
      code: one.code,
      enhanced_code: one.enhancedCode,
      text: one.text,
      duration_ms: one.durationMs,
      started_at: toTimestamp(one.startedAt),
    })),
  })
}

const holds = (pause: QueuePart, teamId: string, { class: kind, destination }: QueuedRecipient): boolean =>
  kind !== null && destination !== null && covers(pause, { class: kind, teamId, destination })

/** In the words of the console, with the number of recipients in each state if they differ. */
function describeState({ lastEvent, recipients }: QueuedEmail): string {
  const counts: Record<string, number> = {}
  for (const { state } of recipients) counts[state] = (counts[state] ?? 0) + 1
  const { label, parts } = outcomeSummary(lastEvent, counts)
  return parts === null ? label : `${label} (${parts})`
}

type Circumstances = { now: Date; alive: Set<string>; isPaused: boolean }

function workLeft({ hasDelivery, leasedBy, isParked, isReady, dueAt }: QueuedRecipient, { now, alive, isPaused }: Circumstances): string {
  if (!hasDelivery) return 'nothing'
  if (leasedBy !== null)
    return alive.has(leasedBy) ? `worker ${leasedBy} has it` : `worker ${leasedBy} had it and is gone; it is freed soon`
  if (isParked) return isPaused ? 'parked: paused' : 'parked: on its way back into the queue'
  if (isReady || dueAt === null || dueAt <= now) return isPaused ? 'due, but paused' : 'due: waits for a worker'
  return `due ${relative(dueAt, now)} (${formatTime(dueAt)})`
}

const attemptCells = ({
  address,
  number,
  outcome,
  host,
  code,
  enhancedCode,
  text,
  durationMs,
  startedAt,
}: QueuedAttempt): (string | number)[] => [
  `  ${formatTime(startedAt)}`,
  address,
  number,
  outcome ?? 'open',
  host ?? '-',
  durationMs === null ? '-' : `${durationMs} ms`,
  shortened([code, enhancedCode, text].filter((word) => word !== null).join(' '), ANSWER_LENGTH_MAX),
]
