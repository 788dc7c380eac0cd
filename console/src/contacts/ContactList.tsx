import { type ReactNode, useState } from 'react'
import { useEach } from '../api/each'
import type { RowOf, Rows } from '../api/queries'
import { type Column, DataList, Dimmed } from '../parts/DataList'
import { EachProgress } from '../parts/EachProgress'
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
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  // It outlives the choice that it acts on.
  const each = useEach(['contacts', 'segments'])
  const acts = <ChosenContacts chosen={chosen} choose={choose} list={list} filters={filters} onEach={each.start} />
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
      <EachProgress each={each} />
    </>
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
