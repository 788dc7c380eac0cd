// Whether opens and clicks of mail are counted, which the settings of the domain that it is from say.
import { useRecord } from '../api/queries'
import { useMay, useMe } from '../session/me'

export type Tracked = { opens: boolean; clicks: boolean }

/** The domain of a sender and what is tracked of its mail; `tracked` is null where that is not known here. */
export type TrackedDomain = { id: string | null; name: string; tracked: Tracked | null }

/** How domains are known here: by the names that they have in the DNS. */
const dnsName = (name: string): string => (URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name.toLowerCase())

export function useTracked(): (name: string) => TrackedDomain {
  const may = useMay()
  const { tracked_by_default: byDefault } = useMe().installation
  const { data } = useRecord('/domains', undefined, { isEnabled: may('numbers:read') })
  const domains = new Map(data?.data.map((domain) => [domain.name, domain]))
  return (name) => {
    const domain = domains.get(dnsName(name))
    // A team may have more domains than one page of them, and one of those may be tracked otherwise.
    // While processes are updated one after the other, one of before may answer, which tells neither.
    const tracked = (domain ? domain.tracked : data && !data.has_more && byDefault) || null
    return { id: domain?.id ?? null, name, tracked }
  }
}

/** What is tracked of mail from several domains: what is tracked of one of them, or may be. Null if nothing is known. */
export function trackedOfAll(domains: readonly TrackedDomain[]): Tracked | null {
  if (domains.length === 0) return null
  const all = domains.map(({ tracked }) => tracked ?? { opens: true, clicks: true })
  return { opens: all.some(({ opens }) => opens), clicks: all.some(({ clicks }) => clicks) }
}

/** What was counted was tracked, whatever the settings say now. */
export const orCounted = (tracked: Tracked | null, counts: { opens: number; clicks: number }): Tracked | null =>
  tracked && { opens: tracked.opens || counts.opens > 0, clicks: tracked.clicks || counts.clicks > 0 }

const NAMES: Readonly<Record<string, keyof Tracked>> = {
  ...{ opened: 'opens', unique_opened: 'opens' },
  ...{ clicked: 'clicks', unique_clicked: 'clicks' },
}

/** Whether a count of 0 says nothing, because it is not tracked. */
export function isUntracked(name: string, count: number, tracked: Tracked | null): boolean {
  const kind = NAMES[name]
  return kind !== undefined && count === 0 && tracked !== null && !tracked[kind]
}
