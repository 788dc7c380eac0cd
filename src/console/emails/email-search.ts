// What a person typed into the search form, as the search reads it.
import { invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { explainProblem } from '../../lib/problem.ts'
import { contactAddress } from '../../mail/address-forms.ts'
import type { EmailSearch } from '../../modules/emails/email-searches.repository.ts'
import type { Sought } from './search-form.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** @throws Failure about the first field that is wrong */
export function searchOf({ words, state, to, broadcast, domain, tag, since, until }: Sought): Omit<EmailSearch, 'after' | 'limit'> {
  const lastDay = dayOf('until', until)
  return {
    ...{ words: words || null, state: state || null, to: to === '' ? null : addressOf(to), domain: domain.toLowerCase() || null },
    broadcast: broadcast === '' ? null : broadcastOf(broadcast),
    tag: tag === '' ? null : tagOf(tag),
    since: dayOf('since', since),
    until: lastDay && new Date(lastDay.getTime() + DAY_MS),
  }
}

function addressOf(to: string): string {
  const address = contactAddress(to)
  if (typeof address !== 'string') throw invalid(explainProblem('to', address, to))
  return address
}

function broadcastOf(id: string): string {
  if (!isId(id)) throw invalid('The `broadcast` field must be the id of a broadcast.')
  return id.toLowerCase()
}

/** A value may have colons of its own. */
function tagOf(tag: string): { name: string; value: string | null } {
  const colon = tag.indexOf(':')
  return colon === -1 ? { name: tag, value: null } : { name: tag.slice(0, colon).trim(), value: tag.slice(colon + 1).trim() }
}

/** Null if nothing was typed. */
function dayOf(field: string, text: string): Date | null {
  if (text === '') return null
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : null
  if (day === null || Number.isNaN(day.getTime()) || day.getTime() < 0)
    throw invalid(`The \`${field}\` field must be a day in the form YYYY-MM-DD, from 1970 on.`)
  return day
}
