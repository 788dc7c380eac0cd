import { useState } from 'react'
import { type RowOf, type Rows, useAllRows, useRows } from '../api/queries'
import { type Column, DataList, Dimmed } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { ChosenContacts } from './ChosenContacts'
import { CreateContact } from './CreateContact'
import { nameOf, SubscriptionBadge } from './SubscriptionBadge'

type Contact = RowOf<'/contacts'>

export default function ContactsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['search', 'segment_id'])
  const list = useRows('/contacts', { query: filters })
  const segments = useAllRows('/segments', { isEnabled: may('segments:read') })
  const shown: Filter[] = [
    { name: 'search', label: TEXTS.search, kind: 'text' },
    ...(may('segments:read')
      ? [
          {
            ...{ name: 'segment_id', label: TEXTS.segment, kind: 'choice' as const },
            choices: segments.rows.map(({ id, name }) => ({ value: id, label: name })),
          },
        ]
      : []),
  ]
  return (
    <Page title={TEXTS.title} acts={may('contacts:write') && <CreateContact />}>
      <Filters filters={shown} values={filters} onChange={setFilters} />
      <ContactList list={list} filters={filters} isFiltered={Object.keys(filters).length > 0} />
    </Page>
  )
}

type ContactListProps = {
  list: Rows<Contact>
  /** Which contacts these are, for acts on all of them. */
  filters: { search?: string; segment_id?: string }
  isFiltered: boolean
  empty?: string
}

/** Contacts with what one decides by, which can be chosen and acted on together. */
export function ContactList({ list, filters, isFiltered, empty = TEXTS.empty }: ContactListProps) {
  const may = useMay()
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const acts = <ChosenContacts chosen={chosen} choose={choose} list={list} filters={filters} />
  return (
    <DataList
      label={TEXTS.title}
      list={list}
      to={({ id }) => `/contacts/${id}`}
      isFiltered={isFiltered}
      empty={empty}
      columns={COLUMNS}
      {...(may('contacts:write') && { selection: { chosen, choose, acts } })}
    />
  )
}

const COLUMNS: readonly Column<Contact>[] = [
  { name: TEXTS.email, cell: ({ email }) => <bdi>{email}</bdi> },
  { name: TEXTS.name, cell: (contact) => <bdi>{nameOf(contact)}</bdi>, isWide: true },
  { name: TEXTS.state, cell: ({ unsubscribed }) => <SubscriptionBadge unsubscribed={unsubscribed} /> },
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
