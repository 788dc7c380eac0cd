import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { SegmentRemoval } from './SegmentRemoval'

const PAGE = 50

export default function SegmentsPage() {
  const may = useMay()
  const [{ removed }] = useFilters(['removed'])
  const list = useRows('/segments', { query: { limit: PAGE } })
  const { data: metrics } = useRecord('/segments/metrics')
  const counts = new Map(metrics?.data.map((row) => [row.id, row]))
  const counted = (id: string, field: 'all_contacts' | 'subscribers' | 'unsubscribers') => {
    const count = counts.get(id)?.[field]
    return typeof count === 'number' ? countOf(count) : metrics && <Dimmed>{TEXTS.notCounted}</Dimmed>
  }
  return (
    <Page
      title={TEXTS.title}
      acts={
        may('segments:write') && (
          <Button leftSection={<Plus size={16} />} component={Link} to={'/segments/new' as never}>
            {TEXTS.create}
          </Button>
        )
      }
    >
      {removed && <SegmentRemoval segmentId={removed} />}
      {metrics && <Text c="dimmed">{TEXTS.total(countOf(metrics.totals.all_contacts), countOf(metrics.totals.subscribers))}</Text>}
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/segments/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.contacts, cell: ({ id }) => counted(id, 'all_contacts'), isNumber: true },
          { name: TEXTS.subscribed, cell: ({ id }) => counted(id, 'subscribers'), isNumber: true, isWide: true },
          { name: TEXTS.unsubscribed, cell: ({ id }) => counted(id, 'unsubscribers'), isNumber: true, isWide: true },
          { name: TEXTS.createdAt, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
        ]}
      />
    </Page>
  )
}
