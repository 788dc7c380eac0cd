import { type ReactNode, useState } from 'react'
import type { RowOf, Rows } from '../api/queries'
import { ActDialog } from '../contact-jobs/ActDialog'
import { JobDialog } from '../contact-jobs/JobDialog'
import type { Selection } from '../contact-jobs/jobs'
import { type Column, DataList, Dimmed } from '../parts/DataList'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { ChosenContacts } from './ChosenContacts'
import { nameOf, SubscriptionBadge } from './SubscriptionBadge'

type Contact = RowOf<'/contacts'>

type ContactListProps = {
  list: Rows<Contact>
  /** Which contacts these are, for acts on all of them. */
  filters: { search?: string; segment_id?: string }
  isFiltered: boolean
  empty: ReactNode
}

/** Contacts with what one decides by, which can be chosen and acted on together. */
export function ContactList({ list, filters, isFiltered, empty }: ContactListProps) {
  const may = useMay()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAll, setAll] = useState(false)
  const [asked, ask] = useState<Selection | null>(null)
  const [jobId, setJobId] = useState<string | null>(null)
  const all = selectionOf(filters)
  const choose = (rows: ReadonlySet<string>) => {
    setChosen(rows)
    setAll(false)
  }
  const acts = (
    <ChosenContacts
      count={chosen.size}
      all={all}
      isAll={isAll}
      hasMore={list.hasMore}
      onAll={() => setAll(true)}
      onNone={() => choose(new Set())}
      onAct={() => ask(isAll ? all : { ids: [...chosen] })}
    />
  )
  const started = ({ id }: { id: string }) => {
    ask(null)
    setJobId(id)
    choose(new Set())
  }
  return (
    <>
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/contacts/${id}`}
        isFiltered={isFiltered}
        empty={empty}
        columns={COLUMNS}
        {...(may('contacts:write') && { selection: { chosen, choose, acts } })}
      />
      <ActDialog contacts={asked} segmentId={filters.segment_id} onClose={() => ask(null)} onStarted={started} />
      <JobDialog id={jobId} onClose={() => setJobId(null)} />
    </>
  )
}

const selectionOf = ({ search, segment_id }: ContactListProps['filters']): Selection =>
  search ? { search } : segment_id ? { segment_id } : { all: true }

const COLUMNS: readonly Column<Contact>[] = [
  { name: TEXTS.email, cell: ({ email }) => <bdi>{email}</bdi> },
  { name: TEXTS.name, cell: (contact) => <bdi>{nameOf(contact)}</bdi>, isWide: true },
  { name: TEXTS.state, cell: ({ unsubscribed, suppressed }) => <SubscriptionBadge unsubscribed={unsubscribed} suppressed={suppressed} /> },
  {
    name: TEXTS.added,
    cell: ({ created_at }) => (
      <Dimmed>
        <Time at={created_at} />
      </Dimmed>
    ),
    isWide: true,
  },
]
