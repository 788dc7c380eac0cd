// What became of each recipient, from what is told of the email: its events and its attempts.
import type { RowOf } from '../api/queries'
import { addressIn } from '../parts/addresses'

export type EmailEvent = RowOf<'/emails/{email_id}/events'>
export type Attempt = RowOf<'/emails/{email_id}/attempts'>

export type Recipient = {
  /** Its address: recipients are told apart by it. */
  id: string
  /** As the email names it, with a name. */
  mailbox: string
  state: string
  /** What the last bad answer means, and what to do; null if nothing is wrong. */
  explanation: string | null
  advice: string | null
  tries: number
}

/** A later one says more than those before it. */
const ORDER = ['queued', 'sent', 'delivery_delayed', 'delivered', 'bounced', 'failed', 'suppressed', 'opened', 'clicked', 'complained']
const TROUBLED: ReadonlySet<string> = new Set(['delivery_delayed', 'bounced', 'failed', 'suppressed', 'complained'])
/** In these states of the whole email, its recipients are as they were accepted. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(['scheduled', 'canceled'])

export function recipientStates(
  { to, cc, bcc, last_event: lastEvent }: { to: string[]; cc?: string[] | null; bcc?: string[] | null; last_event?: string | null },
  events: readonly EmailEvent[],
  attempts: readonly Attempt[],
): Recipient[] {
  const recipients = [...to, ...(cc ?? []), ...(bcc ?? [])].map((mailbox) => {
    const id = idOf(mailbox)
    const own = events.filter((event) => event.to?.some((address) => idOf(address) === id))
    const tried = attempts.filter(({ recipient }) => idOf(recipient) === id)
    const state = lastEvent && OF_THE_WHOLE.has(lastEvent) ? lastEvent : stateIn(own)
    const told = TROUBLED.has(state) ? ([...tried, ...own].find(({ explanation }) => explanation !== null) ?? null) : null
    return { id, mailbox, state, explanation: told?.explanation ?? null, advice: told?.advice ?? null, tries: tried.length }
  })
  const once = [...new Map(recipients.map((recipient) => [recipient.id, recipient])).values()]
  // The ones with a problem are first.
  return once.toSorted((a, b) => Number(TROUBLED.has(b.state)) - Number(TROUBLED.has(a.state)))
}

const stateIn = (events: readonly EmailEvent[]): string =>
  ORDER[Math.max(0, ...events.map(({ type }) => ORDER.indexOf(type.replace('email.', ''))))] ?? 'queued'

const idOf = (mailbox: string): string => addressIn(mailbox).toLowerCase()
