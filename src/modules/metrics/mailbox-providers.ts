// Who hosts a mailbox, by the domain of its address. Domains of their own that a provider hosts are among the others.
import { escaped } from '../emails/email-searches.repository.ts'

export const MAILBOX_PROVIDERS = ['gmail', 'outlook', 'yahoo', 'icloud', 'other'] as const
export type MailboxProvider = (typeof MAILBOX_PROVIDERS)[number]

/** Whole domains, and beginnings of those that a provider has in many countries. */
const DOMAINS: Record<Exclude<MailboxProvider, 'other'>, { whole: readonly string[]; beginnings: readonly string[] }> = {
  gmail: { whole: ['gmail.com', 'googlemail.com'], beginnings: [] },
  outlook: { whole: ['msn.com', 'passport.com'], beginnings: ['outlook.', 'hotmail.', 'live.'] },
  yahoo: { whole: ['ymail.com', 'rocketmail.com', 'aol.com', 'verizon.net'], beginnings: ['yahoo.'] },
  icloud: { whole: ['icloud.com', 'me.com', 'mac.com'], beginnings: [] },
}

const texts = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

/** @param domain SQL for a domain in lower case */
export const providerSql = (domain: string): string =>
  `case ${Object.entries(DOMAINS)
    .map(([provider, { whole, beginnings }]) => {
      const begins = beginnings.map((beginning) => ` or ${domain} like '${escaped(beginning)}%'`).join('')
      return `when ${domain} in (${texts(whole)})${begins} then '${provider}'`
    })
    .join(' ')} else 'other' end`
