// Whom a team sends as: what it used before, and what it may use.
import { useEffect, useRef } from 'react'
import { useAllRows, useRecord } from '../api/queries'
import { useMay } from '../session/me'
import { domainIn } from './addresses'

const LOOKED_AT_MAX = 100

type Senders = {
  /** The senders of the latest emails, the last one first. Where the domains are known, they are verified. */
  used: readonly string[]
  /** The names of the verified domains. */
  verified: readonly string[]
  isKnown: boolean
}

export function useSenders(): Senders {
  const may = useMay()
  const domains = useAllRows('/domains', { isEnabled: may('domains:read') })
  const { data: emails } = useRecord('/emails', { query: { limit: LOOKED_AT_MAX } }, { isEnabled: may('emails:read') })
  const verified = domains.rows
    .filter(({ status, capabilities }) => status === 'verified' && capabilities.sending === 'enabled')
    .map(({ name }) => name)
  const isKnown = may('domains:read') && !domains.isLoading && domains.error === null
  const used = [...new Set(emails?.data.map(({ from }) => from))].filter((from) => !isKnown || verified.includes(domainIn(from)))
  return { used, verified, isKnown }
}

/** Tells once whom the team sent as last, if that domain is verified: a new mail begins with it. */
export function useLastSender(onKnown: (sender: string) => void): void {
  const { used, isKnown } = useSenders()
  const [last] = isKnown ? used : []
  const isTold = useRef(false)
  useEffect(() => {
    if (last === undefined || isTold.current) return
    isTold.current = true
    onKnown(last)
  })
}
