import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { ContactList } from '../contacts/ContactList'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DataList } from '../parts/DataList'
import { DeleteMenu } from '../parts/DeleteMenu'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { ErrorSentence } from '../parts/ErrorAlert'
import { Facts } from '../parts/Facts'
import { LinkButton } from '../parts/LinkButton'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { FilterOf } from './FilterOf'
import { useFilterCount } from './filter-count'
import { SegmentGrowth } from './SegmentGrowth'

type Segment = RecordOf<'/segments/{segment_id}'>

export default function SegmentPage() {
  const id = useAddressPart('segmentId')
  const may = useMay()
  const go = useGo()
  const path = { segment_id: id }
  const { data: segment, error, refetch } = useRecord('/segments/{segment_id}', { path })
  if (!segment) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={segment.name}
      back={{ to: '/segments', name: TEXTS.title }}
      acts={
        <>
          {may('broadcasts:write') && (
            <LinkButton to="/broadcasts/new" search={{ segment_id: id }} variant="default">
              {TEXTS.writeBroadcast}
            </LinkButton>
          )}
          {may('segments:write') && (
            <>
              <Button variant="default" component={Link} to={`/segments/${id}/edit` as never}>
                {TEXTS.edit}
              </Button>
              <DeleteMenu
                name={TEXTS.remove}
                means={TEXTS.removeMeans}
                run={(query) => answer(api.DELETE('/segments/{segment_id}', { params: { path, query } }))}
                done={TEXTS.removed}
                changes={['segments', 'contacts', 'broadcasts']}
                onDone={() => go('/segments', segment.filter === null ? { removed: id } : {})}
              />
            </>
          )}
        </>
      }
    >
      <Section title={TEXTS.facts}>
        <Facts
          facts={[
            [TEXTS.contacts, <Counts key="contacts" segment={segment} />],
            [TEXTS.filter, <Filter key="filter" filter={segment.filter} />],
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
  if (all.error) return <ErrorSentence error={all.error} />
  if (!all.data) return TEXTS.counting
  const numberOf = ({ contacts, is_exact }: NonNullable<typeof all.data>) =>
    is_exact ? countOf(contacts) : TEXTS.moreThan(countOf(contacts))
  return `${numberOf(all.data)}${subscribed.data ? TEXTS.ofWhom(numberOf(subscribed.data)) : ''}`
}

const Filter = ({ filter }: Pick<Segment, 'filter'>) =>
  filter === null ? <Text c="dimmed">{TEXTS.noFilter}</Text> : <FilterOf filter={filter} />

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
          { name: TEXTS.createdAt, cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
