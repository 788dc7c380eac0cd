import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { DataTable } from '../parts/DataTable'
import { IN_ONE_LINE } from '../parts/one-line'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { withCode } from '../parts/with-code'
import { DELIVERABILITY_TEXTS as TEXTS } from '../texts/queue'

const EVERY_MS = 30_000

/** What `posthaste doctor` checks. */
export default function DeliverabilityPage() {
  const { data: found, error, refetch } = useRecord('/operation/deliverability', {}, { everyMs: EVERY_MS })
  if (!found) return <Awaited read={{ error, refetch }} />
  return (
    <Page title={TEXTS.title} state={<StateBadge state={found.status} />}>
      <Text c="dimmed">
        {withCode(found.note ?? TEXTS.note)}{' '}
        {found.checked_at !== null && (
          <>
            {TEXTS.checked} <Time at={found.checked_at} />
          </>
        )}
      </Text>
      <DataTable
        label={TEXTS.title}
        rows={found.findings.map((finding) => ({ ...finding, id: `${finding.check} ${finding.subject}` }))}
        empty={TEXTS.nothing}
        columns={[
          { name: TEXTS.check, cell: ({ check }) => <span title={check}>{TEXTS.checks[check]}</span> },
          { name: TEXTS.subject, cell: ({ subject }) => <Whole>{subject}</Whole>, isWide: true },
          { name: TEXTS.state, cell: ({ state }) => <StateBadge state={state} /> },
          { name: TEXTS.found, cell: ({ found: what }) => withCode(what), isWide: true },
          { name: TEXTS.advice, cell: ({ advice }) => withCode(advice ?? '') },
        ]}
      />
    </Page>
  )
}

/** Names are not broken within a word. */
const Whole = ({ children }: { children: ReactNode }) => (
  <Text span inherit style={IN_ONE_LINE}>
    {children}
  </Text>
)
