import { StateBadge } from '../parts/StateBadge'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'

const WORDS: Readonly<Record<string, string>> = TEXTS.statuses

/** How an event or an attempt stands, in the words of the filter above the list. */
export const DeliveryState = ({ state }: { state: string }) => <StateBadge state={state} words={WORDS[state]} />
