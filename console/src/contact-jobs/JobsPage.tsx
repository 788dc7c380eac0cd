import { useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { Filters } from '../parts/Filters'
import { LinkButton } from '../parts/LinkButton'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useFilters } from '../shell/address'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'
import { CONTACT_TEXTS } from '../texts/contacts'
import { selectionWords } from './jobs'

const STATES = Object.entries(TEXTS.states).map(([value, label]) => ({ value, label }))

export default function JobsPage() {
  const [filters, setFilters] = useFilters(['status'])
  const list = useRows('/contacts/jobs', { query: filters as never })
  return (
    <Page
      title={TEXTS.title}
      back={{ to: '/contacts', name: CONTACT_TEXTS.title }}
      acts={
        <LinkButton to="/contacts" variant="default">
          {TEXTS.toContacts}
        </LinkButton>
      }
    >
      <Filters filters={[{ name: 'status', label: TEXTS.state, kind: 'choice', choices: STATES }]} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/contacts/jobs/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.act, cell: ({ act }) => TEXTS.acts[act.type] },
          { name: TEXTS.contacts, cell: ({ contacts }) => <bdi>{selectionWords(contacts)}</bdi>, isWide: true },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} words={TEXTS.states[status]} /> },
          { name: TEXTS.counts.changed, cell: ({ counts }) => countOf(counts.changed), isNumber: true },
          { name: TEXTS.counts.refused, cell: ({ counts }) => countOf(counts.refused), isNumber: true, isWide: true },
          { name: TEXTS.started, cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
        ]}
      />
    </Page>
  )
}
