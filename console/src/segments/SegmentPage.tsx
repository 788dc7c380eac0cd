import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { ContactList } from '../contacts/ContactList'
import { Copyable } from '../parts/Copyable'
import { DataList } from '../parts/DataList'
import { DeleteButton } from '../parts/DeleteButton'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { Facts } from '../parts/Facts'
import { Json } from '../parts/Json'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { FilterWords } from './FilterWords'
import { useFilterCount } from './filter-count'
import { draftOf } from './filter-draft'
import { useSubjects } from './filter-subjects'
import { SegmentGrowth } from './SegmentGrowth'

type Segment = RecordOf<'/segments/{segment_id}'>

export default function SegmentPage() {
  const id = useAddressPart('segmentId')
  const may = useMay()
  const go = useGo()
  const path = { segment_id: id }
  const { data: segment, error, refetch } = useRecord('/segments/{segment_id}', { path })
  if (error && !segment) return <Problem error={error} onRetry={() => void refetch()} />
  if (!segment) return <Loading />
  return (
    <Page
      title={segment.name}
      back={{ to: '/segments', name: TEXTS.title }}
      acts={
        may('segments:write') && (
          <>
            <Button variant="default" component={Link} to={`/segments/${id}/edit` as never}>
              {TEXTS.edit}
            </Button>
            <DeleteButton
              name={TEXTS.remove}
              means={TEXTS.removeMeans}
              run={(query) => answer(api.DELETE('/segments/{segment_id}', { params: { path, query } }))}
              done={TEXTS.removed}
              changes={['segments', 'contacts', 'broadcasts']}
              onDone={() => go('/segments', segment.filter === null ? { removed: id } : {})}
            />
          </>
        )
      }
    >
      <Section title={TEXTS.facts}>
        <Facts
          facts={[
            [TEXTS.contacts, <Counts key="contacts" segment={segment} />],
            [TEXTS.filter, <FilterOf key="filter" filter={segment.filter} />],
            [TEXTS.createdAt, <Time key="created" at={segment.created_at} />],
            [TEXTS.id, <Copyable key="id" text={segment.id} />],
          ]}
        />
      </Section>
      <SegmentGrowth id={id} />
      {may('contacts:read') && (
        <Section
          title={TEXTS.contacts}
          acts={<DownloadButton name={TEXTS.csv} path={pathOf('/contacts/export', { segment_id: id })} size="xs" />}
        >
          <Contacts segment={segment} />
        </Section>
      )}
      {may('broadcasts:read') && <Broadcasts segmentId={id} />}
    </Page>
  )
}

const SUBSCRIBED = { field: 'unsubscribed', operator: 'equals', value: false }

/** All of them, and those who get a broadcast. */
function Counts({ segment: { id, filter } }: { segment: Segment }) {
  const rule = filter ?? { segment: id, member: true }
  const all = useFilterCount(rule)
  const subscribed = useFilterCount({ all: [rule, SUBSCRIBED] })
  if (all.error) return all.error.message
  if (!all.data) return TEXTS.counting
  const numberOf = ({ contacts, is_exact }: NonNullable<typeof all.data>) =>
    is_exact ? contacts.toLocaleString('en') : TEXTS.moreThan(contacts.toLocaleString('en'))
  return `${numberOf(all.data)}${subscribed.data ? TEXTS.ofWhom(numberOf(subscribed.data)) : ''}`
}

function FilterOf({ filter }: { filter: Segment['filter'] }) {
  const { groups } = useSubjects()
  if (filter === null) return <Text c="dimmed">{TEXTS.noFilter}</Text>
  const draft = draftOf(filter)
  return draft === null ? <Json value={filter} label={TEXTS.json} /> : <FilterWords draft={draft} subjects={groups} />
}

function Contacts({ segment: { id, filter } }: { segment: Segment }) {
  const list = useRows('/segments/{segment_id}/contacts', { path: { segment_id: id } })
  return (
    <ContactList
      list={list}
      filters={{ segment_id: id }}
      isFiltered={false}
      empty={filter === null ? TEXTS.emptyListed : TEXTS.emptyFiltered}
    />
  )
}

function Broadcasts({ segmentId }: { segmentId: string }) {
  const list = useRows('/broadcasts', { query: { segment_id: segmentId } })
  return (
    <Section title={TEXTS.broadcasts}>
      <DataList
        label={TEXTS.broadcasts}
        list={list}
        to={({ id }) => `/broadcasts/${id}`}
        empty={TEXTS.noBroadcasts}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.createdAt, cell: ({ created_at, sent_at }) => <Time at={sent_at ?? created_at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
