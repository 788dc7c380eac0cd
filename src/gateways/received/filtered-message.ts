// What a filter is asked about a message, and what it answers.
import type { Readable } from 'node:stream'
import type { FilterResult } from '../../lib/inbound/filter-results.ts'

/** A message as the SMTP server took it. */
export type FilteredMessage = {
  mailFrom: string
  recipients: string[]
  peer: string
  helo: string
  bytes: number
  open(): Promise<Readable>
}

/** `refuses`: the filter says that the message is to be refused; `now`: it may be sent again later. */
export type FilterAnswer = { result: FilterResult; refuses: 'always' | 'now' | 'not' }

/** What a filter answers. @throws if it does not, or not as it should. */
export type AskFilter = (url: URL, message: FilteredMessage, signal: AbortSignal) => Promise<Judgement>
export type Judgement = Pick<FilterResult, 'verdict' | 'score' | 'detail'> & Pick<FilterAnswer, 'refuses'>
