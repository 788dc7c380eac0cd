import { bareAddress } from './addresses-in-reports.ts'
import { allOf, type Fields } from './fields.ts'
import type { Original } from './reported.ts'

/** What the head of a returned message names. Only this many of each: a list of thousands is no help in finding one email. */
export function originalOf(returned: Fields): Original {
  return {
    messageIds: messageIdsIn(allOf(returned, 'message-id', 'x-message-id', 'original-message-id', 'x-original-message-id')),
    returnPathAddresses: addressesIn(allOf(returned, ...ENVELOPE_SENDERS)),
    envelopeRecipients: addressesIn(allOf(returned, ...ENVELOPE_RECIPIENTS)),
    recipients: addressesIn(allOf(returned, ...ENVELOPE_RECIPIENTS, 'to', 'cc')),
  }
}

/** Joins what several places say, without repetitions. */
export function mergeOriginals(...originals: readonly Partial<Original>[]): Original {
  const all = (name: keyof Original) => [...new Set(originals.flatMap((original) => original[name] ?? []))].slice(0, NAMES_MAX)
  return {
    messageIds: all('messageIds'),
    returnPathAddresses: all('returnPathAddresses'),
    envelopeRecipients: all('envelopeRecipients'),
    recipients: all('recipients'),
  }
}

export const messageIdsIn = (values: readonly string[]): string[] =>
  unique(values.flatMap((value) => value.slice(0, VALUE_LENGTH_MAX).match(MESSAGE_ID) ?? []))

const addressesIn = (values: readonly string[]): string[] =>
  unique(
    values
      .flatMap((value) => value.slice(0, VALUE_LENGTH_MAX).split(','))
      .map(bareAddress)
      .filter((address) => address !== null),
  )

const unique = (values: readonly string[]): string[] => [...new Set(values)].slice(0, NAMES_MAX)

const NAMES_MAX = 50

const VALUE_LENGTH_MAX = 16 * 1024

const MESSAGE_ID = /<[^<>\s]{1,500}>/g

const ENVELOPE_SENDERS = ['return-path', 'original-mail-from', 'x-original-mail-from', 'x-envelope-from', 'envelope-from', 'x-mail-from']

/** The redacted reports of Microsoft name the recipient in fields of their own. */
const ENVELOPE_RECIPIENTS = [
  'original-rcpt-to',
  'x-original-rcpt-to',
  'x-hmxmroriginalrecipient',
  'x-ms-exchange-organization-originalrecipient',
  'removal-recipient',
  'x-original-to',
  'delivered-to',
  'envelope-to',
  'x-envelope-to',
  'x-rcpt-to',
]
