// What the mail servers of the recipients answer.
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import type { Outcome } from '../../../src/modules/delivery/engine/settlements.ts'
import { providerOf } from './words.ts'

export type Fate = 'accepted' | 'unknown user' | 'mailbox full' | 'slow' | 'complaint'

/** The answer to one attempt. */
export type Reply = {
  outcome: 'delivered' | 'bounced' | 'delayed'
  afterMs: number
  durationMs: number
  host: string
  tls: string
  code: number
  enhancedCode: string
  text: string
}

/** The form that the engine uses. */
export const outcomeOf = ({ outcome: kind, afterMs: _, ...facts }: Reply): Outcome => ({
  kind,
  ...facts,
  isRefusalByRecipient: kind !== 'delivered',
})

export function replyTo(fate: Fate, email: string, random: () => number): Reply[] {
  const { mx: host } = providerOf(email)
  const facts = { host, tls: 'TLSv1.3', afterMs: 0, durationMs: Math.round(180 + random() ** 2 * 2_400) }
  const accepted = { ...facts, outcome: 'delivered', code: 250, enhancedCode: '2.0.0', text: acceptance(host, random) } as const
  switch (fate) {
    case 'accepted':
    case 'complaint':
      return [accepted]
    case 'unknown user':
      return [{ ...facts, outcome: 'bounced', code: 550, enhancedCode: '5.1.1', text: unknownUser(host, email) }]
    case 'mailbox full':
      return [
        {
          ...{ ...facts, outcome: 'bounced', code: 552, enhancedCode: '5.2.2' },
          text: 'The email account that you tried to reach is over quota and inactive.',
        },
      ]
    case 'slow':
      return [
        { ...facts, ...DELAYED },
        { ...facts, ...DELAYED, afterMs: 4 * MINUTE_MS },
        { ...accepted, afterMs: 20 * MINUTE_MS + random() * HOUR_MS },
      ]
  }
}

const DELAYED = {
  ...({ outcome: 'delayed', code: 421, enhancedCode: '4.7.0' } as const),
  text: '[TSS04] Messages from 203.0.113.25 temporarily deferred due to unexpected volume or user complaints.',
}

const acceptance = (host: string, random: () => number): string =>
  host.includes('google')
    ? `OK ${Math.floor(random() * 1e9)} 5b1f17b1804b1-453b35-si0 - gsmtp`
    : `Queued as ${Math.floor(random() * 1e12).toString(36)}`

const unknownUser = (host: string, email: string): string =>
  host.includes('google')
    ? 'The email account that you tried to reach does not exist. Please try double-checking the address for typos or unnecessary spaces.'
    : `<${email}>: Recipient address rejected: User unknown in virtual mailbox table`
