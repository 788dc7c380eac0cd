import { useAllRows, useRows } from '../api/queries'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { type Filter, Filters } from '../parts/Filters'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { CONTACT_JOB_TEXTS as JOB_TEXTS } from '../texts/contact-jobs'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { ContactList } from './ContactList'
import { CreateContact } from './CreateContact'
import { Growth } from './Growth'

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
    <Page
      title={TEXTS.title}
      acts={
        <>
          <LinkButton to="/contacts/jobs" variant="default">
            {JOB_TEXTS.seeJobs}
          </LinkButton>
          {may('contacts:write') && (
            <LinkButton to="/imports/new" variant="default">
              {TEXTS.importFile}
            </LinkButton>
          )}
          <DownloadButton name={TEXTS.csv} path={pathOf('/contacts/export', filters)} />
          {may('contacts:write') && <CreateContact />}
        </>
      }
    >
      <Growth />
      <Filters page="contacts" filters={shown} values={filters} onChange={setFilters} />
      {/* What is chosen is chosen of what these filters find. */}
      <ContactList
        key={JSON.stringify(filters)}
        list={list}
        filters={filters}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
      />
    </Page>
  )
}
